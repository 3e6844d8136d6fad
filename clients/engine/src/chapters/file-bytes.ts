/**
 * Random access to a source on disk. Small adjacent reads share one read from the disk. Sizes that a header
 * claims beyond the file's end cause no allocation.
 */
import { open } from 'node:fs/promises';
import type { SourceBytes } from '../convert/input/source-bytes.ts';
import type { SourceContainer } from '../formats/formats.ts';
import type { LocalFile } from '../source/local-file.ts';

export interface FileBytes extends SourceBytes, AsyncDisposable {
  readonly sizeBytes: number;
  /** At most `maxBytes` from `start` on, in chunks. */
  chunks(start: number, maxBytes: number): AsyncGenerator<Buffer>;
}

const WINDOW_BYTES = 16 * 1024;
const CHUNK_BYTES = 64 * 1024;
const NOTHING = Buffer.alloc(0);

export async function openFileBytes(
  { path, sizeBytes }: LocalFile,
  container: SourceContainer,
): Promise<FileBytes> {
  const handle = await open(path);
  let window: Buffer = NOTHING;
  let windowStart = 0;

  async function read(start: number, length: number): Promise<Buffer> {
    const bytes = Buffer.alloc(length);
    const { bytesRead } = await handle.read(bytes, 0, length, start);
    return bytes.subarray(0, bytesRead);
  }

  async function head(start: number, length: number): Promise<Buffer> {
    const wanted = Math.min(length, sizeBytes - start);
    if (!(wanted > 0) || start < 0) return NOTHING;
    if (wanted > WINDOW_BYTES) return read(start, wanted);
    if (start < windowStart || start + wanted > windowStart + window.length) {
      window = await read(start, Math.min(WINDOW_BYTES, sizeBytes - start));
      windowStart = start;
    }
    return window.subarray(start - windowStart, start - windowStart + wanted);
  }

  return {
    container,
    sizeBytes,
    head,
    tail: (length) => head(Math.max(0, sizeBytes - length), length),
    async *chunks(start, maxBytes) {
      const end = start + maxBytes;
      for (let at = start; at < end; ) {
        const chunk = await head(at, Math.min(CHUNK_BYTES, end - at));
        if (chunk.length === 0) return;
        yield chunk;
        at += chunk.length;
      }
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
}
