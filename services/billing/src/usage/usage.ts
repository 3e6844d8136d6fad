/** What finished jobs add up to. Durations are exact milliseconds of source; only their sum is rounded. */

export interface UsageTotals {
  /** Of completed jobs. */
  readonly sourceDurationMs: number;
  readonly jobsCompleted: number;
  readonly jobsFailed: number;
}

/** What was counted on a day of UTC. */
export interface DayUsage extends UsageTotals {
  /** Midnight, at which it begins. */
  readonly day: Date;
}

const MINUTE_MS = 60_000;

/** Begun minutes of the whole period count, not those of each job. */
export function billedMinutes(sourceDurationMs: number): number {
  return Math.ceil(sourceDurationMs / MINUTE_MS);
}

export function remainingMs(coveredMinutes: number, usedMs: number): number {
  return Math.max(0, coveredMinutes * MINUTE_MS - usedMs);
}
