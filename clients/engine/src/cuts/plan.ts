/**
 * The segments of a source, in whole samples. Pure arithmetic: the same for every route and every format, and
 * whether the end of the source is already known or not.
 *
 * Borders look ahead by 0.1 s and no further: a segment's end is fixed as soon as that much is known to
 * follow it, or the source has ended.
 */
import { tooManySegments } from '@audiosplit/cuts/plan/segment-limits';
import { toMediaError } from '../media-error.ts';
import { MAX_SEGMENTS } from './cut.ts';
import type { Borders } from './cut-rule.ts';

export interface PlannedSegment {
  readonly index: number;
  readonly startSample: number;
  readonly sampleCount: number;
}

/** All segments of a source of known length. Throws TOO_MANY_SEGMENTS above 10,000. */
export function planSegments(
  borders: Borders,
  totalSamples: number,
  start = { index: 0, startSample: 0 },
): readonly PlannedSegment[] {
  const segments: PlannedSegment[] = [];
  let { index, startSample } = start;
  while (startSample < totalSamples) {
    refuseTooMany(index + 1);
    const end = borders.boundsFrom(startSample).endWithin(totalSamples);
    segments.push({ index, startSample, sampleCount: end - startSample });
    startSample = end;
    index += 1;
  }
  return segments;
}

export function refuseTooMany(segmentCount: number): void {
  if (segmentCount > MAX_SEGMENTS) throw toMediaError(tooManySegments());
}
