/**
 * Buffers for whole files, which are used again. V8 counts the memory of each new buffer and collects garbage
 * after some of them. With new ones for each segment, that took a fifth of all processor time beside conversions
 * to wav.
 */
import { open } from 'node:fs/promises';

export interface FileBuffers {
  /**
   * Resolves with the outcome of `work` on the file's bytes, which are valid until it settles. Undefined, without
   * a call of `work`, if the file is larger than a buffer.
   */
  read<T>(path: string, work: (bytes: Buffer) => Promise<T>): Promise<T | undefined>;
}

/** Keeps up to `maxIdle` buffers. Pages that no file has reached take no memory. */
export function createFileBuffers(bufferBytes: number, maxIdle: number): FileBuffers {
  const idle: Buffer[] = [];
  return {
    async read(path, work) {
      const buffer = idle.pop() ?? Buffer.allocUnsafeSlow(bufferBytes);
      const length = await readWhole(path, buffer);
      // After a failure the buffer is not used again: a request that has failed may still be sending it.
      const outcome = length === undefined ? undefined : await work(buffer.subarray(0, length));
      if (idle.length < maxIdle) idle.push(buffer);
      return outcome;
    },
  };
}

/** Returns the file's length, or undefined if the buffer is smaller. */
async function readWhole(path: string, buffer: Buffer): Promise<number | undefined> {
  await using file = await open(path);
  const { size } = await file.stat();
  if (size > buffer.length) return undefined;
  let length = 0;
  while (length < size) {
    const { bytesRead } = await file.read(buffer, length, size - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return length;
}
