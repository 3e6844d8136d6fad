/**
 * Cuts by duration. Border k is round(k * T * rate), so borders do not drift and an exact multiple gives
 * exactly that many segments. A remainder under 0.1 s joins the previous segment.
 */
import { MAX_SEGMENTS } from './cut.ts';
import { type Borders, type CutRule, maxTagBytesByLength, minRemainderSamples } from './cut-rule.ts';

export function cutByDuration(segmentDurationSeconds: number): CutRule {
  if (!(segmentDurationSeconds > 0)) throw new RangeError('segments without a length');
  return {
    isTimed: true,
    endSample: (sampleRateHz, index) => Math.round((index + 1) * segmentDurationSeconds * sampleRateHz),
    minRemainderSamples,
    maxSegmentSeconds: segmentDurationSeconds,
    maxSegmentBytes: Number.POSITIVE_INFINITY,
    maxTagBytes: maxTagBytesByLength(segmentDurationSeconds),
    borders: (sampleRateHz) => durationBorders(segmentDurationSeconds, sampleRateHz),
  };
}

export function durationBorders(segmentDurationSeconds: number, sampleRateHz: number): Borders {
  const segmentSamples = segmentDurationSeconds * sampleRateHz;
  const minRemainder = minRemainderSamples(sampleRateHz);

  /** The first border at or after `sample`. */
  function borderFrom(sample: number): number {
    const border = (k: number): number => Math.round(k * segmentSamples);
    let k = Math.floor(sample / segmentSamples);
    while (border(k) < sample) k += 1;
    return border(k);
  }

  return {
    sampleRateHz,
    maxSourceSamples: MAX_SEGMENTS * segmentSamples,
    longestSegmentSamples: Math.round(segmentSamples) + minRemainder,
    boundsFrom(startSample) {
      const nominalEnd = borderFrom(startSample + minRemainder);
      return {
        surelyUpTo: nominalEnd,
        settledAt: nominalEnd + minRemainder,
        nominalEnd,
        latestEnd: nominalEnd + minRemainder - 1,
        endWithin: (total) => (total < nominalEnd + minRemainder ? total : nominalEnd),
      };
    },
  };
}
