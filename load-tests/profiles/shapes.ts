/** Arrivals as k6 takes them. */
import type { CallerName, ConstantArrivals, Journey, Load, RampingArrivals } from './profile.ts';

/** How long an iteration may take before its VU is missed, by journey: its threshold and some more. */
const LONGEST_ITERATION_SECONDS: Readonly<Record<Journey, number>> = {
  createAndPoll: 40,
  uploadSplitDownload: 40,
  listJobs: 2,
  readJob: 2,
  readJobInWindow: 2,
  hammer: 3,
  rpcCreateJob: 1,
  rpcListJobs: 1,
  rpcReadJob: 1,
  rpcVerifyKey: 1,
};
const LEAST_VUS = 4;

interface Arrivals {
  readonly perSecond: number;
  readonly seconds: number;
  readonly startSeconds?: number;
  readonly caller?: CallerName;
}

/** Rates below one a second are given as so many a minute, as k6 wants whole numbers. */
export function constant(journey: Journey, { perSecond, seconds, ...rest }: Arrivals): ConstantArrivals {
  return {
    executor: 'constant-arrival-rate',
    rate: perMinute(perSecond),
    duration: `${Math.round(seconds)}s`,
    ...common(journey, perSecond, rest),
  };
}

export function ramping(
  journey: Journey,
  {
    fromPerSecond,
    stages,
  }: {
    readonly fromPerSecond: number;
    readonly stages: readonly { readonly perSecond: number; readonly seconds: number }[];
  },
): RampingArrivals {
  const highest = Math.max(fromPerSecond, ...stages.map(({ perSecond }) => perSecond));
  return {
    executor: 'ramping-arrival-rate',
    startRate: perMinute(fromPerSecond),
    stages: stages.map(({ perSecond, seconds }) => ({
      target: perMinute(perSecond),
      duration: `${Math.round(seconds)}s`,
    })),
    ...common(journey, highest, {}),
  };
}

function common(journey: Journey, perSecond: number, { startSeconds, caller = 'caller' }: Partial<Arrivals>) {
  const longestSeconds = LONGEST_ITERATION_SECONDS[journey];
  const vus = Math.max(LEAST_VUS, Math.ceil(perSecond * longestSeconds));
  return {
    exec: journey,
    timeUnit: '1m',
    // For iterations under way when arrivals end.
    gracefulStop: `${longestSeconds + 5}s`,
    preAllocatedVUs: vus,
    maxVUs: vus,
    env: { CALLER: caller },
    ...(startSeconds === undefined ? {} : { startTime: `${Math.round(startSeconds)}s` }),
  };
}

function perMinute(perSecond: number): number {
  return Math.max(1, Math.round(perSecond * 60));
}

/** What no profile goes without: every promised arrival, and every answer as it should be. */
export function withCommonThresholds({ scenarios, thresholds }: Load): Load {
  return {
    scenarios,
    thresholds: {
      dropped_iterations: ['count==0'],
      checks: ['rate==1'],
      http_req_failed: ['rate==0'],
      ...thresholds,
    },
  };
}

/** By scenario, p95 and p99 in milliseconds. */
export function latencyThresholds(
  bounds: Readonly<Record<string, readonly [p95Ms: number, p99Ms: number]>>,
  metric = 'http_req_duration',
): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(bounds).map(([scenario, [p95Ms, p99Ms]]) => [
      `${metric}{scenario:${scenario}}`,
      [`p(95)<${p95Ms}`, `p(99)<${p99Ms}`],
    ]),
  );
}
