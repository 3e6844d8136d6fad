/**
 * How far a segment may reach under the caps of a request: `maxDuration`, and `maxFileSize` as far as sizes are known
 * beforehand. Caps hold for a file, overlap included.
 */
import { segmentLimitUnreachable } from '../../media-error.ts';
import { MIN_REMAINDER_SECONDS } from '../cut.ts';
import { refuseTooMany } from '../plan.ts';
import type { Span } from './piece.ts';

/** Sizes of files that do not exist yet, never falling with the length of a stretch. */
export interface SizeModel {
  /** How far a file that begins at `startSeconds` reaches with at most `byteCount`. */
  readonly latestEnd: (startSeconds: number, byteCount: number) => number;
  /** Where a file that ends at `endSeconds` begins at the earliest. */
  readonly earliestStart: (endSeconds: number, byteCount: number) => number;
}

export interface CapOptions {
  readonly maxSegmentSeconds?: number | undefined;
  readonly maxSegmentBytes?: number | undefined;
  /** There where `maxSegmentBytes` is. */
  readonly sizes?: SizeModel | undefined;
  /** By how much the file of every segment but the first begins before its cut. */
  readonly overlapSeconds?: number | undefined;
  /** Where the first segment begins. */
  readonly firstCutSeconds: number;
}

export interface Caps {
  readonly exist: boolean;
  /** The latest end of the segment with which the sound from `cutSeconds` on begins; Infinity without caps. */
  readonly latestEnd: (cutSeconds: number) => number;
  /** How many segments the span needs at least. */
  readonly fewest: (span: Span) => number;
  /** The earliest cut from which one segment, which is not the first, reaches `endSeconds`. */
  readonly earliestCut: (endSeconds: number) => number;
}

/** Segments are compared in seconds that were added up. */
const ROUNDING_SECONDS = 1e-6;

export function createCaps(options: CapOptions): Caps {
  const { maxSegmentSeconds, maxSegmentBytes, sizes, overlapSeconds = 0, firstCutSeconds } = options;
  const exist = maxSegmentSeconds !== undefined || maxSegmentBytes !== undefined;

  function latestEnd(cutSeconds: number): number {
    if (!exist) return Number.POSITIVE_INFINITY;
    const isFirst = cutSeconds <= firstCutSeconds + ROUNDING_SECONDS;
    const fileStart = isFirst ? cutSeconds : Math.max(firstCutSeconds, cutSeconds - overlapSeconds);
    const byLength =
      maxSegmentSeconds === undefined ? Number.POSITIVE_INFINITY : fileStart + maxSegmentSeconds;
    const bySize =
      maxSegmentBytes === undefined || sizes === undefined
        ? Number.POSITIVE_INFINITY
        : sizes.latestEnd(fileStart, maxSegmentBytes);
    const end = Math.min(byLength, bySize);
    if (end < cutSeconds + MIN_REMAINDER_SECONDS)
      throw segmentLimitUnreachable('a tenth of a second of this source');
    return end;
  }

  function fewest({ startSeconds, endSeconds }: Span): number {
    let count = 1;
    for (let end = latestEnd(startSeconds); end < endSeconds - ROUNDING_SECONDS; end = latestEnd(end)) {
      count += 1;
      refuseTooMany(count);
    }
    return count;
  }

  return {
    exist,
    latestEnd,
    fewest,
    earliestCut(endSeconds) {
      const byLength =
        maxSegmentSeconds === undefined ? Number.NEGATIVE_INFINITY : endSeconds - maxSegmentSeconds;
      const bySize =
        maxSegmentBytes === undefined || sizes === undefined
          ? Number.NEGATIVE_INFINITY
          : sizes.earliestStart(endSeconds, maxSegmentBytes);
      return Math.max(byLength, bySize) + overlapSeconds;
    },
  };
}
