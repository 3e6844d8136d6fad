/**
 * The rate limiter port: fixed windows of one UTC minute on one shared clock.
 *
 * `take` counts one call against `bucket`. Exactly `limit` calls pass per window and bucket, over all gateways.
 * Adapters: `redis.ts` (one script with the server's clock, shared by all gateways) and `memory.ts` (one process).
 * `rate-limiter.contract.ts` tests both.
 */
export interface RateLimiter extends AsyncDisposable {
  take(bucket: string, limit: number): Promise<RateLimitVerdict>;
  /** The verdict on a call made now, without counting it: `remaining` includes that call. */
  look(bucket: string, limit: number): Promise<RateLimitVerdict>;
  /** Stores a name for `seconds` for all gateways, if possible. Never rejects. */
  remember(name: string, seconds: number): Promise<void>;
  /** Whether a gateway has stored the name; false if that is unknown. Never rejects. */
  remembers(name: string): Promise<boolean>;
  /** Resolves while calls can be counted, even if only in this process. For readiness. */
  check(): Promise<void>;
}

export interface RateLimitVerdict {
  readonly allowed: boolean;
  readonly limit: number;
  /**
   * Calls counted in the window, or any number from the limit on; while the gateways count alone, those of this
   * gateway.
   */
  readonly count: number;
  /** Calls left in the window, never below 0. */
  readonly remaining: number;
  /** Unix time in seconds at which the window ends. */
  readonly resetAtSeconds: number;
  /** Whole seconds until then, at least 1, on the clock that counts. */
  readonly retryAfterSeconds: number;
}

export const WINDOW_SECONDS = 60;

/** The verdict on the next call of a window with `count` calls. */
export function verdictAfter(
  count: number,
  limit: number,
  resetAtSeconds: number,
  untilResetMs: number,
): RateLimitVerdict {
  return { ...verdictOn(count, limit, resetAtSeconds, untilResetMs), allowed: count < limit };
}

/** The verdict on the `count`th call of a window. */
export function verdictOn(
  count: number,
  limit: number,
  resetAtSeconds: number,
  untilResetMs: number,
): RateLimitVerdict {
  return {
    allowed: count <= limit,
    limit,
    count,
    remaining: Math.max(0, limit - count),
    resetAtSeconds,
    retryAfterSeconds: Math.max(1, Math.ceil(untilResetMs / 1_000)),
  };
}
