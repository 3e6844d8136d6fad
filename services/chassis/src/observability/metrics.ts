/**
 * Where the program says what it measures. Nothing happens, and nothing is kept, until a sink listens
 * (metrics-endpoint.ts): a process that is not watched pays for a comparison.
 *
 * It belongs to the process, as its log lines do: what is measured is told where it happens, and not handed through
 * every function above.
 */
import type { CounterName, GaugeName, HistogramName, LabelsOf } from './catalogue.ts';

type Labels = Readonly<Record<string, string>>;

export interface MetricsSink {
  count(name: CounterName, labels: Labels, by: number): void;
  observe(name: HistogramName, labels: Labels, value: number): void;
}

export interface Reading<N extends GaugeName> {
  readonly labels: LabelsOf<N>;
  readonly value: number;
}

export type ReadGauge = () => readonly Reading<GaugeName>[] | Promise<readonly Reading<GaugeName>[]>;

let sink: MetricsSink | undefined;
const gauges = new Map<GaugeName, Set<ReadGauge>>();

export function isMeasured(): boolean {
  return sink !== undefined;
}

export function count<N extends CounterName>(name: N, labels: LabelsOf<N>, by = 1): void {
  sink?.count(name, labels as Labels, by);
}

/** Seconds, where the name ends so. */
export function observe<N extends HistogramName>(name: N, labels: LabelsOf<N>, value: number): void {
  sink?.observe(name, labels as Labels, value);
}

/** `sinceMs` is of performance.now. */
export function observeSince<N extends HistogramName>(name: N, labels: LabelsOf<N>, sinceMs: number): void {
  sink?.observe(name, labels as Labels, (performance.now() - sinceMs) / 1_000);
}

/** `read` is asked when somebody looks, until it is disposed of; several readers of one gauge add up to it. */
export function expose<N extends GaugeName>(
  name: N,
  read: () => readonly Reading<N>[] | Promise<readonly Reading<N>[]>,
): Disposable {
  const readers = gauges.get(name) ?? new Set();
  gauges.set(name, readers);
  readers.add(read as ReadGauge);
  return {
    [Symbol.dispose]() {
      readers.delete(read as ReadGauge);
    },
  };
}

/** For the sink: the readers of every gauge that has one. */
export function exposedGauges(): readonly {
  readonly name: GaugeName;
  readonly readers: readonly ReadGauge[];
}[] {
  return [...gauges]
    .filter(([, readers]) => readers.size > 0)
    .map(([name, readers]) => ({ name, readers: [...readers] }));
}

/** One at a time. */
export function listenToMetrics(listener: MetricsSink): Disposable {
  if (sink !== undefined) throw new Error('somebody listens to the metrics of this process already');
  sink = listener;
  return {
    [Symbol.dispose]() {
      sink = undefined;
    },
  };
}

/** Forgets every gauge: a simulated process that is killed disposes of none. */
export function forgetGauges(): void {
  gauges.clear();
}
