import { appendFile, readFile, rm } from 'node:fs/promises';
import type { LocalFile } from '@audiosplit/engine/source/local-file';
import { STARVED_MS } from './core-turns.ts';

/** Bytes that have been fetched but not processed, in order of arrival. */
export interface AheadBuffer extends AsyncDisposable {
  sizeBytes(): number;
  add(chunk: Uint8Array): Promise<void>;
  /** Yields all of them; nothing may be added meanwhile. */
  drain(): AsyncGenerator<Uint8Array>;
  /** Writes the rest to the file, which exists until the buffer is disposed. Nothing may be added afterwards. */
  toFile(): Promise<LocalFile>;
}

/** The bytes that all buffers of a process hold in memory. */
export interface AheadMemory {
  usedBytes: number;
}

/** Held in memory for at most STARVED_MS. */
const MAX_BYTES_IN_MEMORY = 1024 * 1024;
/** Of all buffers together. */
const MAX_SHARED_BYTES = 16 * MAX_BYTES_IN_MEMORY;

/** An engine soon processes the bytes it reads at once. */
const READ_BYTES = 64 * 1024;

/** The file `path` is created once bytes have waited in memory for STARVED_MS, or exceed a limit. */
export function createAheadBuffer(path: string, shared: AheadMemory = { usedBytes: 0 }): AheadBuffer {
  let inMemory: Uint8Array[] = [];
  let bytesInMemory = 0;
  let bytesInFile = 0;
  let isOnDisk = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let written: Promise<void> = Promise.resolve();

  const take = () => {
    const chunks = inMemory;
    inMemory = [];
    shared.usedBytes -= bytesInMemory;
    bytesInMemory = 0;
    return chunks;
  };
  const write = async () => {
    bytesInFile += bytesInMemory;
    const chunks = take();
    await appendFile(path, Buffer.concat(chunks));
  };
  const toDisk = () => {
    isOnDisk = true;
    clearTimeout(timer);
    written = written.then(write);
    // The next call of add or drain reports an error.
    written.catch(() => undefined);
    return written;
  };

  return {
    sizeBytes: () => bytesInFile + bytesInMemory,
    async add(chunk) {
      if (isClosed) return;
      inMemory.push(chunk);
      bytesInMemory += chunk.byteLength;
      shared.usedBytes += chunk.byteLength;
      const isFull = bytesInMemory > MAX_BYTES_IN_MEMORY || shared.usedBytes > MAX_SHARED_BYTES;
      if (isOnDisk || isFull) await toDisk();
      else timer ??= setTimeout(toDisk, STARVED_MS);
    },
    async *drain() {
      clearTimeout(timer);
      timer = undefined;
      await written;
      if (bytesInFile > 0) {
        const bytes = await readFile(path);
        await rm(path);
        for (let first = 0; first < bytes.length; first += READ_BYTES)
          yield bytes.subarray(first, first + READ_BYTES);
      }
      yield* take();
      bytesInFile = 0;
      isOnDisk = false;
    },
    async toFile() {
      await toDisk();
      return { path, sizeBytes: bytesInFile };
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      clearTimeout(timer);
      take();
      await written.catch(() => undefined);
      if (isOnDisk) await rm(path, { force: true });
    },
  };
}
