/** The metrics of the billing service. */
import {
  DATABASE_METRICS,
  OUTBOX_METRICS,
  SERVICE_METRICS,
} from '@audiosplit/chassis/observability/shared-metrics';

export const METRICS = {
  ...SERVICE_METRICS,
  ...DATABASE_METRICS,
  ...OUTBOX_METRICS,
};
