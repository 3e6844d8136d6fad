/**
 * How far a segment may extend under the caps of a request: `maxDuration`, and `maxFileSize` if sizes are
 * known beforehand. Caps apply to a file, overlap included.
 */
import type { Span } from './piece.ts';
import { segmentLimitUnreachable } from './plan-error.ts';
import { MIN_REMAINDER_SECONDS, ROUNDING_SECONDS, refuseTooMany } from './segment-limits.ts';

/** Sizes of files that do not exist yet. A longer stretch never has a smaller size. */
export interface SizeModel {
  /** The end of a file that begins at `startSeconds` and has at most `byteCount`. */
  readonly latestEnd: (startSeconds: number, byteCount: number) => number;
  /** The earliest start of a file that ends at `endSeconds`. */
  readonly earliestStart: (endSeconds: number, byteCount: number) => number;
}

export interface CapOptions {
  readonly maxSegmentSeconds?: number | undefined;
  readonly maxSegmentBytes?: number | undefined;
  /** Set if `maxSegmentBytes` is. */
  readonly sizes?: SizeModel | undefined;
  /** How long before its cut the file of every segment but the first begins. */
  readonly overlapSeconds?: number | undefined;
  /** Where the first segment begins. */
  readonly firstCutSeconds: number;
}

export interface Caps {
  readonly exist: boolean;
  /** The latest end of the segment whose content begins at `cutSeconds`; Infinity without caps. */
  readonly latestEnd: (cutSeconds: number) => number;
  /** The minimum number of segments for the span. */
  readonly fewest: (span: Span) => number;
  /** The earliest cut from which one segment (not the first) extends to `endSeconds`. */
  readonly earliestCut: (endSeconds: number) => number;
}

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
