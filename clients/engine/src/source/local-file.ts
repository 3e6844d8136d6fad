import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { createEventLoopYield } from './event-loop-yield.ts';

/** The first `sizeBytes` of a file of this machine. */
export interface LocalFile {
  readonly path: string;
  readonly sizeBytes: number;
  /** When it was last changed: a file with another time is not the one that is meant. */
  readonly modifiedAtMs?: number;
  /** There where the file has holes: they are filled before they are read. */
  readonly absent?: AbsentBytes;
}

/** The bytes of a file that are still elsewhere. */
export interface AbsentBytes {
  /** Resolves once the file holds [start, end), as far as it reaches. */
  fill(start: number, end: number): Promise<void>;
}

/** What a reader of chunks may do with their memory. */
export interface ChunkMemory {
  /** How many bytes in front of a chunk that lies in `buffer` may be written; undefined where it is not to be given back. */
  headroomBytes(buffer: ArrayBufferLike): number | undefined;
  /** `buffer` is no longer read: a later chunk may come in it. */
  recycle(buffer: ArrayBufferLike): void;
}

/** To be read by one reader at a time. */
export interface FileChunks extends AsyncGenerator<Uint8Array> {
  /** Leaves out so many of the bytes that come next; gives how many there were. */
  passOver(byteCount: number): number;
}

interface LocalFileReader {
  /** The file's bytes from `start` on. */
  chunks(): FileChunks;
  readonly memory: ChunkMemory;
}

const CHUNK_BYTES = 256 * 1024;
/** Most frames of any format have room in it, so that what is left of one chunk goes in front of the next. */
const HEADROOM_BYTES = 32 * 1024;
/** Opening anything but a regular file must not wait for a writer at its other end. Windows has no such flag. */
const NONBLOCKING = constants.O_NONBLOCK ?? 0;
/** Those in one reader's hands at once, and some. */
const MAX_SPARE_BUFFERS = 8;

/**
 * Reads a file in large pieces, without the thread pool: from the page cache a piece comes in less time than the way
 * to another thread and back takes.
 *
 * Memory that has been given back is used again. New memory costs a page fault every 4 KiB and leaves the cache cold,
 * and the garbage collector lets tens of megabytes of buffers pile up before it looks for dead ones. What is not
 * given back is left to it.
 */
export function createLocalFileReader(
  { path, sizeBytes, modifiedAtMs, absent }: LocalFile,
  start = 0,
): LocalFileReader {
  const lent = new WeakSet<ArrayBufferLike>();
  const spare: ArrayBufferLike[] = [];

  function takeBuffer(): Uint8Array {
    const buffer = spare.pop() ?? new ArrayBuffer(HEADROOM_BYTES + CHUNK_BYTES);
    lent.add(buffer);
    return new Uint8Array(buffer, HEADROOM_BYTES);
  }

  function checkFile(file: number): void {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new Error('the source is no regular file');
    if (modifiedAtMs !== undefined && stats.mtime.getTime() !== modifiedAtMs) {
      throw new Error('the source was replaced while it was being split');
    }
  }

  function chunks(): FileChunks {
    let position = start;
    async function* read(): AsyncGenerator<Uint8Array> {
      const yieldIfDue = createEventLoopYield();
      const file = openSync(path, constants.O_RDONLY | NONBLOCKING);
      try {
        checkFile(file);
        while (position < sizeBytes) {
          const buffer = takeBuffer();
          const wantedBytes = Math.min(buffer.length, sizeBytes - position);
          await absent?.fill(position, position + wantedBytes);
          const bytesRead = readSync(file, buffer, 0, wantedBytes, position);
          if (bytesRead === 0) throw new Error(`the source ends after ${position} of ${sizeBytes} bytes`);
          position += bytesRead;
          yield buffer.subarray(0, bytesRead);
          const turn = yieldIfDue();
          if (turn !== undefined) await turn;
        }
        checkFile(file);
      } finally {
        closeSync(file);
      }
    }
    return Object.assign(read(), {
      passOver(byteCount: number) {
        const passedBytes = Math.min(byteCount, Math.max(0, sizeBytes - position));
        position += passedBytes;
        return passedBytes;
      },
    });
  }

  return {
    chunks,
    memory: {
      headroomBytes: (buffer) => (lent.has(buffer) ? HEADROOM_BYTES : undefined),
      recycle(buffer) {
        if (lent.delete(buffer) && spare.length < MAX_SPARE_BUFFERS) spare.push(buffer);
      },
    },
  };
}
