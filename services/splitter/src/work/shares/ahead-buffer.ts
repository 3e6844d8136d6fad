import { appendFile, readFile, rm } from 'node:fs/promises';
import { STARVED_MS } from './core-turns.ts';

/** Bytes that have been fetched and not been worked on, in the order in which they came. */
export interface AheadBuffer extends AsyncDisposable {
  sizeBytes(): number;
  add(chunk: Uint8Array): Promise<void>;
  /** Hands all of it out; nothing is added meanwhile. */
  drain(): AsyncGenerator<Uint8Array>;
}

/** For no longer than STARVED_MS. */
const MAX_BYTES_IN_MEMORY = 1024 * 1024;
/** What an engine reads at once is soon worked on. */
const READ_BYTES = 64 * 1024;

/** `path` is made once bytes have waited in memory for STARVED_MS, or are too many for it. */
export function createAheadBuffer(path: string): AheadBuffer {
  let inMemory: Uint8Array[] = [];
  let bytesInMemory = 0;
  let bytesInFile = 0;
  let isOnDisk = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let written: Promise<void> = Promise.resolve();

  const write = async () => {
    const chunks = inMemory;
    inMemory = [];
    bytesInFile += bytesInMemory;
    bytesInMemory = 0;
    if (chunks.length > 0) await appendFile(path, Buffer.concat(chunks));
  };
  const toDisk = () => {
    isOnDisk = true;
    clearTimeout(timer);
    written = written.then(write);
    // Whatever goes wrong is for the next to add or to drain.
    written.catch(() => undefined);
    return written;
  };

  return {
    sizeBytes: () => bytesInFile + bytesInMemory,
    async add(chunk) {
      if (isClosed) return;
      inMemory.push(chunk);
      bytesInMemory += chunk.byteLength;
      if (isOnDisk || bytesInMemory > MAX_BYTES_IN_MEMORY) await toDisk();
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
      yield* inMemory;
      inMemory = [];
      bytesInMemory = 0;
      bytesInFile = 0;
      isOnDisk = false;
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      clearTimeout(timer);
      await written.catch(() => undefined);
      if (isOnDisk) await rm(path, { force: true });
    },
  };
}
