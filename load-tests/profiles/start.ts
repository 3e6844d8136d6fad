const MINUTE_MS = 60_000;

/** How long to wait until the clock is at this second of a minute. */
export function untilSecondMs(nowMs: number, second: number): number {
  const sinceMs = (nowMs - second * 1_000) % MINUTE_MS;
  return (MINUTE_MS - sinceMs) % MINUTE_MS;
}
