import type { CopyOptions, CopySplitter } from './copy-contract.ts';
import { type ByteReader, openByteReader } from './source/byte-reader.ts';

/**
 * Splits a source whose stream is in another container than `split` reads: `remux` moves the stream into that
 * container while the source arrives.
 */
export function createRemuxingSplitter(
  split: CopySplitter,
  remux: (reader: ByteReader, options: CopyOptions) => AsyncGenerator<Uint8Array>,
): CopySplitter {
  return async (source, options) => {
    await using reader = openByteReader(source, options);
    // `split` does not get the source's own chunks.
    const { memory: _memory, ...rest } = options;
    const remuxed = remux(reader, options);
    try {
      const result = await split(remuxed, { ...rest, onBytes: () => undefined });
      return { ...result, sourceSizeBytes: reader.position };
    } finally {
      // `split` stops without waiting for its end.
      await remuxed.return(undefined).catch(() => undefined);
    }
  };
}
