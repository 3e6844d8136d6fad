/** When a delivery is tried again. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Pauses between attempts: short ones for brief failures, then longer ones, so that a receiver may be
 * unavailable for a whole day. Eight attempts over 27.5 h.
 */
const PAUSES_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  10 * HOUR_MS,
] as const;

/** A receiver may request a longer pause than the schedule's, up to this. */
const MAX_RETRY_AFTER_MS = 24 * HOUR_MS;

/**
 * Pauses are lengthened by up to this share, so that deliveries that failed together are not retried
 * together.
 */
const JITTER_SHARE = 0.1;

/**
 * Milliseconds until the next attempt; undefined after the last.
 * @param tries Attempts made so far, at least 1.
 * @param retryAfterMs The pause that the receiver requested: the pause is never shorter, up to 24 h.
 * @param random From 0 to below 1.
 */
export function retryPauseMs(
  tries: number,
  retryAfterMs: number | undefined,
  random: () => number,
): number | undefined {
  const pauseMs = PAUSES_MS[tries - 1];
  if (pauseMs === undefined) return undefined;
  const askedForMs = Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
  return Math.round(Math.max(pauseMs, askedForMs) * (1 + JITTER_SHARE * random()));
}

/** A Retry-After header (RFC 9110, section 10.2.3: seconds, or a date) as milliseconds from `now`. */
export function parseRetryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * SECOND_MS;
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - now.getTime());
}
