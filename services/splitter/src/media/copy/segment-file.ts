import { type FileHandle, open } from 'node:fs/promises';

/**
 * A file written front to back, with room to set its header right at the end.
 *
 * `append` only notes the bytes; neighbouring views of one buffer become a single write. The caller awaits
 * `flush` often enough to keep the noted bytes few, typically once per window read.
 */
export interface SegmentFile {
  readonly path: string;
  /** Bytes appended so far, flushed or not. */
  readonly sizeBytes: number;
  /** The bytes must not change until the next `flush` has ended. */
  append(bytes: Uint8Array): void;
  flush(): Promise<void>;
  /** Overwrites bytes that have been appended before. */
  overwrite(position: number, bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** Creates the file; fails if it exists. */
export async function createSegmentFile(path: string): Promise<SegmentFile> {
  const handle = await open(path, 'wx');
  const pending: Uint8Array[] = [];
  let runBuffer: ArrayBufferLike | undefined;
  let runStart = 0;
  let runEnd = 0;
  let sizeBytes = 0;

  function endRun(): void {
    if (runBuffer !== undefined) pending.push(new Uint8Array(runBuffer, runStart, runEnd - runStart));
    runBuffer = undefined;
  }

  async function flush(): Promise<void> {
    endRun();
    if (pending.length === 0) return;
    const bytes = pending.length === 1 ? pending[0] : Buffer.concat(pending);
    pending.length = 0;
    if (bytes !== undefined) await writeFully(handle, bytes, null);
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
    async overwrite(position, bytes) {
      await flush();
      await writeFully(handle, bytes, position);
    },
    async close() {
      try {
        await flush();
      } finally {
        await handle.close();
      }
    },
  };
}

async function writeFully(handle: FileHandle, bytes: Uint8Array, position: number | null): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const at = position === null ? null : position + written;
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, at);
    written += bytesWritten;
  }
}
