/**
 * Which failures may pass by themselves, and when to ask again.
 *
 * A request is repeated only where that cannot do a thing twice: the method is idempotent (RFC 9110, section 9.2.2), or
 * it is a POST with an Idempotency-Key, which every POST of this client has. A PATCH is repeated only where it was
 * refused before anything was done.
 */
import type { AudiosplitError } from './error.ts';

export interface RetryPolicy {
  /** Repetitions after the first try. */
  readonly maxRetries: number;
  /** Longest pause before the first repetition where the API names none; doubles with each. */
  readonly baseDelayMs: number;
  /** No pause is longer. An answer that asks for more patience is thrown at once. */
  readonly maxDelayMs: number;
}

/** The API's windows are a minute long. */
const DEFAULT_RETRIES: RetryPolicy = { maxRetries: 4, baseDelayMs: 500, maxDelayMs: 61_000 };

export function withDefaults({
  maxRetries = DEFAULT_RETRIES.maxRetries,
  baseDelayMs = DEFAULT_RETRIES.baseDelayMs,
  maxDelayMs = DEFAULT_RETRIES.maxDelayMs,
}: Partial<RetryPolicy> = {}): RetryPolicy {
  return { maxRetries, baseDelayMs, maxDelayMs };
}

const PASSING_STATUSES = [502, 503, 504];

/** Milliseconds to wait before the next try; undefined where there is to be none. `retries` counts those made. */
export function retryDelayMs(
  error: AudiosplitError,
  method: string,
  retries: number,
  { maxRetries, baseDelayMs, maxDelayMs }: RetryPolicy,
): number | undefined {
  if (retries >= maxRetries || !mayPass(error, method)) return undefined;
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
