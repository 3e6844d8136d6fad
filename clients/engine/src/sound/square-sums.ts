/**
 * Sums of squared samples. Every format has a loop of its own over an array of its type: one loop for all of them would
 * call a function for each sample, and take longer than the decoder. Integers are scaled first: a sum that begins as an
 * integer and outgrows it is slow, and division by a power of two is exact.
 */
import type { PcmFormat } from '../formats/formats.ts';

/** Adds the squares of `frames` frames from frame `at` on, full scale being 1, to `sums` of each channel. */
type AddSquares = (at: number, frames: number, sums: Float64Array) => void;

/** For whole interleaved samples, least significant byte first as in every array of this process. */
export const SQUARE_SUMS: Readonly<Record<PcmFormat, (bytes: Uint8Array) => AddSquares>> = {
  u8: (bytes) =>
    perChannel((from, end, step) => {
      let total = 0;
      for (let at = from; at < end; at += step) {
        const sample = ((bytes[at] ?? 0) - 128) / 128;
        total += sample * sample;
      }
      return total;
    }),
  s16le: (bytes) => {
    const samples = new Int16Array(...aligned(bytes, 2));
    return perChannel((from, end, step) => {
      let total = 0;
      for (let at = from; at < end; at += step) {
        const sample = (samples[at] ?? 0) / 32_768;
        total += sample * sample;
      }
      return total;
    });
  },
  s24le: (bytes) =>
    perChannel((from, end, step) => {
      let total = 0;
      for (let at = 3 * from; at < 3 * end; at += 3 * step) {
        const high = (bytes[at + 2] ?? 0) << 24;
        const sample = ((high >> 8) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at] ?? 0)) / 8_388_608;
        total += sample * sample;
      }
      return total;
    }),
  s32le: (bytes) => {
    const samples = new Int32Array(...aligned(bytes, 4));
    return perChannel((from, end, step) => {
      let total = 0;
      for (let at = from; at < end; at += step) {
        const sample = (samples[at] ?? 0) / 2_147_483_648;
        total += sample * sample;
      }
      return total;
    });
  },
  f32le: (bytes) => {
    const samples = new Float32Array(...aligned(bytes, 4));
    return perChannel((from, end, step) => {
      let total = 0;
      for (let at = from; at < end; at += step) {
        const sample = samples[at] ?? 0;
        total += sample * sample;
      }
      return Number.isFinite(total) ? total : finiteSum(samples, from, end, step);
    });
  },
  f64le: (bytes) => {
    const samples = new Float64Array(...aligned(bytes, 8));
    return perChannel((from, end, step) => {
      let total = 0;
      for (let at = from; at < end; at += step) {
        const sample = samples[at] ?? 0;
        total += sample * sample;
      }
      return Number.isFinite(total) ? total : finiteSum(samples, from, end, step);
    });
  },
};

/** `sumOf`: of the samples from one index up to another, every `step`th. */
function perChannel(sumOf: (from: number, end: number, step: number) => number): AddSquares {
  return (at, frames, sums) => {
    const channels = sums.length;
    const end = (at + frames) * channels;
    for (let channel = 0; channel < channels; channel++)
      sums[channel] = (sums[channel] ?? 0) + sumOf(at * channels + channel, end, channels);
  };
}

/** One NaN would spoil the sums. */
function finiteSum(samples: Float32Array | Float64Array, from: number, end: number, step: number): number {
  let total = 0;
  for (let at = from; at < end; at += step) {
    const sample = samples[at] ?? 0;
    if (Number.isFinite(sample)) total += sample * sample;
  }
  return total;
}

/** What an array of such samples is made of. Bytes that lie askew in their buffer are copied. */
function aligned(bytes: Uint8Array, sampleBytes: number): [ArrayBufferLike, number, number] {
  const { buffer, byteOffset } = byteOffsetFits(bytes, sampleBytes) ? bytes : Uint8Array.from(bytes);
  return [buffer, byteOffset, bytes.length / sampleBytes];
}

function byteOffsetFits({ byteOffset }: Uint8Array, sampleBytes: number): boolean {
  return byteOffset % sampleBytes === 0;
}
