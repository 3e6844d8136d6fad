/**
 * Where the cuts lie, in whole samples. Pure arithmetic: the same for every route and every format, and the same
 * whether the end of the source is known or still to come.
 *
 * In duration mode boundary k is round(k * T * rate), so boundaries never drift and an exact multiple gives
 * exactly that many segments; a remainder under 0.1 s joins the segment before it. Under a byte ceiling a
 * joined remainder would break the ceiling, so there the last but one gives up samples to the last instead.
 *
 * Both rules look ahead by 0.1 s and no further: a segment's end is settled as soon as that much is known to
 * follow it, or that the source has ended.
 */

import { MediaError } from '../media-error.ts';
import { MAX_SEGMENTS, MIN_REMAINDER_SECONDS } from './cut.ts';

export interface PlannedSegment {
  readonly index: number;
  readonly startSample: number;
  readonly sampleCount: number;
}

export type CutRule =
  | {
      readonly kind: 'duration';
      readonly segmentDurationSeconds: number;
      readonly sampleRateHz: number;
    }
  | { readonly kind: 'samples'; readonly maxSamples: number; readonly sampleRateHz: number };

/** What is certain of a segment when only its start is known. Positions in samples from the source's first. */
export interface SegmentBounds {
  /** Everything up to here is the segment's, as far as the source reaches. */
  readonly surelyUpTo: number;
  /** Once the source is known to reach this far, the segment ends at `nominalEnd`. */
  readonly settledAt: number;
  readonly nominalEnd: number;
  /** It never reaches further. */
  readonly latestEnd: number;
  /** Where it ends if the source ends at `totalSamples`, which lie behind the segment's start. */
  readonly endWithin: (totalSamples: number) => number;
}

/** The segment that begins at `startSample`, which need not be on a boundary. */
export function boundsFrom(rule: CutRule, startSample: number): SegmentBounds {
  const sliver = minRemainderSamples(rule.sampleRateHz);
  if (rule.kind === 'duration') {
    const nominalEnd = boundaryBehind(rule, startSample + sliver);
    return {
      surelyUpTo: nominalEnd,
      settledAt: nominalEnd + sliver,
      nominalEnd,
      latestEnd: nominalEnd + sliver - 1,
      endWithin: (total) => (total < nominalEnd + sliver ? total : nominalEnd),
    };
  }
  const nominalEnd = startSample + rule.maxSamples;
  const canGiveUp = rule.maxSamples > 2 * sliver;
  return {
    surelyUpTo: canGiveUp ? nominalEnd - sliver : nominalEnd,
    settledAt: canGiveUp ? nominalEnd + sliver : nominalEnd,
    nominalEnd,
    latestEnd: nominalEnd,
    endWithin: (total) => {
      if (total <= nominalEnd) return total;
      return canGiveUp && total < nominalEnd + sliver ? total - sliver : nominalEnd;
    },
  };
}

/** All segments of a source whose length is known. Throws TOO_MANY_SEGMENTS above 10,000. */
export function planSegments(
  rule: CutRule,
  totalSamples: number,
  start = { index: 0, startSample: 0 },
): readonly PlannedSegment[] {
  const segments: PlannedSegment[] = [];
  let { index, startSample } = start;
  while (startSample < totalSamples) {
    refuseTooMany(index + 1);
    const end = boundsFrom(rule, startSample).endWithin(totalSamples);
    segments.push({ index, startSample, sampleCount: end - startSample });
    startSample = end;
    index += 1;
  }
  return segments;
}

/** The longest source, in samples, that gives no more than 10,000 segments. */
export function mostPlannableSamples(rule: CutRule): number {
  const segmentSamples =
    rule.kind === 'duration' ? rule.segmentDurationSeconds * rule.sampleRateHz : rule.maxSamples;
  return MAX_SEGMENTS * segmentSamples;
}

export function refuseTooMany(segmentCount: number): void {
  if (segmentCount <= MAX_SEGMENTS) return;
  throw new MediaError(
    'TOO_MANY_SEGMENTS',
    `The source would give more than ${MAX_SEGMENTS} segments: choose longer or larger segments.`,
  );
}

export function minRemainderSamples(sampleRateHz: number): number {
  return Math.ceil(MIN_REMAINDER_SECONDS * sampleRateHz);
}

/** The first boundary that is not before `sample`. */
function boundaryBehind(rule: Extract<CutRule, { kind: 'duration' }>, sample: number): number {
  const segmentSamples = rule.segmentDurationSeconds * rule.sampleRateHz;
  const boundary = (k: number): number => Math.round(k * segmentSamples);
  let k = Math.floor(sample / segmentSamples);
  while (boundary(k) < sample) k += 1;
  return boundary(k);
}
