/** Arrivals in k6's form: executors with a closed model have no shape here. */
import { type CallerName, type Journey, longestSecondsOf } from './journeys.ts';

/** k6's default is two minutes, and a service refuses callers with a longer timeout than its own. */
export const RPC_TIMEOUT_MS = 5_000;

const LEAST_VUS = 4;
const MINUTE_MS = 60_000;

interface Arrivals {
  readonly perSecond: number;
  readonly seconds: number;
}

export type Scenario = ReturnType<typeof constant> | ReturnType<typeof ramping>;

export interface Load {
  readonly scenarios: Readonly<Record<string, Scenario>>;
  /** k6's expressions by metric; `withCommonThresholds` adds those of every profile. */
  readonly thresholds: Readonly<Record<string, readonly string[]>>;
}

/** Rates below one per second are converted to rates per minute, because k6 requires whole numbers. */
export function constant(
  journey: Journey,
  { perSecond, seconds }: Arrivals,
  options: { readonly startSeconds?: number; readonly caller?: CallerName } = {},
) {
  return {
    executor: 'constant-arrival-rate' as const,
    rate: perMinute(perSecond),
    duration: `${Math.round(seconds)}s`,
    ...common(journey, perSecond, options.caller),
    startTime: `${Math.round(options.startSeconds ?? 0)}s`,
  };
}

export function ramping(journey: Journey, fromPerSecond: number, stages: readonly Arrivals[]) {
  const highest = Math.max(fromPerSecond, ...stages.map(({ perSecond }) => perSecond));
  return {
    executor: 'ramping-arrival-rate' as const,
    startRate: perMinute(fromPerSecond),
    stages: stages.map(({ perSecond, seconds }) => ({
      target: perMinute(perSecond),
      duration: `${Math.round(seconds)}s`,
    })),
    ...common(journey, highest),
    startTime: '0s',
  };
}

function common(journey: Journey, perSecond: number, caller: CallerName = 'caller') {
  const longestSeconds = longestSecondsOf(journey);
  const vus = Math.max(LEAST_VUS, Math.ceil(perSecond * longestSeconds));
  return {
    exec: journey,
    timeUnit: '1m',
    // Time for iterations in flight when arrivals end.
    gracefulStop: `${longestSeconds + 5}s`,
    preAllocatedVUs: vus,
    maxVUs: vus,
    // The script reads its caller from this variable.
    env: { CALLER: caller },
  };
}

function perMinute(perSecond: number): number {
  return Math.max(1, Math.round(perSecond * 60));
}

/** The thresholds of every profile: no arrival is dropped, and every response is correct. */
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

/** How long to wait until the clock is at this second of a minute. */
export function untilSecondMs(nowMs: number, second: number): number {
  const sinceMs = (nowMs - second * 1_000) % MINUTE_MS;
  return (MINUTE_MS - sinceMs) % MINUTE_MS;
}
