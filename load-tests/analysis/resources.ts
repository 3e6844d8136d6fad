/**
 * Whether memory, descriptors, connections and backlogs of processes stay flat over a run.
 *
 * The second quarter of the run is compared with the last; in the first, new processes fill caches and compile code. Each
 * quarter is one number made of many samples, so that no single sample decides. A process fails that has grown by more
 * than its measure allows (resource-measures.ts). Slower leaks are not seen; the findings say how slow, and a run of twice
 * the length sees half of that. No slope is extrapolated: the memory of a garbage-collected process moves in steps that
 * are larger than an hour's leak.
 *
 * Garbage looks like a leak until it is collected. So the least of a quarter counts for the heap, and growth without a major
 * collection in the last quarter is a doubt. A process that was started again holds nothing of before: this fails the run.
 */
import { ascending, quantile } from '@audiosplit/chassis/testing/latency';
import { MEASURE_NAMES, type MeasureName, measureNamed, type ResourceReading } from './resource-measures.ts';

export interface ResourceSample extends ResourceReading {
  readonly atMs: number;
}

export interface ProcessSeries {
  readonly name: string;
  readonly samples: readonly ResourceSample[];
  /** Looks that got no answer. */
  readonly missed: number;
}

/** `unclear`: garbage may explain it. `shown`: not judged. */
export type ResourceOutcome = 'flat' | 'grew' | 'unclear' | 'shown';

export interface ResourceTrend {
  readonly measure: MeasureName;
  /** In the second quarter, and in the last; NaN, and null in JSON, where nothing was read. */
  readonly before: number;
  readonly after: number;
  /** By how much `after` may be above `before`; undefined where nothing is judged. */
  readonly allowed: number | undefined;
  readonly outcome: ResourceOutcome;
}

export interface ResourceFindings {
  /** From the first look to the last. */
  readonly durationSeconds: number;
  readonly processes: readonly { readonly name: string; readonly trends: readonly ResourceTrend[] }[];
  /** The slowest growth that this run sees in any process, in MB of resident memory an hour; undefined unless judged. */
  readonly visibleLeakPerHour: number | undefined;
  readonly violations: readonly string[];
  readonly doubts: readonly string[];
}

export interface ResourceOptions {
  /** Otherwise everything is shown only. */
  readonly isJudged: boolean;
}

/** Of a quarter. */
export const LEAST_SAMPLES = 8;
const MOST_MISSED_SHARE = 0.1;

export function analyseResources(
  all: readonly ProcessSeries[],
  { isJudged }: ResourceOptions,
): ResourceFindings {
  const times = all.flatMap(({ samples }) => samples.map(({ atMs }) => atMs));
  const firstMs = times.reduce((least, atMs) => Math.min(least, atMs), Number.POSITIVE_INFINITY);
  const durationMs = times.reduce((most, atMs) => Math.max(most, atMs), firstMs) - firstMs;
  const span: Span = { firstMs, durationMs: times.length === 0 ? 0 : durationMs };
  const judged = all.map((series) => judge(series, span, isJudged));
  const halfHours = span.durationMs / 2 / 3_600_000;
  const allowedMegabytes = judged.flatMap(({ trends }) =>
    trends.flatMap(({ measure, allowed }) => (measure === 'resident' ? (allowed ?? []) : [])),
  );
  return {
    durationSeconds: span.durationMs / 1_000,
    processes: judged.map(({ name, trends }) => ({ name, trends })),
    visibleLeakPerHour: allowedMegabytes.length === 0 ? undefined : Math.max(...allowedMegabytes) / halfHours,
    violations: judged.flatMap(({ violations }) => violations),
    doubts: [
      ...(isJudged && all.length === 0
        ? ['nothing was read of what the processes hold: a run against its own installation does that']
        : []),
      ...(isJudged ? fewLooks(judged) : []),
      ...judged.flatMap(({ doubts }) => doubts),
    ],
  };
}

interface Span {
  readonly firstMs: number;
  readonly durationMs: number;
}

interface Judged {
  readonly name: string;
  readonly looksOfQuarter: number;
  readonly trends: readonly ResourceTrend[];
  readonly violations: readonly string[];
  readonly doubts: readonly string[];
}

function judge(series: ProcessSeries, span: Span, isJudged: boolean): Judged {
  const { name, samples } = series;
  const quarter = (number: number) => samples.filter(({ atMs }) => quarterOf(atMs, span) === number);
  const [second, last] = [quarter(1), quarter(3)];
  const restarts = isJudged ? restartsOf(series) : [];
  const gaps = isJudged ? gapsOf(series) : [];
  const looksOfQuarter = Math.min(second.length, last.length);
  const hasEnough = looksOfQuarter >= LEAST_SAMPLES && gaps.length === 0;
  const canJudge = isJudged && hasEnough && restarts.length === 0;
  const wasCollected = collectionsIn(last) > 0;
  const trends = MEASURE_NAMES.filter((measure) => samples.some(({ values }) => measure in values)).map(
    (measure) => trendOf(measure, { second, last, canJudge, wasCollected }),
  );
  const grown = (outcome: ResourceOutcome) =>
    trends.filter((trend) => trend.outcome === outcome).map((trend) => describeGrowth(name, trend));
  return {
    name,
    looksOfQuarter,
    trends,
    violations: [...restarts, ...grown('grew')],
    doubts: [
      ...gaps,
      ...grown('unclear').map((growth) => `${growth}, but no garbage was collected in the last quarter`),
    ],
  };
}

function restartsOf({ name, samples }: ProcessSeries): string[] {
  const starts = new Set(samples.map(({ startedAtSeconds }) => startedAtSeconds));
  return starts.size > 1 ? [`${name} was started again during the run: what it held is forgotten`] : [];
}

function gapsOf({ name, samples, missed }: ProcessSeries): string[] {
  const looks = samples.length + missed;
  return missed > looks * MOST_MISSED_SHARE
    ? [`${name} gave no answer to ${missed} of ${looks} looks at what it holds`]
    : [];
}

/** In one line, as a run that is too short is so for all. */
function fewLooks(judged: readonly Judged[]): string[] {
  const fewest = judged.reduce(
    (least, { looksOfQuarter }) => Math.min(least, looksOfQuarter),
    Number.POSITIVE_INFINITY,
  );
  const affected = judged.filter(({ looksOfQuarter }) => looksOfQuarter < LEAST_SAMPLES);
  return affected.length === 0
    ? []
    : [
        `a quarter of the run has ${fewest} looks only at what is held by ${affected.map(({ name }) => name).join(', ')}; ${LEAST_SAMPLES} are needed`,
      ];
}

function describeGrowth(name: string, { measure, before, after, allowed = 0 }: ResourceTrend): string {
  const { title, unit } = measureNamed(measure);
  const amount = (value: number) => `${value.toFixed(1)}${unit === '' ? '' : ` ${unit}`}`;
  return `${name}: ${title} grew from ${amount(before)} to ${amount(after)} over half of the run, where ${amount(allowed)} more are allowed`;
}

function trendOf(
  measure: MeasureName,
  run: {
    readonly second: readonly ResourceSample[];
    readonly last: readonly ResourceSample[];
    readonly canJudge: boolean;
    readonly wasCollected: boolean;
  },
): ResourceTrend {
  const { mayGrow, of, holdsGarbage = false } = measureNamed(measure);
  const stand = (samples: readonly ResourceSample[]) =>
    quantile(ascending(valuesOf(samples, measure)), of === 'median' ? 0.5 : 0);
  const [before, after] = [stand(run.second), stand(run.last)];
  const allowed =
    mayGrow === undefined || !run.canJudge ? undefined : Math.max(mayGrow.share * before, mayGrow.least);
  const outcomeOf = (): ResourceOutcome => {
    if (allowed === undefined) return 'shown';
    if (after - before <= allowed) return 'flat';
    return holdsGarbage && !run.wasCollected ? 'unclear' : 'grew';
  };
  return { measure, before: rounded(before), after: rounded(after), allowed, outcome: outcomeOf() };
}

function valuesOf(samples: readonly ResourceSample[], measure: MeasureName): number[] {
  return samples.flatMap(({ values }) => values[measure] ?? []);
}

function collectionsIn(samples: readonly ResourceSample[]): number {
  return (samples.at(-1)?.majorCollections ?? 0) - (samples[0]?.majorCollections ?? 0);
}

function quarterOf(atMs: number, { firstMs, durationMs }: Span): number {
  return durationMs === 0 ? 0 : Math.min(3, Math.floor(((atMs - firstMs) / durationMs) * 4));
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
