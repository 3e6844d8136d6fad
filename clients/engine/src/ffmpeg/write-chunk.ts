import type { Writable } from 'node:stream';

/**
 * Passes input to a child. Resolves when there is room for more, or never will be. `onWritten`: called when
 * the chunk was handed over.
 */
export async function writeChunk(stdin: Writable, chunk: Uint8Array, onWritten?: () => void): Promise<void> {
  if (!stdin.write(chunk, onWritten)) await drained(stdin);
}

function drained(stdin: Writable): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      for (const event of ['drain', 'error', 'close']) stdin.off(event, settle);
      resolve();
    };
    for (const event of ['drain', 'error', 'close']) stdin.once(event, settle);
  });
}
