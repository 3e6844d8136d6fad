import type { Readable } from 'node:stream';

export interface ByteTaker {
  /** The next bytes of the stream, fewer only where it ends. */
  take(bytes: number): AsyncGenerator<Buffer>;
  /** Whether the stream ended before all that was to be taken. */
  readonly isShort: boolean;
}

/** Divides a stream into runs of bytes, whatever its chunks. */
export function takeBytes(stream: Readable): ByteTaker {
  const chunks = stream[Symbol.asyncIterator]();
  let rest = Buffer.alloc(0);
  let isShort = false;
  return {
    get isShort() {
      return isShort;
    },
    async *take(bytes) {
      let missingBytes = bytes;
      while (missingBytes > 0) {
        if (rest.byteLength === 0) {
          const { value, done } = await chunks.next();
          if (done) {
            isShort = true;
            return;
          }
          rest = Buffer.from(value);
        }
        const next = rest.subarray(0, missingBytes);
        rest = rest.subarray(next.byteLength);
        missingBytes -= next.byteLength;
        yield next;
      }
    },
  };
}
