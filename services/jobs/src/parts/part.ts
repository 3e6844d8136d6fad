/**
 * Parts of a job: ranges of its segments that several splitters work on at the same time. Pure.
 *
 * A divided job stays `processing` until its last part is done. It counts as one job for the account's cap, usage and
 * notifications. Its parts run on slots that are idle otherwise, so they need no cap; but as with jobs, only a few of an
 * account's parts are offered at once (`dispatch.ts`).
 */
import { attemptPrefixOf, faultOfKeys, type JobOutcome, type Segment } from '../job.ts';
import type { LeaseState } from '../work-item.ts';

/** For all jobs of an account together. */
export const MAX_PART_OFFERS_PER_ACCOUNT = 5;
/** There are never more parts than segments. */
export const MAX_PARTS = 10_000;

export interface NewPart {
  readonly firstSegment: number;
  readonly segmentCount: number;
  /** Only splitters interpret it. */
  readonly specJson: string;
}

/** The data, besides its segments, that completes a divided job. */
export type DivisionOutcome = Omit<JobOutcome, 'segments'>;

export interface Division extends DivisionOutcome {
  readonly segmentCount: number;
}

export interface Part extends NewPart, LeaseState {
  readonly jobId: string;
  readonly index: number;
}

/** The reason why the parts are invalid; undefined if they follow one another without a gap. */
export function faultOfParts(parts: readonly NewPart[]): string | undefined {
  if (parts.length < 1 || parts.length > MAX_PARTS) return `must be 1 to ${MAX_PARTS}`;
  let next = 0;
  for (const { firstSegment, segmentCount } of parts) {
    if (firstSegment !== next || segmentCount < 1) return `must follow one another from segment ${next} on`;
    next += segmentCount;
  }
  return undefined;
}

/** Undefined if the segments belong to the part and were stored by its attempt. */
export function faultOfSegments(
  part: Part,
  jobFence: number,
  segments: readonly Segment[],
): string | undefined {
  const isWhole =
    segments.length === part.segmentCount &&
    segments.every(({ index }, position) => index === part.firstSegment + position);
  return isWhole
    ? faultOfKeys(partPrefixOf(part.jobId, jobFence, part.index, part.fence), segments)
    : `must be the ${part.segmentCount} segments from ${part.firstSegment} on, in order`;
}

/** The prefix where the attempt that divided the job has stored its parts' input. */
export function sourcePrefixOf(jobId: string, jobFence: number): string {
  return `${attemptPrefixOf(jobId, jobFence)}source/`;
}

/** The prefix of one attempt at a part. */
export function partPrefixOf(jobId: string, jobFence: number, part: number, fence: number): string {
  return `${attemptPrefixOf(jobId, jobFence)}parts/${part}-${fence}/`;
}
