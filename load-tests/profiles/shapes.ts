/** Arrivals as k6 takes them. */
import type { CallerName, ConstantArrivals, Journey, Load, RampingArrivals } from './profile.ts';

/**
 * How long a journey polls for its job. Jobs that take longer fail a check and are in no percentile, so a bound of
 * `job_seconds` can only be crossed below this.
 */
export const JOB_GIVE_UP_SECONDS = 60;
/** k6 alone would allow two minutes, and a service refuses callers that wait longer than it works. */
export const RPC_TIMEOUT_MS = 5_000;

/** How long an iteration may take before its VU is missed, by journey: its threshold and some more. */
const LONGEST_ITERATION_SECONDS: Readonly<Record<Journey, number>> = {
  createAndPoll: JOB_GIVE_UP_SECONDS + 5,
  uploadSplitDownload: JOB_GIVE_UP_SECONDS + 5,
  listJobs: 2,
  readJob: 2,
  readJobInPhase: 2,
  hammer: 3,
  hammerStubServer: 1,
  rpcCreateJob: 1,
  rpcListJobs: 1,
  rpcReadJob: 1,
  rpcVerifyKey: 1,
  rpcReadQuota: 1,
  rpcReadUsage: 1,
  rpcReadAccount: 1,
  rpcReadWebhooks: 1,
  rpcInspectSource: 2,
};
const LEAST_VUS = 4;
const MINUTE_MS = 60_000;

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
    // For iterations in flight when arrivals end.
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

/** In milliseconds. */
export interface LatencyBounds {
  readonly p95: number;
  readonly p99: number;
}

/** An entry of `thresholds`. */
export function latencyThreshold(
  metric: 'http_req_duration' | 'grpc_req_duration',
  scenario: string,
  { p95, p99 }: LatencyBounds,
): readonly [string, readonly string[]] {
  return [`${metric}{scenario:${scenario}}`, [`p(95)<${p95}`, `p(99)<${p99}`]];
}

/** How long to wait until the clock is at this second of a minute. */
export function untilSecondMs(nowMs: number, second: number): number {
  const sinceMs = (nowMs - second * 1_000) % MINUTE_MS;
  return (MINUTE_MS - sinceMs) % MINUTE_MS;
}
