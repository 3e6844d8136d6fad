/** What a caller learns of a segment, with the names that the API has for it. */
import type { SegmentEnd } from '@audiosplit/cuts/cut-request';
import type { FinishedSegment } from '../media.ts';

export interface PlannedSegment {
  /** From 0. */
  readonly index: number;
  readonly fileName: string;
  /** Where its first sample lies in the source, in seconds. */
  readonly startTime: number;
  readonly endTime: number;
  /** The cut with which it begins, where it begins before it. */
  readonly contentStart?: number;
  /** Seconds. */
  readonly duration: number;
  /** Bytes. */
  readonly size: number;
  /** Only encoding would tell the size. */
  readonly sizeIsEstimate?: true;
  /** How its end came about. */
  readonly cut: SegmentEnd;
  readonly title?: string;
}

export interface WrittenSegment extends PlannedSegment {
  /** Absolute. */
  readonly path: string;
}

/** `end`: where the engine does not say how the segment ends. */
export function describeSegment(segment: FinishedSegment, fileName: string, end: SegmentEnd): PlannedSegment {
  const { index, startSample, sampleCount, sampleRateHz, sizeBytes } = segment;
  const { contentStartSample, endKind = end, title, dryRun } = segment;
  const startMs = toMs(startSample, sampleRateHz);
  const endMs = toMs(startSample + sampleCount, sampleRateHz);
  return {
    index,
    fileName,
    startTime: startMs / 1_000,
    endTime: endMs / 1_000,
    ...(contentStartSample === undefined
      ? {}
      : { contentStart: toMs(contentStartSample, sampleRateHz) / 1_000 }),
    duration: (endMs - startMs) / 1_000,
    size: sizeBytes,
    ...(dryRun?.isExactSize === false ? { sizeIsEstimate: true } : {}),
    cut: endKind,
    ...(title === undefined ? {} : { title }),
  };
}

export function toMs(samples: number, sampleRateHz: number): number {
  return Math.round((samples * 1_000) / sampleRateHz);
}
