import type { CopyOptions, CopySplitter } from './copy-contract.ts';
import { type ByteReader, openByteReader } from './source/byte-reader.ts';

/**
 * Splits a source that holds what `split` cuts in another container: `carry` takes it out of the source and puts it
 * into the container that `split` knows, while the source comes in.
 */
export function createCarriedSplitter(
  split: CopySplitter,
  carry: (reader: ByteReader, options: CopyOptions) => AsyncGenerator<Uint8Array>,
): CopySplitter {
  return async (source, options) => {
    await using reader = openByteReader(source, options);
    // The chunks that `split` is given are not the source's.
    const { memory: _memory, ...rest } = options;
    const carried = carry(reader, options);
    try {
      const result = await split(carried, { ...rest, onBytes: () => undefined });
      return { ...result, sourceSizeBytes: reader.position };
    } finally {
      // `split` leaves it without waiting for its end.
      await carried.return(undefined).catch(() => undefined);
    }
  };
}
