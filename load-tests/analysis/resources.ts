/**
 * Whether memory, descriptors, connections and backlogs of processes stay flat over a run.
 *
 * The second quarter of the run is compared with the last; in the first one, new processes fill caches and
 * compile code. Each quarter is one number computed from many samples, so that no single sample decides. A
 * process fails if it has grown by more than its measure allows (resource-measures.ts). Slower leaks are not
 * detected; the findings state how slow, and a run of twice the length detects half of that. No slope is
 * extrapolated: the memory of a garbage-collected process moves in steps that are larger than an hour's leak.
 *
 * Garbage looks like a leak until it is collected. So the minimum of a quarter counts for the heap, and
 * growth without a major collection in the last quarter is inconclusive. A restarted process has lost its
 * earlier state: this fails the run.
 */
import { ascending, quantile } from '@audiosplit/chassis/testing/latency';
import { MEASURE_NAMES, type MeasureName, measureNamed, type ResourceReading } from './resource-measures.ts';

export interface ResourceSample extends ResourceReading {
  readonly atMs: number;
}

export interface ProcessSeries {
  readonly name: string;
  readonly samples: readonly ResourceSample[];
  /** The number of samples without a response. */
  readonly missed: number;
}

export interface ResourceTrend {
  readonly measure: MeasureName;
  /** In the second quarter, and in the last; NaN (null in JSON) if nothing was read. */
  readonly before: number;
  readonly after: number;
  /** By how much `after` may exceed `before`; undefined if it is not judged. */
  readonly allowed: number | undefined;
  /** `unclear`: garbage may explain the growth. `shown`: not judged. */
  readonly outcome: 'flat' | 'grew' | 'unclear' | 'shown';
}

export type ResourceFindings = ReturnType<typeof analyseResources>;

/** Per quarter. */
export const LEAST_SAMPLES = 8;
const MOST_MISSED_SHARE = 0.1;
const MS_PER_HOUR = 3_600_000;

/** Unless `isJudged`, everything is only shown. */
export function analyseResources(
  all: readonly ProcessSeries[],
  { isJudged }: { readonly isJudged: boolean },
) {
  const times = ascending(all.flatMap(({ samples }) => samples.map(({ atMs }) => atMs)));
  const [firstMs = 0] = times;
  const durationMs = (times.at(-1) ?? 0) - firstMs;
  const quarterOf = ({ atMs }: ResourceSample) => Math.floor(((atMs - firstMs) / durationMs) * 4);
  const judged = all.map((series) => judge(series, quarterOf, isJudged));
  const allowedMegabytes = judged.flatMap(({ trends }) =>
    trends.flatMap(({ measure, allowed }) => (measure === 'resident' ? (allowed ?? []) : [])),
  );
  const few = judged.filter(({ looksOfQuarter }) => isJudged && looksOfQuarter < LEAST_SAMPLES);
  const doubts = judged.flatMap((each) => each.doubts);
  if (few.length > 0) {
    const fewest = Math.min(...few.map(({ looksOfQuarter }) => looksOfQuarter));
    const names = few.map(({ name }) => name).join(', ');
    doubts.unshift(
      `a quarter of the run has ${fewest} looks only at what is held by ${names}; ${LEAST_SAMPLES} are needed`,
    );
  }
  if (isJudged && all.length === 0) {
    doubts.unshift(
      'nothing was read of what the processes hold: a run against its own installation does that',
    );
  }
  return {
    // From the first sample to the last.
    durationSeconds: durationMs / 1_000,
    processes: judged.map(({ name, trends }) => ({ name, trends })),
    // The slowest growth that this run detects in any process, in MB of resident memory per hour.
    visibleLeakPerHour:
      allowedMegabytes.length === 0
        ? undefined
        : Math.max(...allowedMegabytes) / (durationMs / 2 / MS_PER_HOUR),
    violations: judged.flatMap(({ violations }) => violations),
    doubts,
  };
}

function judge(series: ProcessSeries, quarterOf: (sample: ResourceSample) => number, isJudged: boolean) {
  const { name, samples, missed } = series;
  const second = samples.filter((sample) => quarterOf(sample) === 1);
  // The last sample ends the fourth quarter.
  const last = samples.filter((sample) => quarterOf(sample) >= 3);
  const violations: string[] = [];
  const doubts: string[] = [];
  if (isJudged && new Set(samples.map(({ startedAtSeconds }) => startedAtSeconds)).size > 1) {
    violations.push(`${name} was started again during the run: what it held is forgotten`);
  }
  const looks = samples.length + missed;
  if (isJudged && missed > looks * MOST_MISSED_SHARE) {
    doubts.push(`${name} gave no answer to ${missed} of ${looks} looks at what it holds`);
  }
  const looksOfQuarter = Math.min(second.length, last.length);
  const isSound = violations.length === 0 && doubts.length === 0;
  const canJudge = isJudged && isSound && looksOfQuarter >= LEAST_SAMPLES;
  const trends = MEASURE_NAMES.filter((measure) => samples.some(({ values }) => measure in values)).map(
    (measure) => trendOf(measure, second, last, canJudge),
  );
  for (const trend of trends) {
    const growth = describeGrowth(name, trend);
    if (trend.outcome === 'grew') violations.push(growth);
    if (trend.outcome === 'unclear') {
      doubts.push(`${growth}, but no garbage was collected in the last quarter`);
    }
  }
  return { name, looksOfQuarter, trends, violations, doubts };
}

function describeGrowth(name: string, { measure, before, after, allowed = 0 }: ResourceTrend): string {
  const { title, unit } = measureNamed(measure);
  const amount = (value: number) => `${value.toFixed(1)}${unit === '' ? '' : ` ${unit}`}`;
  return `${name}: ${title} grew from ${amount(before)} to ${amount(after)} over half of the run, where ${amount(allowed)} more are allowed`;
}

function trendOf(
  measure: MeasureName,
  second: readonly ResourceSample[],
  last: readonly ResourceSample[],
  canJudge: boolean,
): ResourceTrend {
  const { mayGrow, of, holdsGarbage = false } = measureNamed(measure);
  const [before = Number.NaN, after = Number.NaN] = [second, last].map((samples) => {
    const values = ascending(samples.flatMap(({ values }) => values[measure] ?? []));
    return quantile(values, of === 'median' ? 0.5 : 0);
  });
  const allowed =
    mayGrow === undefined || !canJudge ? undefined : Math.max(mayGrow.share * before, mayGrow.least);
  const wasCollected = (last.at(-1)?.majorCollections ?? 0) > (last[0]?.majorCollections ?? 0);
  const outcomeOf = (): ResourceTrend['outcome'] => {
    if (allowed === undefined) return 'shown';
    if (after - before <= allowed) return 'flat';
    return holdsGarbage && !wasCollected ? 'unclear' : 'grew';
  };
  return { measure, before: rounded(before), after: rounded(after), allowed, outcome: outcomeOf() };
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
