/**
 * Decoded samples on disk: written once by the decoder, read by encoders in any order, dropped from the
 * front as segments are finished.
 *
 * The samples lie in a row of files of one size, so that dropping means deleting whole files and the disk
 * holds little more than the segments being encoded, whatever the length of the source. The decoder is
 * only asked for more when a reader needs it; in between it waits on its full pipe.
 */
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';

const CHUNK_FILE_BYTES = 16 * 1024 * 1024;

export interface PcmSpool extends AsyncDisposable {
  /** Decodes until `endByte` is on disk, or the source ends. Not to be called twice at a time. */
  fill(endByte: number): Promise<void>;
  /** Bytes on disk since the beginning, dropped ones included. */
  readonly filledBytes: number;
  /** The bytes from `startByte` up to `endByte`, both filled and not dropped. */
  read(startByte: number, endByte: number): AsyncGenerator<Buffer>;
  /** Allows everything before `byte` to be deleted. */
  dropBefore(byte: number): Promise<void>;
}

export function createPcmSpool(
  pcm: AsyncIterable<Buffer>,
  dir: string,
  chunkFileBytes = CHUNK_FILE_BYTES,
): PcmSpool {
  const chunks = pcm[Symbol.asyncIterator]();
  const path = (file: number): string => join(dir, `pcm-${file}`);
  let filledBytes = 0;
  let firstFile = 0;
  let writer: FileHandle | undefined;

  async function append(bytes: Buffer): Promise<void> {
    let rest = bytes;
    while (rest.length > 0) {
      const position = filledBytes % chunkFileBytes;
      if (position === 0) {
        await writer?.close();
        writer = undefined;
        writer = await open(path(Math.floor(filledBytes / chunkFileBytes)), 'w');
      }
      const { bytesWritten = 0 } =
        (await writer?.write(rest, 0, Math.min(rest.length, chunkFileBytes - position))) ?? {};
      filledBytes += bytesWritten;
      rest = rest.subarray(bytesWritten);
    }
  }

  return {
    get filledBytes() {
      return filledBytes;
    },
    async fill(endByte) {
      while (filledBytes < endByte) {
        const next = await chunks.next();
        if (next.done === true) return;
        await append(next.value);
      }
    },
    async *read(startByte, endByte) {
      let position = startByte;
      while (position < endByte) {
        const file = Math.floor(position / chunkFileBytes);
        const fileEnd = Math.min(endByte, (file + 1) * chunkFileBytes);
        const start = position - file * chunkFileBytes;
        const end = fileEnd - file * chunkFileBytes - 1;
        for await (const bytes of createReadStream(path(file), { start, end, highWaterMark: 256 * 1024 }))
          yield bytes;
        position = fileEnd;
      }
    },
    async dropBefore(byte) {
      const keep = Math.floor(byte / chunkFileBytes);
      for (; firstFile < keep; firstFile += 1) await rm(path(firstFile), { force: true });
    },
    async [Symbol.asyncDispose]() {
      await writer?.close();
      const end = Math.ceil(filledBytes / chunkFileBytes);
      for (; firstFile < end; firstFile += 1) await rm(path(firstFile), { force: true });
    },
  };
}
