import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import type { FinishedSegment } from '../../media/media.ts';
import { MediaError } from '../../media/media-error.ts';
import { segmentFileName } from './segment-name.ts';

/** A segment that lies in the object store. */
export interface StoredSegment {
  readonly index: number;
  readonly objectKey: string;
  readonly extension: string;
  readonly contentType: string;
  readonly startMs: number;
  readonly durationMs: number;
  /** At which its times were counted. */
  readonly sampleRateHz: number;
  readonly sizeBytes: number;
}

/** Moves a finished segment from the scratch folder into the store, below the attempt's own prefix. */
export async function storeSegment(
  store: ObjectStore,
  prefix: string,
  segment: FinishedSegment,
  signal: AbortSignal,
): Promise<StoredSegment> {
  const { index, extension, contentType, sizeBytes, sampleRateHz } = segment;
  const objectKey = `${prefix}${index}.${extension}`;
  const stored = await store.put(objectKey, createReadStream(segment.path), { contentType, signal });
  if (stored.sizeBytes !== sizeBytes) {
    throw new Error(`segment ${index} has ${sizeBytes} bytes, but ${stored.sizeBytes} were stored`);
  }
  await rm(segment.path, { force: true });
  const startMs = toMs(segment.startSample, sampleRateHz);
  return {
    index,
    objectKey,
    extension,
    contentType,
    startMs,
    // The difference of rounded borders, so that durations add up to the whole.
    durationMs: toMs(segment.startSample + segment.sampleCount, sampleRateHz) - startMs,
    sampleRateHz,
    sizeBytes,
  };
}

/** What segments are to add up to. */
export interface SegmentSpan {
  readonly firstIndex: number;
  readonly count: number;
  readonly startMs: number;
  readonly endMs: number;
  /** At which the start and the end were counted. */
  readonly sampleRateHz: number;
}

/**
 * The same segments with borders that meet. Where two rates meet, as at the end of a source that was resampled, each of
 * them may round a border to a millisecond of its own: the earlier segment's counts, and at the end the source's. A gap
 * or an overlap is never published.
 */
export function joinBorders(segments: readonly StoredSegment[], span: SegmentSpan): StoredSegment[] {
  const joined: StoredSegment[] = [];
  let { startMs, sampleRateHz } = span;
  for (const [position, segment] of segments.entries()) {
    const endMs = segment.startMs + segment.durationMs;
    const isNext = segment.index === span.firstIndex + position;
    if (!isNext || Math.abs(segment.startMs - startMs) > roundingMs(segment.sampleRateHz, sampleRateHz)) {
      throw new MediaError(
        'INTERNAL_ERROR',
        `segment ${segment.index} begins at ${segment.startMs} ms, not at ${startMs} ms`,
      );
    }
    joined.push({ ...segment, startMs, durationMs: endMs - startMs });
    startMs = endMs;
    sampleRateHz = segment.sampleRateHz;
  }
  const last = joined.pop();
  const isWhole = Math.abs(startMs - span.endMs) <= roundingMs(sampleRateHz, span.sampleRateHz);
  if (last === undefined || segments.length !== span.count || !isWhole) {
    throw new MediaError(
      'INTERNAL_ERROR',
      `${segments.length} of ${span.count} segments end at ${startMs} of ${span.endMs} ms`,
    );
  }
  return [...joined, { ...last, durationMs: span.endMs - last.startMs }];
}

/** By how much the same moment may differ, rounded at two rates. */
function roundingMs(sampleRateHz: number, otherRateHz: number): number {
  return sampleRateHz === otherRateHz ? 0 : 1;
}

/** `totalCount`: the job's, by which names are padded. */
export function toProtoSegments(
  segments: readonly StoredSegment[],
  sourceFileName: string,
  totalCount: number,
) {
  return segments.map((segment) => ({
    index: segment.index,
    objectKey: segment.objectKey,
    fileName: segmentFileName(sourceFileName, segment.index, totalCount, segment.extension),
    contentType: segment.contentType,
    startMs: BigInt(segment.startMs),
    durationMs: BigInt(segment.durationMs),
    sizeBytes: BigInt(segment.sizeBytes),
  }));
}

export function toMs(samples: number, sampleRateHz: number): number {
  return Math.round((samples * 1000) / sampleRateHz);
}
