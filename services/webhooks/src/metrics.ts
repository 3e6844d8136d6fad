/** The metrics of the webhooks service. */
import type { MetricDefinitions } from '@audiosplit/chassis/observability/metric-definition';
import { metersOf } from '@audiosplit/chassis/observability/metrics';
import { DATABASE_METRICS, SERVICE_METRICS } from '@audiosplit/chassis/observability/shared-metrics';

/** Up to the attempt's timeout of 15 s. */
const ATTEMPT_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

export const METRICS = {
  ...SERVICE_METRICS,
  ...DATABASE_METRICS,
  audiosplit_webhook_deliveries_total: {
    type: 'counter',
    help: 'Attempts to deliver a notification, by the resulting state of the delivery; `refused`: without an attempt, because too many of its account were pending.',
    labels: { outcome: ['delivered', 'retried', 'failed', 'handed_back', 'refused'] },
  },
  audiosplit_webhook_attempt_duration_seconds: {
    type: 'histogram',
    help: 'Response time of receivers; `none` without a response.',
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
    help: 'Maximum of notifications that it sends concurrently (`WEBHOOK_ATTEMPTS`).',
    labels: {},
  },
  audiosplit_webhook_circuits_open: {
    type: 'gauge',
    help: 'Hosts that temporarily get no notifications from an account, because its last three there timed out.',
    labels: {},
  },
} as const satisfies MetricDefinitions;

export const { count, expose, observeSince } = metersOf(METRICS);
