/**
 * Usage: the totals of finished jobs. Durations are exact milliseconds of source; only their sum is rounded.
 */

export interface UsageTotals {
  /** Of completed jobs. */
  readonly sourceDurationMs: number;
  readonly jobsCompleted: number;
  /** Includes canceled ones. */
  readonly jobsFailed: number;
  /** Part of the failed ones. */
  readonly jobsCanceled: number;
}

/** Usage of one day in UTC. */
export interface DayUsage extends UsageTotals {
  /** The midnight at which it begins. */
  readonly day: Date;
}

const MINUTE_MS = 60_000;

/** Rounds the period's sum up to whole minutes, not each job. */
export function billedMinutes(sourceDurationMs: number): number {
  return Math.ceil(sourceDurationMs / MINUTE_MS);
}

export function remainingMs(coveredMinutes: number, usedMs: number): number {
  return Math.max(0, coveredMinutes * MINUTE_MS - usedMs);
}
