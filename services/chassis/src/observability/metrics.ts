/**
 * The port through which a process records metrics. Until a sink listens (metrics-endpoint.ts) nothing is
 * recorded, and a call costs one comparison. Like the log, it belongs to the process and is not passed
 * through every function.
 */
import type {
  CounterName,
  GaugeName,
  HistogramName,
  LabelsOf,
  MetricDefinitions,
} from './metric-definition.ts';

type Labels = Readonly<Record<string, string>>;

interface MetricsSink {
  count(name: string, labels: Labels, by: number): void;
  observe(name: string, labels: Labels, value: number): void;
}

interface Reading<L = Labels> {
  readonly labels: L;
  readonly value: number;
}

export type ReadGauge<L = Labels> = () => readonly Reading<L>[] | Promise<readonly Reading<L>[]>;

/** The recording functions for these metrics. */
interface Meters<M extends MetricDefinitions> {
  count<N extends CounterName<M>>(name: N, labels: LabelsOf<M[N]>, by?: number): void;
  /** In seconds if the name ends in `seconds`. */
  observe<N extends HistogramName<M>>(name: N, labels: LabelsOf<M[N]>, value: number): void;
  /** `sinceMs` comes from performance.now. */
  observeSince<N extends HistogramName<M>>(name: N, labels: LabelsOf<M[N]>, sinceMs: number): void;
  /** `read` is called for each scrape until it is disposed of; several readers of one gauge are added up. */
  expose<N extends GaugeName<M>>(name: N, read: ReadGauge<LabelsOf<M[N]>>): Disposable;
}

let sink: MetricsSink | undefined;
const gauges = new Map<string, Set<ReadGauge>>();

const METERS = {
  count(name: string, labels: Labels, by = 1): void {
    sink?.count(name, labels, by);
  },
  observe(name: string, labels: Labels, value: number): void {
    sink?.observe(name, labels, value);
  },
  observeSince(name: string, labels: Labels, sinceMs: number): void {
    sink?.observe(name, labels, (performance.now() - sinceMs) / 1_000);
  },
  expose(name: string, read: ReadGauge): Disposable {
    const readers = gauges.get(name) ?? new Set();
    gauges.set(name, readers);
    readers.add(read);
    return {
      [Symbol.dispose]() {
        readers.delete(read);
      },
    };
  },
};

/** A name or label that the metrics do not define fails to compile. */
export function metersOf<M extends MetricDefinitions>(_metrics: M): Meters<M> {
  return METERS as Meters<M>;
}

export function isMeasured(): boolean {
  return sink !== undefined;
}

export interface ExposedGauge {
  readonly name: string;
  readonly readers: readonly ReadGauge[];
}

/** For the sink: the gauges that have readers. */
export function exposedGauges(): readonly ExposedGauge[] {
  return [...gauges]
    .filter(([, readers]) => readers.size > 0)
    .map(([name, readers]) => ({ name, readers: [...readers] }));
}

/** Only one sink at a time. */
export function listenToMetrics(listener: MetricsSink): Disposable {
  if (sink !== undefined) throw new Error('the metrics of this process have a sink already');
  sink = listener;
  return {
    [Symbol.dispose]() {
      sink = undefined;
    },
  };
}

/** Removes every gauge: a simulated process that is killed disposes of none. */
export function forgetGauges(): void {
  gauges.clear();
}
