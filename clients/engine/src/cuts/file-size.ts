/**
 * Cuts by file size: a segment ends when its file is full. If the size of a file follows from its samples
 * (wav, mp3 at a constant bitrate), borders are known before anything is encoded. A remainder under 0.1 s
 * cannot join the previous segment without exceeding the limit, so the last segment but one passes samples on
 * to the last.
 */
import { MAX_SEGMENTS } from './cut.ts';
import { type Borders, type CutRule, maxTagBytesBySize, minRemainderSamples } from './cut-rule.ts';

export function cutByFileSize(maxFileSizeBytes: number): CutRule {
  return {
    isTimed: false,
    endSample: () => Number.POSITIVE_INFINITY,
    minRemainderSamples,
    maxSegmentSeconds: Number.POSITIVE_INFINITY,
    maxSegmentBytes: maxFileSizeBytes,
    maxTagBytes: maxTagBytesBySize(maxFileSizeBytes),
    borders(sampleRateHz, samplesWithin) {
      const maxSamples = samplesWithin(maxFileSizeBytes);
      return maxSamples === undefined ? undefined : sampleCountBorders(maxSamples, sampleRateHz);
    },
  };
}

/** Segments of `maxSamples`, at least 1. */
export function sampleCountBorders(maxSamples: number, sampleRateHz: number): Borders {
  const minRemainder = minRemainderSamples(sampleRateHz);
  const canGiveUp = maxSamples > 2 * minRemainder;
  return {
    sampleRateHz,
    maxSourceSamples: MAX_SEGMENTS * maxSamples,
    longestSegmentSamples: maxSamples + (canGiveUp ? minRemainder : 0),
    boundsFrom(startSample) {
      const nominalEnd = startSample + maxSamples;
      return {
        surelyUpTo: canGiveUp ? nominalEnd - minRemainder : nominalEnd,
        settledAt: canGiveUp ? nominalEnd + minRemainder : nominalEnd,
        nominalEnd,
        latestEnd: nominalEnd,
        endWithin: (total) => {
          if (total <= nominalEnd) return total;
          return canGiveUp && total < nominalEnd + minRemainder ? total - minRemainder : nominalEnd;
        },
      };
    },
  };
}
