/** What the figures of a plan do not say: what is found when the job runs, and what would make it fail. */
import { formatTime } from '../format/typed-time.ts';
import { type Cut, type SplitRequest, secondsOf } from './cut.ts';
import { MAX_SEGMENTS, type Plan } from './plan.ts';

export function describePlan({ cut }: SplitRequest, seconds: number, plan: Plan | undefined): string {
  const late = latePlace(cut, seconds);
  if (late !== undefined) {
    return `The recording ends at ${formatTime(Math.floor(seconds))}: with ${formatTime(late)} as a start the job would fail.`;
  }
  if (plan === undefined) return describeUnknown(cut);
  if (plan.count > MAX_SEGMENTS) {
    return `More than ${MAX_SEGMENTS.toLocaleString('en')} segments of one file are refused: choose longer ones.`;
  }
  if (cut.snapToSilence !== undefined && plan.count > 1) {
    const { window } = cut.snapToSilence;
    return `When the job runs, each cut moves back by at most ${window} s, to a silence or the quietest spot.`;
  }
  return 'Calculated on this device. Nothing has been uploaded yet.';
}

function describeUnknown(cut: Cut): string {
  const { splitMode, parts, maxFileSize } = cut;
  if (splitMode === 'silence') return 'The silences are found when the job runs, so the cuts come with it.';
  if (splitMode === 'chapters' && cut.chapters === undefined) {
    return 'The chapters are read from the file when the job runs, so the cuts come with it.';
  }
  if (maxFileSize !== undefined) return 'The encoder decides the sizes, so the figures come with the job.';
  if (parts !== undefined) return 'The recording is too short for so many parts: the job would fail.';
  return 'The figures come with the job.';
}

/** A start at or behind the end of the recording. */
function latePlace(cut: Cut, seconds: number): number | undefined {
  const starts = [...(cut.ranges ?? []), ...(cut.trim === undefined ? [] : [cut.trim])];
  return starts.map(({ start = 0 }) => secondsOf(start)).find((start) => start >= seconds);
}
