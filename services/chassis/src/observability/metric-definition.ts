/**
 * Definition of a metric. Each room defines its own in a `metrics.ts`; docs/reference/metrics.md is generated
 * from all of them.
 */

/**
 * Labels have few values by construction: the values are listed here, or they name parts of the program
 * (methods, topics, schemas, route patterns, error codes). No value comes from a request. No label has the
 * name of one that Prometheus adds to a target (`job`, `instance`, `service`, `pod`, `namespace`).
 */
export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** For each label: all values, or a description of the program parts that the values name. */
  readonly labels: Readonly<Record<string, readonly string[] | string>>;
  /** Upper bounds of a histogram. */
  readonly buckets?: readonly number[];
  /** One figure for the whole installation: every replica shows the same value. */
  readonly isShared?: true;
}

/** By name. */
export type MetricDefinitions = Readonly<Record<string, MetricDefinition>>;

type NamesOf<M extends MetricDefinitions, T extends MetricDefinition['type']> = {
  [N in keyof M]: M[N]['type'] extends T ? N : never;
}[keyof M] &
  string;
export type CounterName<M extends MetricDefinitions> = NamesOf<M, 'counter'>;
export type GaugeName<M extends MetricDefinitions> = NamesOf<M, 'gauge'>;
export type HistogramName<M extends MetricDefinitions> = NamesOf<M, 'histogram'>;

/** A listed label takes one of its values, any other a string. */
export type LabelsOf<D extends MetricDefinition> = {
  readonly [L in keyof D['labels']]: D['labels'][L] extends readonly (infer V extends string)[] ? V : string;
};

/** Buckets of response times. */
export const RESPONSE_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
/** Buckets for work that may take hours. */
export const LONG_WORK_SECONDS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200] as const;
