/**
 * Stores recorded metrics and renders them in Prometheus' text format. Loaded only if METRICS_PORT is set.
 *
 * Counters whose labels are all listed begin at zero, so the first event is an increase. Gauges are read for
 * each scrape, within READ_TIMEOUT_MS in total: one that fails or hangs is left out and counted, and delays
 * no other.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { messageOf } from '../errors.ts';
import type { Logger } from '../process/log.ts';
import type { MetricDefinition, MetricDefinitions } from './metric-definition.ts';
import { type ExposedGauge, exposedGauges, listenToMetrics, type ReadGauge } from './metrics.ts';
import { count, expose } from './shared-metrics.ts';

interface PrometheusOptions {
  /** The processes in this Node process: one service, or several in the embedded run. */
  readonly processes: readonly string[];
  /** These metrics are shown; all others are ignored. */
  readonly metrics: MetricDefinitions;
  readonly log: Logger;
  readonly readTimeoutMs?: number;
}

export interface Prometheus extends Disposable {
  readonly contentType: string;
  scrape(): Promise<string>;
}

/** Below the 10 s after which Prometheus aborts a scrape. */
const READ_TIMEOUT_MS = 5_000;

export function createPrometheus(options: PrometheusOptions): Prometheus {
  const { processes, metrics, log, readTimeoutMs = READ_TIMEOUT_MS } = options;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const counters = new Map<string, Counter>();
  const histograms = new Map<string, Histogram>();
  for (const [name, definition] of Object.entries(metrics)) {
    const { help, labels, buckets } = definition;
    const configuration = { name, help, labelNames: Object.keys(labels), registers: [registry] };
    if (definition.type === 'counter') {
      const counter = new Counter(configuration);
      for (const values of listedValues(labels)) counter.inc(values, 0);
      counters.set(name, counter);
    }
    if (definition.type === 'histogram') {
      const histogram = new Histogram({ ...configuration, ...(buckets && { buckets: [...buckets] }) });
      for (const values of listedValues(labels)) histogram.zero(values);
      histograms.set(name, histogram);
    }
  }
  using starting = new DisposableStack();
  starting.use(
    listenToMetrics({
      count: (name, labels, by) => counters.get(name)?.inc(labels, by),
      observe: (name, labels, value) => histograms.get(name)?.observe(labels, value),
    }),
  );
  starting.use(
    expose('audiosplit_process_info', () => processes.map((process) => ({ labels: { process }, value: 1 }))),
  );
  const listening = starting.move();

  const pending = new Map<ReadGauge, ReturnType<ReadGauge>>();
  /** A read that is still pending from the last scrape is not started again. */
  const readOnce = async (read: ReadGauge) => {
    const running = pending.get(read) ?? read();
    pending.set(read, running);
    try {
      return await running;
    } finally {
      pending.delete(read);
    }
  };
  const readGauge = async (
    { help, labels: names }: MetricDefinition,
    { name, readers }: ExposedGauge,
    deadline: AbortSignal,
  ) => {
    try {
      const reading = Promise.all(readers.map(readOnce));
      const readings = (await orTimeOut(reading, deadline)).flat();
      const gauge = new Gauge({ name, help, labelNames: Object.keys(names), registers: [] });
      for (const { labels, value } of readings) gauge.inc(labels, value);
      return readings.length === 0 ? [] : [gauge];
    } catch (error) {
      count('audiosplit_metrics_read_failures_total', { metric: name });
      log.warn({ metric: name }, `a gauge cannot be read: ${messageOf(error)}`);
      return [];
    }
  };

  return {
    contentType: registry.contentType,
    async scrape() {
      const deadline = AbortSignal.timeout(readTimeoutMs);
      const read = await Promise.all(
        exposedGauges().map((gauge) => {
          const definition = metrics[gauge.name];
          return definition === undefined ? [] : readGauge(definition, gauge, deadline);
        }),
      );
      const gauges = new Registry();
      for (const gauge of read.flat()) gauges.registerMetric(gauge);
      return `${await registry.metrics()}\n${await gauges.metrics()}`;
    },
    [Symbol.dispose]() {
      listening.dispose();
      registry.clear();
    },
  };
}

/** Every combination of label values if all are listed; otherwise none. */
function listedValues(labels: MetricDefinition['labels']): Record<string, string>[] {
  let combinations: Record<string, string>[] = [{}];
  for (const [label, values] of Object.entries(labels)) {
    if (typeof values === 'string') return [];
    combinations = combinations.flatMap((others) => values.map((value) => ({ ...others, [label]: value })));
  }
  return combinations;
}

async function orTimeOut<T>(answer: Promise<T>, deadline: AbortSignal): Promise<T> {
  const late = Promise.withResolvers<never>();
  const giveUp = () => late.reject(new Error('it was not read in time'));
  deadline.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    deadline.removeEventListener('abort', giveUp);
  }
}
