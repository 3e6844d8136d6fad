/** What the figures of a plan do not say: what is found when the job runs, and what would make it fail. */
import type { PlanError } from '@audiosplit/cuts/plan/plan-error';
import { MAX_SEGMENTS } from '@audiosplit/cuts/plan/segment-limits';
import { formatTime } from '../format/typed-time.ts';
import { type Cut, type SplitRequest, secondsOf } from './cut.ts';
import type { Preview } from './plan.ts';

export function describePlan({ cut }: SplitRequest, seconds: number, { plan, failure }: Preview): string {
  const late = latePlace(cut, seconds);
  if (late !== undefined) {
    return `The recording ends at ${formatTime(Math.floor(seconds))}: with ${formatTime(late)} as a start the job would fail.`;
  }
  if (failure !== undefined) return describeFailure(failure, cut);
  if (plan === undefined) return describeUnknown(cut);
  if (cut.snapToSilence !== undefined && plan.count > 1) {
    const { window } = cut.snapToSilence;
    return `When the job runs, each cut moves back by at most ${window} s, to a silence or the quietest spot.`;
  }
  return 'Calculated on this device. Nothing has been uploaded yet.';
}

function describeFailure({ failure, message }: PlanError, { maxFileSize, snapToSilence }: Cut): string {
  if (failure === 'TOO_MANY_SEGMENTS') {
    return `More than ${MAX_SEGMENTS.toLocaleString('en')} segments of one file are refused: choose longer ones.`;
  }
  const isOfEstimates = maxFileSize !== undefined || snapToSilence !== undefined;
  return failure === 'NO_CHAPTERS'
    ? 'No chapter begins in what is to be split: the job would fail.'
    : `The job would ${isOfEstimates ? 'probably ' : ''}fail. ${message}`;
}

function describeUnknown(cut: Cut): string {
  const { splitMode, maxFileSize } = cut;
  if (splitMode === 'silence') return 'The silences are found when the job runs, so the cuts come with it.';
  if (splitMode === 'chapters' && cut.chapters === undefined) {
    return 'The chapters are read from the file when the job runs, so the cuts come with it.';
  }
  if (maxFileSize !== undefined) return 'The encoder decides the sizes, so the figures come with the job.';
  return 'The figures come with the job.';
}

/** A start at or behind the end of the recording. */
function latePlace(cut: Cut, seconds: number): number | undefined {
  const starts = [...(cut.ranges ?? []), ...(cut.trim === undefined ? [] : [cut.trim])];
  return starts.map(({ start = 0 }) => secondsOf(start)).find((start) => start >= seconds);
}
