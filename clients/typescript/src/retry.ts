/**
 * Which failures may pass by themselves, and when to ask again.
 *
 * A request is repeated only where that cannot do a thing twice: the method is idempotent (RFC 9110, section 9.2.2), or
 * it is a POST with an Idempotency-Key, which every POST of this client has. A PATCH is repeated only where it was
 * refused before anything was done.
 */
import { delay } from './delay.ts';
import { AudiosplitError } from './error.ts';

export interface RetryPolicy {
  /** Repetitions after the first try. */
  readonly maxRetries: number;
  /** Repetitions after 429, counted apart from the others; by default as many as `maxRetries`. */
  readonly maxRateLimitRetries: number;
  /** Longest pause before the first repetition where the API names none; doubles with each. */
  readonly baseDelayMs: number;
  /** The longest pause. A response that requires a longer one is thrown at once. */
  readonly maxDelayMs: number;
}

/** The API's windows are a minute long. */
const DEFAULT_RETRIES = { maxRetries: 4, baseDelayMs: 500, maxDelayMs: 61_000 };

export function withDefaults({
  maxRetries = DEFAULT_RETRIES.maxRetries,
  maxRateLimitRetries = maxRetries,
  baseDelayMs = DEFAULT_RETRIES.baseDelayMs,
  maxDelayMs = DEFAULT_RETRIES.maxDelayMs,
}: Partial<RetryPolicy> = {}): RetryPolicy {
  return { maxRetries, maxRateLimitRetries, baseDelayMs, maxDelayMs };
}

/** A request that is about to be repeated. */
export interface Retry {
  readonly error: AudiosplitError;
  readonly delayMs: number;
}

interface RetryOptions {
  readonly method: string;
  readonly policy: RetryPolicy;
  readonly signal?: AbortSignal | undefined;
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

export interface Retries {
  /** Resolves when the next try may begin. Rejects with the error that is final, or with the signal's reason. */
  after(error: unknown): Promise<void>;
  /** Restarts the count. */
  reset(): void;
}

export function createRetries({ method, policy, signal, onRetry }: RetryOptions): Retries {
  let [retries, rateLimitRetries] = [0, 0];
  return {
    async after(error) {
      if (!(error instanceof AudiosplitError)) throw error;
      const isRateLimit = error.status === 429;
      const [made, most] = isRateLimit
        ? [rateLimitRetries, policy.maxRateLimitRetries]
        : [retries, policy.maxRetries];
      const delayMs = made < most ? retryDelayMs(error, method, made, policy) : undefined;
      if (delayMs === undefined) throw error;
      if (isRateLimit) rateLimitRetries += 1;
      else retries += 1;
      onRetry?.({ error, delayMs });
      await delay(delayMs, signal);
    },
    reset() {
      [retries, rateLimitRetries] = [0, 0];
    },
  };
}

const PASSING_STATUSES = [502, 503, 504];

/** Milliseconds to wait before the next try; undefined where there is to be none. `retries` counts those made. */
function retryDelayMs(
  error: AudiosplitError,
  method: string,
  retries: number,
  { baseDelayMs, maxDelayMs }: RetryPolicy,
): number | undefined {
  if (!mayPass(error, method)) return undefined;
  if (error.retryAfter !== undefined) {
    const delayMs = error.retryAfter * 1000;
    return delayMs > maxDelayMs ? undefined : delayMs;
  }
  // Spread over the whole span, so that many clients that failed together do not come back together.
  return Math.random() * Math.min(maxDelayMs, baseDelayMs * 2 ** retries);
}

function mayPass({ status, code }: AudiosplitError, method: string): boolean {
  if (status === 429) return true;
  // The first try is still at work, and its answer was lost.
  if (code === 'IDEMPOTENCY_IN_PROGRESS') return true;
  return (code === 'CONNECTION_FAILED' || PASSING_STATUSES.includes(status)) && method !== 'PATCH';
}
