/**
 * Parts of a job: ranges of its segments, each worked on by a splitter of its own. Pure.
 *
 * A divided job stays `processing` until its last part is done, and counts as one job wherever jobs are counted: for the
 * account's cap, its usage, its notifications. Its parts run on slots that are idle otherwise, so they need no cap; but
 * like jobs, only a few of an account's are offered at once (`dispatch.ts`), whoever queues behind them.
 */
import { attemptPrefixOf, type JobOutcome, type Segment } from '../job.ts';
import type { LeaseState } from '../work-item.ts';

/** An account's parts on offer at once, all its jobs together. */
export const MAX_PART_OFFERS_PER_ACCOUNT = 5;
/** No more than segments. */
export const MAX_PARTS = 10_000;

export interface NewPart {
  readonly firstSegment: number;
  readonly segmentCount: number;
  /** Only splitters look into it. */
  readonly specJson: string;
}

/** What completes a divided job besides its segments. */
export type DivisionOutcome = Omit<JobOutcome, 'segments'>;

export interface Division extends DivisionOutcome {
  readonly segmentCount: number;
}

export interface Part extends NewPart, LeaseState {
  readonly jobId: string;
  readonly index: number;
}

/** Why the parts do not make a whole, if so. */
export function faultOfParts(parts: readonly NewPart[]): string | undefined {
  if (parts.length < 1 || parts.length > MAX_PARTS) return `must be 1 to ${MAX_PARTS}`;
  let next = 0;
  for (const { firstSegment, segmentCount } of parts) {
    if (firstSegment !== next || segmentCount < 1) return `must follow one another from segment ${next} on`;
    next += segmentCount;
  }
  return undefined;
}

/** Why the segments are not those of the part, if so. */
export function faultOfSegments(part: NewPart, segments: readonly Segment[]): string | undefined {
  const isWhole =
    segments.length === part.segmentCount &&
    segments.every(({ index }, position) => index === part.firstSegment + position);
  return isWhole
    ? undefined
    : `must be the ${part.segmentCount} segments from ${part.firstSegment} on, in order`;
}

/** Where the attempt that divided the job has stored what its parts read. */
export function sourcePrefixOf(jobId: string, jobFence: number): string {
  return `${attemptPrefixOf(jobId, jobFence)}source/`;
}

/** What one attempt at a part stores. */
export function partPrefixOf(jobId: string, jobFence: number, part: number, fence: number): string {
  return `${attemptPrefixOf(jobId, jobFence)}parts/${part}-${fence}/`;
}
