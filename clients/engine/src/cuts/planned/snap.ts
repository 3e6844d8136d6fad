import type { SegmentEnd, SnapToSilence } from '@audiosplit/cuts/cut-request';

/** Where a cut is moved, and why; `sound/snap.ts` describes how the place is chosen. */
export interface SnappedCut {
  readonly seconds: number;
  readonly endKind: Extract<SegmentEnd, 'exact' | 'silence' | 'quietest'>;
}

export interface CutWindow {
  readonly targetSeconds: number;
  /** The cut is not moved further back than this. */
  readonly earliestSeconds: number;
}

export type Snap = (window: CutWindow) => Promise<SnappedCut>;

/**
 * The window that a request allows: back by at most its length, and never beyond the middle of the segment.
 */
export function windowOf(
  { window }: Pick<SnapToSilence, 'window'>,
  cutBeforeSeconds: number,
  targetSeconds: number,
  earliestSeconds = 0,
): CutWindow {
  const middle = (cutBeforeSeconds + targetSeconds) / 2;
  return { targetSeconds, earliestSeconds: Math.max(targetSeconds - window, middle, earliestSeconds) };
}
