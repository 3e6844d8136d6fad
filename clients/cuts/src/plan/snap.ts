/**
 * Where a cut lies if it may move back into a silence. A plan asks for that place by yielding a window, and
 * its caller looks at the sound there and answers. So a plan itself reads nothing, and is the same
 * function for a source whose sound is known and for one whose sound is not.
 */
import type { SegmentEnd, SilenceThreshold, SnapToSilence } from '../cut-request.ts';

export interface CutWindow {
  readonly targetSeconds: number;
  /** The cut is not moved further back than this. */
  readonly earliestSeconds: number;
  readonly threshold: SilenceThreshold;
  readonly minSilenceSeconds: number;
}

/** Where a cut is moved, and why. */
export interface SnappedCut {
  readonly seconds: number;
  readonly endKind: Extract<SegmentEnd, 'exact' | 'silence' | 'quietest'>;
}

/** A step of a plan, which results in `T`. */
export type Planning<T> = Generator<CutWindow, T, SnappedCut>;

const DEFAULT_MIN_SILENCE_SECONDS = 0.2;

interface CutPlace {
  readonly targetSeconds: number;
  /** The beginning of the segment that the cut ends. */
  readonly cutBeforeSeconds: number;
  readonly earliestSeconds?: number;
}

/**
 * Without `snap` the cut is at its target. Otherwise it moves back by at most the requested window, and never
 * beyond the middle of the segment.
 */
export function* placeCut(
  snap: SnapToSilence | undefined,
  { targetSeconds, cutBeforeSeconds, earliestSeconds = 0 }: CutPlace,
): Planning<SnappedCut> {
  if (snap === undefined) return { seconds: targetSeconds, endKind: 'exact' };
  const { window, threshold = 'auto', minSilence } = snap;
  const middle = (cutBeforeSeconds + targetSeconds) / 2;
  return yield {
    targetSeconds,
    earliestSeconds: Math.max(targetSeconds - window, middle, earliestSeconds),
    threshold,
    minSilenceSeconds: minSilence ?? Math.min(DEFAULT_MIN_SILENCE_SECONDS, window),
  };
}
