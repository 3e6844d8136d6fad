import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import type { FinishedSegment } from '../media/media.ts';

/** A segment that lies in the object store. */
export interface StoredSegment {
  readonly index: number;
  readonly objectKey: string;
  readonly extension: string;
  readonly contentType: string;
  readonly startMs: number;
  readonly durationMs: number;
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
    sizeBytes,
  };
}

export function toMs(samples: number, sampleRateHz: number): number {
  return Math.round((samples * 1000) / sampleRateHz);
}
