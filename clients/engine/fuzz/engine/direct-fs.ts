/** `node:fs` whose read streams read at once, and whose files close at once; see direct-fs-promises.ts. */
import { closeSync, openSync, readSync } from 'node:fs';
import { Readable } from 'node:stream';
import { READ_LIMIT } from './read-limit.ts';

export * from 'node:fs';

const DEFAULT_CHUNK_BYTES = 64 * 1024;

interface ReadStreamOptions {
  readonly start?: number;
  /** Inclusive. */
  readonly end?: number;
  readonly highWaterMark?: number;
}

export function close(fd: number, callback: () => void): void {
  closeSync(fd);
  callback();
}

export function createReadStream(path: string, options: ReadStreamOptions = {}): Readable {
  return Readable.from(readChunks(path, options));
}

function* readChunks(path: string, options: ReadStreamOptions): Generator<Buffer> {
  const { start = 0, end = Number.POSITIVE_INFINITY, highWaterMark = DEFAULT_CHUNK_BYTES } = options;
  const fd = openSync(path, 'r');
  try {
    for (let position = start; position <= end; ) {
      const chunk = Buffer.alloc(Math.min(highWaterMark, end + 1 - position));
      READ_LIMIT.spend(1);
      const bytesRead = readSync(fd, chunk, 0, chunk.length, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
  } finally {
    closeSync(fd);
  }
}
