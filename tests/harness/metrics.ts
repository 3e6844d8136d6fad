/** What the product measures, for suites that read it. */
export {
  METRICS,
  METRICS_OF,
  type MetricName,
  PROCESS_NAMES,
  type ProcessName,
} from '../../deploy/embedded/metrics.ts';
