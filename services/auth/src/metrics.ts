/** The metrics of the auth service. */
import type { MetricDefinitions } from '@audiosplit/chassis/observability/metric-definition';
import { metersOf } from '@audiosplit/chassis/observability/metrics';
import {
  DATABASE_METRICS,
  OUTBOX_METRICS,
  SERVICE_METRICS,
} from '@audiosplit/chassis/observability/shared-metrics';

export const METRICS = {
  ...SERVICE_METRICS,
  ...DATABASE_METRICS,
  ...OUTBOX_METRICS,
  audiosplit_sign_in_refusals_total: {
    type: 'counter',
    help:
      'Sign-ins and registrations refused by a limit: wrong passwords of a caller for one address (`pair`) or any ' +
      '(`caller`), of all for one address (`address`), registrations of a caller, wrong codes for an account.',
    labels: { bound: ['pair', 'caller', 'address', 'registrations', 'codes'] },
  },
  audiosplit_auth_password_hashes: {
    type: 'gauge',
    help: 'Passwords that are hashed at the moment.',
    labels: {},
  },
} as const satisfies MetricDefinitions;

export const { count, expose } = metersOf(METRICS);
