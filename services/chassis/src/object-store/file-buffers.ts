/**
 * Buffers for whole files, which are used again. V8 counts the memory of each new buffer and collects garbage
 * after some of them: with a new one for each segment, a fifth of a splitter's processor time.
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
      await using file = await open(path);
      const { size } = await file.stat();
      if (size > bufferBytes) return undefined;
      const buffer = idle.pop() ?? Buffer.allocUnsafeSlow(bufferBytes);
      let length = 0;
      while (length < size) {
        const { bytesRead } = await file.read(buffer, length, size - length, length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      const outcome = await work(buffer.subarray(0, length));
      // Not after a failure: a request that has failed may still be sending the buffer.
      if (idle.length < maxIdle) idle.push(buffer);
      return outcome;
    },
  };
}
