/**
 * The rate limiter port: fixed windows of one minute on one shared clock.
 *
 * A window is the UTC minute. `take` counts one call against `bucket`; exactly `limit` calls pass per
 * window and bucket, however many gateways ask at once. Adapters: `redis.ts` (one script with the server's
 * clock, shared by all gateways) and `memory.ts` (one process); `rate-limiter.contract.ts` holds both to it.
 */
export interface RateLimiter extends AsyncDisposable {
  take(bucket: string, limit: number): Promise<RateLimitVerdict>;
  /** Resolves while calls can be counted, be it for this process alone. For readiness. */
  check(): Promise<void>;
}

export interface RateLimitVerdict {
  readonly allowed: boolean;
  readonly limit: number;
  /** Calls left in the window, never below 0. */
  readonly remaining: number;
  /** Unix time in seconds at which the window ends. */
  readonly resetAtSeconds: number;
  /** Whole seconds until then, at least 1, on the clock that counts. */
  readonly retryAfterSeconds: number;
}

export const WINDOW_SECONDS = 60;

/** What the `count`th call of a window is told. */
export function verdictOn(
  count: number,
  limit: number,
  resetAtSeconds: number,
  untilResetMs: number,
): RateLimitVerdict {
  return {
    allowed: count <= limit,
    limit,
    remaining: Math.max(0, limit - count),
    resetAtSeconds,
    retryAfterSeconds: Math.max(1, Math.ceil(untilResetMs / 1_000)),
  };
}
