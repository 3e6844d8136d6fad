import type { CopyOptions, CopySplitter } from './copy-contract.ts';
import { type ByteReader, openByteReader } from './source/byte-reader.ts';

/**
 * Splits a source that holds what `split` cuts in another container: `remux` takes it out of the source and puts it
 * into the container that `split` knows, while the source comes in.
 */
export function createRemuxingSplitter(
  split: CopySplitter,
  remux: (reader: ByteReader, options: CopyOptions) => AsyncGenerator<Uint8Array>,
): CopySplitter {
  return async (source, options) => {
    await using reader = openByteReader(source, options);
    // The chunks that `split` is given are not the source's.
    const { memory: _memory, ...rest } = options;
    const remuxed = remux(reader, options);
    try {
      const result = await split(remuxed, { ...rest, onBytes: () => undefined });
      return { ...result, sourceSizeBytes: reader.position };
    } finally {
      // `split` leaves it without waiting for its end.
      await remuxed.return(undefined).catch(() => undefined);
    }
  };
}
