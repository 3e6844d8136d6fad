import type { FileHandle } from 'node:fs/promises';

/**
 * Writes a file sequentially while its owner continues.
 *
 * Bytes are buffered, because every write costs a round trip to another thread. Two writes may be in flight,
 * so that the disk does not wait for the owner. A failure is reported by a later call.
 */
export interface WriteBehind {
  /** Waits only if earlier writes have not ended. The bytes must not change afterwards. */
  write(parts: readonly Uint8Array[]): Promise<void>;
  /** Resolves once everything is written. */
  settle(): Promise<void>;
}

/** The memory that buffered bytes keep alive: each view counts with its whole buffer. */
const MAX_HELD_BYTES = 512 * 1024;

/** The handle's file must be empty. */
export function createWriteBehind(handle: FileHandle): WriteBehind {
  let gathered: Uint8Array[] = [];
  let gatheredBytes = 0;
  const heldBuffers = new Set<ArrayBufferLike>();
  let heldBytes = 0;
  let position = 0;
  let earlierWrite: Promise<void> = Promise.resolve();
  let latestWrite: Promise<void> = Promise.resolve();

  async function writeGathered(): Promise<void> {
    await earlierWrite;
    earlierWrite = latestWrite;
    latestWrite = writeFully(handle, gathered, gatheredBytes, position);
    // Marked as handled: it is awaited at the next write, or at the end.
    latestWrite.catch(() => undefined);
    position += gatheredBytes;
    gathered = [];
    gatheredBytes = 0;
    heldBuffers.clear();
    heldBytes = 0;
  }

  return {
    async write(parts) {
      for (const part of parts) {
        gathered.push(part);
        gatheredBytes += part.byteLength;
        if (heldBuffers.has(part.buffer)) continue;
        heldBuffers.add(part.buffer);
        heldBytes += part.buffer.byteLength;
      }
      if (heldBytes >= MAX_HELD_BYTES) await writeGathered();
    },
    async settle() {
      if (gatheredBytes > 0) await writeGathered();
      await earlierWrite;
      await latestWrite;
    },
  };
}

async function writeFully(
  handle: FileHandle,
  parts: readonly Uint8Array[],
  byteCount: number,
  position: number,
): Promise<void> {
  let { bytesWritten: written } = await handle.writev(parts, position);
  if (written === byteCount) return;
  // A short write is followed by the error that explains it, or by the rest.
  const whole = Buffer.concat(parts);
  while (written < byteCount) {
    written += (await handle.write(whole, written, byteCount - written, position + written)).bytesWritten;
  }
}
