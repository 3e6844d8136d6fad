import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { createEventLoopYield } from './event-loop-yield.ts';

/** The first `sizeBytes` of a file on this machine. */
export interface LocalFile {
  readonly path: string;
  readonly sizeBytes: number;
  /** The time of its last change: a file with another time is not the intended one. */
  readonly modifiedAtMs?: number;
  /** Set if the file has holes, which are filled before they are read. */
  readonly absent?: AbsentBytes;
}

/** The bytes of a file that have not been fetched yet. */
export interface AbsentBytes {
  /** Resolves once the file contains [start, end), as far as it extends. */
  fill(start: number, end: number): Promise<void>;
}

/** How a reader of chunks may use their memory. */
export interface ChunkMemory {
  /** How many bytes before a chunk in `buffer` may be overwritten; undefined if it must not be released. */
  headroomBytes(buffer: ArrayBufferLike): number | undefined;
  /** `buffer` is no longer read: it may be reused for a later chunk. */
  recycle(buffer: ArrayBufferLike): void;
}

/** For one reader at a time. */
export interface FileChunks extends AsyncGenerator<Uint8Array> {
  /** Skips that many of the next bytes; returns how many there were. */
  passOver(byteCount: number): number;
}

interface LocalFileReader {
  /** The file's bytes from `start` on. */
  chunks(): FileChunks;
  readonly memory: ChunkMemory;
}

const CHUNK_BYTES = 256 * 1024;
/** Larger than most frames of any format, so that the rest of one chunk can be placed before the next. */
const HEADROOM_BYTES = 32 * 1024;
/**
 * Opening anything but a regular file must not wait for a writer at the other end. Windows has no such flag.
 */
const NONBLOCKING = constants.O_NONBLOCK ?? 0;
/** More than one reader holds at once. */
const MAX_SPARE_BUFFERS = 8;

/**
 * Reads a file in large pieces, without the thread pool: reading a piece from the page cache takes less time
 * than a round trip to another thread.
 *
 * Released memory is reused. New memory costs a page fault every 4 KiB and cold caches, and the garbage
 * collector lets tens of megabytes of buffers accumulate before it looks for unused ones. Memory that is not
 * released is left to it.
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
