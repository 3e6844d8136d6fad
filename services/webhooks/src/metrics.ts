/** What the webhooks service measures. */
import type { MetricDefinitions } from '@audiosplit/chassis/observability/metric-definition';
import { metersOf } from '@audiosplit/chassis/observability/metrics';
import { DATABASE_METRICS, SERVICE_METRICS } from '@audiosplit/chassis/observability/shared-metrics';

/** Up to the 15 s after which an attempt is given up. */
const ATTEMPT_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

export const METRICS = {
  ...SERVICE_METRICS,
  ...DATABASE_METRICS,
  audiosplit_webhook_deliveries_total: {
    type: 'counter',
    help: 'Attempts to deliver a notification, by what became of the delivery.',
    labels: { outcome: ['delivered', 'retried', 'failed', 'handed_back'] },
  },
  audiosplit_webhook_attempt_duration_seconds: {
    type: 'histogram',
    help: 'How long receivers take to answer; `none` without an answer.',
    labels: { status_class: ['1xx', '2xx', '3xx', '4xx', '5xx', 'none'] },
    buckets: ATTEMPT_SECONDS,
  },
  audiosplit_webhook_attempts_in_flight: {
    type: 'gauge',
    help: 'Notifications that the replica is sending.',
    labels: {},
  },
  audiosplit_webhook_attempts_limit: {
    type: 'gauge',
    help: 'How many it may send at the same time (`WEBHOOK_ATTEMPTS`).',
    labels: {},
  },
  audiosplit_webhook_circuits_open: {
    type: 'gauge',
    help: 'Hosts that get nothing from an account for now, as its last three notifications timed out there.',
    labels: {},
  },
} as const satisfies MetricDefinitions;

export const { count, expose, observeSince } = metersOf(METRICS);
