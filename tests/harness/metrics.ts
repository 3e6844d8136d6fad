/** The product's metrics, for suites that read them. */
export {
  METRICS,
  METRICS_OF,
  type MetricName,
  PROCESS_NAMES,
  type ProcessName,
} from '../../deploy/embedded/metrics.ts';
