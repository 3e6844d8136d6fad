import { setTimeout as sleep } from 'node:timers/promises';
import { ApiFailure, ConnectionFailure } from './failures.ts';

export interface RetryPolicy {
  /** Whether a repeat is harmless when nobody knows what became of the first try. */
  readonly isRepeatable: boolean;
  readonly signal: AbortSignal;
  readonly onWait: (reason: string) => void;
}

/** With the pauses below, some 30 s: a restart of the server is sat out, an outage is not. */
const MAX_REPEATS = 6;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;
const FALLBACK_RETRY_AFTER_SECONDS = 5;

/** Runs `attempt` until it succeeds or fails for good; the reasons that may pass are waited out. */
export async function withRetries<T>(policy: RetryPolicy, attempt: () => Promise<T>): Promise<T> {
  for (let repeats = 0; ; ) {
    try {
      return await attempt();
    } catch (error) {
      const pauseMs = pauseBeforeRepeat(error, policy.isRepeatable, repeats);
      if (pauseMs === undefined) throw error;
      // A full rate limit is no failure, however often it is met.
      if (!isTooManyRequests(error)) repeats += 1;
      policy.onWait(waitReason(error, pauseMs));
      await sleep(pauseMs, undefined, { signal: policy.signal });
    }
  }
}

/** Milliseconds to wait before trying again; undefined where that makes no sense. */
export function pauseBeforeRepeat(
  error: unknown,
  isRepeatable: boolean,
  repeats: number,
): number | undefined {
  const backoffMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** repeats);
  if (error instanceof ApiFailure) {
    const { status, retryAfterSeconds } = error;
    if (isTooManyRequests(error)) return (retryAfterSeconds ?? FALLBACK_RETRY_AFTER_SECONDS) * 1000;
    const isPassing = status === 502 || status === 503 || status === 504;
    if (!isPassing || !isRepeatable || repeats >= MAX_REPEATS) return undefined;
    return retryAfterSeconds === undefined ? backoffMs : retryAfterSeconds * 1000;
  }
  const isPassing = error instanceof ConnectionFailure;
  return isPassing && isRepeatable && repeats < MAX_REPEATS ? backoffMs : undefined;
}

function isTooManyRequests(error: unknown): boolean {
  return error instanceof ApiFailure && error.status === 429;
}

function waitReason(error: unknown, pauseMs: number): string {
  const seconds = Math.ceil(pauseMs / 1000);
  if (error instanceof ApiFailure) return `${error.code}, trying again in ${seconds} s`;
  return `no connection, trying again in ${seconds} s`;
}
