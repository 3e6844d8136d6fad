/** Reads a stream of bytes in pieces of known length. */
interface ByteSlices {
  /**
   * The next `sizeBytes`, as they arrive. Read them to the end before taking more. Throws if the stream ends
   * earlier.
   */
  chunks(sizeBytes: number): AsyncGenerator<Uint8Array>;
  /** The next `sizeBytes` at once. */
  take(sizeBytes: number): Promise<Buffer>;
  bytesTaken(): number;
}

export function createByteSlices(source: AsyncIterable<Uint8Array>): ByteSlices {
  const iterator = source[Symbol.asyncIterator]();
  let rest: Uint8Array = new Uint8Array(0);
  let takenBytes = 0;

  async function* chunks(sizeBytes: number): AsyncGenerator<Uint8Array> {
    for (let missing = sizeBytes; missing > 0; ) {
      if (rest.length === 0) {
        const next = await iterator.next();
        if (next.done === true) throw new Error(`the source ends ${missing} bytes too early`);
        rest = next.value;
      }
      const chunk = rest.subarray(0, missing);
      rest = rest.subarray(chunk.length);
      missing -= chunk.length;
      takenBytes += chunk.length;
      if (chunk.length > 0) yield chunk;
    }
  }

  return {
    chunks,
    async take(sizeBytes) {
      const taken: Uint8Array[] = [];
      for await (const chunk of chunks(sizeBytes)) taken.push(chunk);
      return Buffer.concat(taken);
    },
    bytesTaken: () => takenBytes,
  };
}
