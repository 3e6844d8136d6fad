/**
 * Whether what processes hold stays flat over a run: memory, descriptors, connections, backlogs.
 *
 * The second quarter of the run is compared with the last one. The first is none of it, as processes that have just started
 * fill caches and get their code compiled; and each quarter is one number made of many, so that a single look at a bad
 * moment decides nothing. A leak grows all the while, so half a run lies between the two: a process fails that has grown by
 * more than a measure allows (resource-measures.ts). What leaks more slowly than that is not seen, and the findings say
 * how fast that would be: twice as long a run sees half of it.
 *
 * A slope extrapolated to a day would promise more than it can keep: memory of a garbage-collected process moves in steps that
 * are larger than an hour's leak, and the noise of minutes times a day is gigabytes.
 *
 * Garbage looks like a leak until it is collected. For the heap the least of a quarter counts and not its middle, and growth
 * without a major collection in the last quarter is a doubt and no failure. A process that was started again has forgotten
 * what it held: this fails the run, and its figures are not judged.
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

/** `unclear` is what garbage may explain; `shown` is not judged. */
export type ResourceOutcome = 'flat' | 'grew' | 'unclear' | 'shown';

export interface ResourceTrend {
  readonly measure: MeasureName;
  /** In the second quarter, and in the last; NaN, and null in JSON, where nothing was read. */
  readonly before: number;
  readonly after: number;
  /** By how much `after` may be above `before`; undefined where nothing is judged. */
  readonly allowed: number | undefined;
  readonly outcome: ResourceOutcome;
  /** At the findings' `seconds`. */
  readonly points: readonly number[];
}

export interface ResourceFindings {
  /** From the first look to the last. */
  readonly durationSeconds: number;
  /** Middles of as many parts of the run. */
  readonly seconds: readonly number[];
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
const MOST_POINTS = 48;

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
    seconds: secondsOf(span),
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
  const quarter = (number: number) => samples.filter(({ atMs }) => partOf(atMs, span, 4) === number);
  const [second, last] = [quarter(1), quarter(3)];
  const restarts = isJudged ? restartsOf(series) : [];
  const gaps = isJudged ? gapsOf(series) : [];
  const looksOfQuarter = Math.min(second.length, last.length);
  const hasEnough = looksOfQuarter >= LEAST_SAMPLES && gaps.length === 0;
  const canJudge = isJudged && hasEnough && restarts.length === 0;
  const wasCollected = collectionsIn(last) > 0;
  const trends = MEASURE_NAMES.filter((measure) => samples.some(({ values }) => measure in values)).map(
    (measure) => trendOf(measure, { samples, second, last, span, canJudge, wasCollected }),
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
    readonly samples: readonly ResourceSample[];
    readonly second: readonly ResourceSample[];
    readonly last: readonly ResourceSample[];
    readonly span: Span;
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
  const byPart = Map.groupBy(run.samples, ({ atMs }) => partOf(atMs, run.span, MOST_POINTS));
  const points = Array.from({ length: MOST_POINTS }, (_, part) =>
    rounded(quantile(ascending(valuesOf(byPart.get(part) ?? [], measure)), 0.5)),
  );
  return { measure, before: rounded(before), after: rounded(after), allowed, outcome: outcomeOf(), points };
}

function valuesOf(samples: readonly ResourceSample[], measure: MeasureName): number[] {
  return samples.flatMap(({ values }) => values[measure] ?? []);
}

function collectionsIn(samples: readonly ResourceSample[]): number {
  return (samples.at(-1)?.majorCollections ?? 0) - (samples[0]?.majorCollections ?? 0);
}

function partOf(atMs: number, { firstMs, durationMs }: Span, parts: number): number {
  return durationMs === 0 ? 0 : Math.min(parts - 1, Math.floor(((atMs - firstMs) / durationMs) * parts));
}

function secondsOf({ durationMs }: Span): number[] {
  return Array.from({ length: MOST_POINTS }, (_, part) =>
    Math.round(((part + 0.5) / MOST_POINTS) * (durationMs / 1_000)),
  );
}

/** A report holds thousands of these. */
function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
