/** A segment as shown to a caller, with the field names of the API. */
import type { SegmentEnd } from '@audiosplit/cuts/cut-request';
import type { FinishedSegment } from '../media.ts';

export interface PlannedSegment {
  /** From 0. */
  readonly index: number;
  readonly fileName: string;
  /** The position of its first sample in the source, in seconds. */
  readonly startTime: number;
  readonly endTime: number;
  /** The cut with which it begins, if its file begins before that cut. */
  readonly contentStart?: number;
  /** Seconds. */
  readonly duration: number;
  /** Bytes. */
  readonly size: number;
  /** Only encoding would show the exact size. */
  readonly sizeIsEstimate?: true;
  /** Why the segment ends where it does. */
  readonly cut: SegmentEnd;
  readonly title?: string;
}

export interface WrittenSegment extends PlannedSegment {
  /** Absolute. */
  readonly path: string;
}

/** `end`: used if the engine does not state how the segment ends. */
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
