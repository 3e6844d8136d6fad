import { createHash } from 'node:crypto';
import type { PcmBlock } from './coding/pcm-block.ts';

/** The MD5 of a stream's samples, as STREAMINFO states it. */
export interface AudioMd5 {
  /** Adds samples [from, to) of a block. */
  update(block: PcmBlock, from: number, to: number): void;
  digest(): Buffer;
}

/**
 * Samples are hashed interleaved, each in the smallest number of whole bytes, least significant first (RFC
 * 9639 8.2).
 */
export function createAudioMd5(bitsPerSample: number): AudioMd5 {
  const hash = createHash('md5');
  const sampleBytes = Math.ceil(bitsPerSample / 8);
  let packed = Buffer.alloc(0);
  return {
    update({ channels }, from, to) {
      const frameBytes = sampleBytes * channels.length;
      const byteCount = (to - from) * frameBytes;
      if (packed.length < byteCount) packed = Buffer.alloc(byteCount);
      const view = new DataView(packed.buffer, packed.byteOffset, packed.length);
      for (const [index, samples] of channels.entries()) {
        let at = index * sampleBytes;
        for (let sample = from; sample < to; sample++, at += frameBytes) {
          const value = samples[sample] ?? 0;
          if (sampleBytes === 2) view.setInt16(at, value, true);
          else if (sampleBytes === 4) view.setInt32(at, value, true);
          else {
            view.setInt8(at, value);
            if (sampleBytes === 3) view.setInt16(at + 1, value >> 8, true);
          }
        }
      }
      hash.update(packed.subarray(0, byteCount));
    },
    digest: () => hash.digest(),
  };
}
