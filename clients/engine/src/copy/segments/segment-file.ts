import { close, openSync, writeSync, writevSync } from 'node:fs';
import { promisify } from 'node:util';

/**
 * A file written front to back, whose header can be corrected at the end.
 *
 * `append` only records the bytes; adjacent views of one buffer become a single write. The caller calls
 * `flush` often enough to keep the recorded bytes few, usually once per window.
 *
 * Writes are synchronous and do not use the thread pool: writing one window to the page cache takes less time
 * than a round trip to another thread, the engine has a thread of its own, and the bytes are free again when
 * `flush` returns. Closing uses the thread pool: a network file system sends all written data at that point,
 * which may take longer than the engine's watchdog allows.
 */
export interface SegmentFile {
  readonly path: string;
  /** Bytes appended so far, flushed or not. */
  readonly sizeBytes: number;
  /** The bytes must not change before they are flushed. */
  append(bytes: Uint8Array): void;
  /** Like `append`, for bytes that need not be read; absent if there is a file. */
  count?(byteCount: number): void;
  flush(): void;
  /** Overwrites bytes that were appended before. */
  overwrite(position: number, bytes: Uint8Array): void;
  /** Flushes at once, and closes the file even if that fails. */
  close(): Promise<void>;
  /** Closes the file; unflushed bytes are lost. */
  abandon(): Promise<void>;
}

const closeFile = promisify(close);

/** Without a file, appended bytes are counted and dropped. */
export function createUnwrittenSegment(): SegmentFile {
  let sizeBytes = 0;
  return {
    path: '',
    get sizeBytes() {
      return sizeBytes;
    },
    append(bytes) {
      sizeBytes += bytes.byteLength;
    },
    count(byteCount) {
      sizeBytes += byteCount;
    },
    flush: () => undefined,
    overwrite: () => undefined,
    close: async () => undefined,
    abandon: async () => undefined,
  };
}

/** Creates the file; throws if it exists. */
export function createSegmentFile(path: string): SegmentFile {
  const file = openSync(path, 'wx');
  let pending: Uint8Array[] = [];
  let runBuffer: ArrayBufferLike | undefined;
  let runStart = 0;
  let runEnd = 0;
  let sizeBytes = 0;
  let flushedBytes = 0;

  function endRun(): void {
    if (runBuffer !== undefined) pending.push(new Uint8Array(runBuffer, runStart, runEnd - runStart));
    runBuffer = undefined;
  }

  function flush(): void {
    endRun();
    if (pending.length === 0) return;
    const parts = pending;
    pending = [];
    writeFully(file, parts, sizeBytes - flushedBytes, flushedBytes);
    flushedBytes = sizeBytes;
  }

  return {
    path,
    get sizeBytes() {
      return sizeBytes;
    },
    append(bytes) {
      sizeBytes += bytes.byteLength;
      if (bytes.buffer === runBuffer && bytes.byteOffset === runEnd) {
        runEnd += bytes.byteLength;
        return;
      }
      endRun();
      runBuffer = bytes.buffer;
      runStart = bytes.byteOffset;
      runEnd = bytes.byteOffset + bytes.byteLength;
    },
    flush,
    overwrite(position, bytes) {
      flush();
      writeFully(file, [bytes], bytes.byteLength, position);
    },
    async close() {
      try {
        flush();
      } finally {
        await closeFile(file);
      }
    },
    abandon: () => closeFile(file),
  };
}

function writeFully(file: number, parts: readonly Uint8Array[], byteCount: number, position: number): void {
  const [first] = parts;
  let written =
    parts.length === 1 && first !== undefined
      ? writeSync(file, first, 0, byteCount, position)
      : writevSync(file, parts, position);
  if (written === byteCount) return;
  // A short write is followed by the error that explains it, or by the rest.
  const whole = Buffer.concat(parts);
  while (written < byteCount) {
    written += writeSync(file, whole, written, byteCount - written, position + written);
  }
}
