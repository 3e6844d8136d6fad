/**
 * Holds finished segments until all segments of their job exist: in the object store, or in scratch if no
 * copy is kept.
 */
import { createReadStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import type { FinishedSegment } from '@audiosplit/engine/media';
import { describeSegment, type StoredSegment, storeSegment } from './segment-upload.ts';

export interface Staging {
  add(segment: FinishedSegment): Promise<StoredSegment>;
  read(segment: StoredSegment): Promise<Readable>;
}

export function stageInStore(store: ObjectStore, prefix: string, signal: AbortSignal): Staging {
  return {
    add: (segment) => storeSegment(store, prefix, segment, signal),
    read: async ({ objectKey }) => (await store.get(objectKey)).body,
  };
}

/** `reserve` reserves room for this many bytes in total. */
export function stageInScratch(folder: string, reserve: (totalBytes: number) => Promise<void>): Staging {
  let totalBytes = 0;
  const pathOf = ({ index, extension }: Pick<StoredSegment, 'index' | 'extension'>) =>
    join(folder, `${index}.${extension}`);
  return {
    async add(segment) {
      if (segment.dryRun !== undefined) return describeSegment(segment, '');
      totalBytes += segment.sizeBytes;
      await reserve(totalBytes);
      await rename(segment.path, pathOf(segment));
      return describeSegment(segment, '');
    },
    read: async (segment) => createReadStream(pathOf(segment)),
  };
}
