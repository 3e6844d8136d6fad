import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import type { SourceContainer } from '../sniff.ts';

/** The whole source in the working folder. */
export interface SourceFile {
  readonly path: string;
  readonly name: string;
  readonly container: SourceContainer;
  readonly sizeBytes: number;
}

/** Writes what passes through it to a file, so that another route can start over. */
export interface SourceSpool extends AsyncDisposable {
  /** The same chunks, written before the next one is asked for. */
  tee(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>;
  readonly sizeBytes: number;
  finish(container: SourceContainer): Promise<SourceFile>;
}

export async function createSourceSpool(path: string): Promise<SourceSpool> {
  const handle = await open(path, 'wx');
  let sizeBytes = 0;
  let closed = false;
  const close = async (): Promise<void> => {
    if (closed) return;
    closed = true;
    await handle.close();
  };
  return {
    get sizeBytes() {
      return sizeBytes;
    },
    async *tee(source) {
      for await (const chunk of source) {
        const writing = writeFully(handle, chunk);
        // Marked as handled: the consumer may throw while the write is under way.
        writing.catch(() => undefined);
        sizeBytes += chunk.byteLength;
        yield chunk;
        await writing;
      }
    },
    async finish(container) {
      await close();
      return { path, name: basename(path), container, sizeBytes };
    },
    [Symbol.asyncDispose]: close,
  };
}

async function writeFully(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  let written = 0;
  while (written < bytes.byteLength) {
    const result = await handle.write(bytes, written, bytes.byteLength - written);
    written += result.bytesWritten;
  }
}

/** Reads bytes [start, start + length) of a file; shorter where the file ends. */
export async function readRange(path: string, start: number, length: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  if (length <= 0) return Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { start, end: start + length - 1 })) chunks.push(chunk);
  return Buffer.concat(chunks);
}
