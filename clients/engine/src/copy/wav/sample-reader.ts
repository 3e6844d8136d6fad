import type { ByteReader } from '../source/byte-reader.ts';
import type { WaveHead } from './wave-header.ts';

/** Whole samples of the data chunk, in order; an incomplete one at the end is dropped. */
interface SampleReader {
  /** The number of samples that are available: at least `sampleCount`, unless fewer are left. */
  ready(sampleCount: number): Promise<number>;
  /** Takes available samples. */
  take(sampleCount: number): Buffer;
  /** Skips samples without reading them; returns how many there were, at most `sampleCount`. */
  pass(sampleCount: number): Promise<number>;
}

export function createSampleReader(reader: ByteReader, head: WaveHead): SampleReader {
  const { blockAlignBytes } = head;
  let bytesLeft = head.dataBytes;
  return {
    async ready(sampleCount) {
      await reader.fill(Math.min(sampleCount * blockAlignBytes, bytesLeft));
      return Math.floor(Math.min(reader.window.length, bytesLeft) / blockAlignBytes);
    },
    take(sampleCount) {
      const bytes = reader.window.subarray(0, sampleCount * blockAlignBytes);
      reader.consume(bytes.length);
      bytesLeft -= bytes.length;
      return bytes;
    },
    async pass(sampleCount) {
      const start = reader.position;
      await reader.skip(Math.min(sampleCount * blockAlignBytes, bytesLeft));
      const passedBytes = reader.position - start;
      bytesLeft -= passedBytes;
      return Math.floor(passedBytes / blockAlignBytes);
    },
  };
}
