/** Limits the total size of all segments of a split, both when they are planned and when they are written. */
import { rm } from 'node:fs/promises';
import type { FinishedSegment } from '../media.ts';
import { MediaError } from '../media-error.ts';

export interface OutputLimit {
  readonly maxBytes: number;
  /** For all segments together. Throws OUTPUT_TOO_LARGE. */
  check(bytes: number): void;
}

/** Without a bound: any output is allowed. */
export function createOutputLimit(maxBytes = Number.POSITIVE_INFINITY): OutputLimit {
  return {
    maxBytes,
    check(bytes) {
      if (bytes <= maxBytes) return;
      const planned = Math.ceil(bytes);
      throw new MediaError(
        'OUTPUT_TOO_LARGE',
        `The segments would take ${planned} bytes together; the plan allows ${maxBytes}.`,
      );
    },
  };
}

export const UNLIMITED_OUTPUT = createOutputLimit();

/** Counts the bytes of the segments that pass through. A segment announced again replaces the first one. */
export function withinOutputLimit(
  limit: OutputLimit,
  onSegment: (segment: FinishedSegment) => Promise<void>,
): (segment: FinishedSegment) => Promise<void> {
  const sizes = new Map<number, number>();
  let totalBytes = 0;
  return async (segment) => {
    const { index, path, sizeBytes, isPiece, dryRun } = segment;
    if (isPiece !== true && dryRun === undefined) {
      totalBytes += sizeBytes - (sizes.get(index) ?? 0);
      sizes.set(index, sizeBytes);
      try {
        limit.check(totalBytes);
      } catch (error) {
        await rm(path, { force: true });
        throw error;
      }
    }
    await onSegment(segment);
  };
}
