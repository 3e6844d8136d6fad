/**
 * Times of a request, as numbers or as `[H:]M:SS[.mmm]` (`PATTERNS.time`). They are stored as seconds, to the
 * millisecond.
 */

/** For a time that the schema has accepted. */
export function toSeconds(time: number | string): number {
  return roundToMs(typeof time === 'number' ? time : parseTime(time));
}

/** Returns 0 instead of -0, which no field means. */
export function roundToMs(seconds: number): number {
  return Math.round(seconds * 1_000) / 1_000 + 0;
}

function parseTime(time: string): number {
  return time.split(':').reduce((seconds, part) => seconds * 60 + Number(part), 0);
}
