import { open } from 'node:fs/promises';
import { createWriteBehind } from './write-behind.ts';

/**
 * A file written front to back, with room to set its header right at the end.
 *
 * `append` only notes the bytes; neighbouring views of one buffer become a single write. The caller awaits
 * `flush` often enough to keep the noted bytes few, typically once per window read. Writing goes on behind the
 * caller's back: its failures are reported by a later `flush`, or by `close`.
 */
export interface SegmentFile {
  readonly path: string;
  /** Bytes appended so far, flushed or not. */
  readonly sizeBytes: number;
  /** The bytes must not change any more. */
  append(bytes: Uint8Array): void;
  /** Passes on what was appended; waits only where too much is still unwritten. */
  flush(): Promise<void>;
  /** Overwrites bytes that have been appended before; done when the file is closed. */
  overwrite(position: number, bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

interface Correction {
  readonly position: number;
  readonly bytes: Uint8Array;
}

/** Creates the file; fails if it exists. */
export async function createSegmentFile(path: string): Promise<SegmentFile> {
  const handle = await open(path, 'wx');
  const writer = createWriteBehind(handle);
  const corrections: Correction[] = [];
  let pending: Uint8Array[] = [];
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
    const parts = pending;
    pending = [];
    await writer.write(parts);
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
      corrections.push({ position, bytes });
    },
    async close() {
      try {
        await flush();
        await writer.settle();
        for (const { position, bytes } of corrections) {
          for (let written = 0; written < bytes.length; ) {
            const at = position + written;
            written += (await handle.write(bytes, written, bytes.length - written, at)).bytesWritten;
          }
        }
      } finally {
        await handle.close();
      }
    },
  };
}
