/** Limits that hold for the segments of every source. */
import { PlanError } from './plan-error.ts';

export const MAX_SEGMENTS = 10_000;

/** A shorter remainder joins the previous segment. */
export const MIN_REMAINDER_SECONDS = 0.1;

/** Times are sums and differences: 100.1 - 100 is a little less than a tenth. */
export const ROUNDING_SECONDS = 1e-6;

export function isTooShort(seconds: number): boolean {
  return seconds < MIN_REMAINDER_SECONDS - ROUNDING_SECONDS;
}

export function refuseTooMany(segmentCount: number): void {
  if (segmentCount > MAX_SEGMENTS) throw tooManySegments();
}

export function tooManySegments(): PlanError {
  return new PlanError(
    'TOO_MANY_SEGMENTS',
    `The source would give more than ${MAX_SEGMENTS} segments: choose longer or larger segments.`,
  );
}
