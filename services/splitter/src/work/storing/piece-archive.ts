/** The stored object with a divided source's pieces, which the workers read for its parts. */
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ByteRange, ObjectStore, StoredObject } from '@audiosplit/chassis/object-store/object-store';
import type { FinishedSegment } from '@audiosplit/engine/media';

export function pieceArchiveKey(jobId: string, jobFence: bigint): string {
  return `jobs/${jobId}/${jobFence}/source/pieces`;
}

/** Disposing it before `finish` leaves nothing in the store. */
interface PieceArchive extends AsyncDisposable {
  /** Moves a piece from the scratch folder to the end of the object. */
  add(piece: FinishedSegment): Promise<void>;
  /** Resolves once the whole object is stored. */
  finish(): Promise<void>;
}

export function createPieceArchive(store: ObjectStore, key: string, signal: AbortSignal): PieceArchive {
  const body = new PassThrough();
  body.on('error', () => undefined);
  let storing: Promise<StoredObject> | undefined;
  let addedBytes = 0;

  return {
    async add({ path, sizeBytes }) {
      storing ??= store.put(key, body, { contentType: 'application/octet-stream', signal });
      // It is awaited at the end, or when a piece cannot be added.
      storing.catch(() => undefined);
      try {
        await pipeline(createReadStream(path), body, { end: false });
      } catch (error) {
        // A failing store ends the stream; its own error says more.
        body.destroy();
        await storing;
        throw error;
      }
      addedBytes += sizeBytes;
      await rm(path, { force: true });
    },
    async finish() {
      if (storing === undefined) throw new Error('the archive holds no piece');
      body.end();
      const { sizeBytes } = await storing;
      if (sizeBytes !== addedBytes)
        throw new Error(`the pieces have ${addedBytes} bytes, but ${sizeBytes} were stored`);
    },
    async [Symbol.asyncDispose]() {
      if (!body.writableEnded) body.destroy();
      await storing?.catch(() => undefined);
    },
  };
}

/** The bytes of several ranges of an object, one after the other. */
export async function* readRanges(
  store: ObjectStore,
  key: string,
  ranges: readonly ByteRange[],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (const range of ranges) {
    signal.throwIfAborted();
    const { body } = await store.get(key, range);
    try {
      for await (const chunk of body) {
        signal.throwIfAborted();
        yield chunk as Buffer;
      }
    } finally {
      body.destroy();
    }
  }
}
