/**
 * Sums of squared samples. Every format has its own loop over an array of its type: one loop for all would
 * call a function for each sample, and take longer than the decoder. Integers are scaled first: a sum that
 * begins as an integer and overflows is slow, and division by a power of two is exact.
 */
import type { PcmFormat } from '../formats/formats.ts';

/**
 * Adds the squares of `frames` frames from frame `at` on, relative to full scale, to `sums` of each channel.
 */
type AddSquares = (at: number, frames: number, sums: Float64Array) => void;

/** For whole interleaved samples, least significant byte first. */
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
    function sumOf(from: number, end: number, step: number): number {
      let total = 0;
      for (let at = from; at < end; at += step) {
        const sample = (samples[at] ?? 0) / 32_768;
        total += sample * sample;
      }
      return total;
    }
    return perChannel(sumOf, (from, end) => {
      let left = 0;
      let right = 0;
      for (let at = from; at < end; at += 2) {
        const one = (samples[at] ?? 0) / 32_768;
        const other = (samples[at + 1] ?? 0) / 32_768;
        left += one * one;
        right += other * other;
      }
      return [left, right];
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
    function sumOf(from: number, end: number, step: number): number {
      let total = 0;
      for (let at = from; at < end; at += step) {
        const sample = samples[at] ?? 0;
        total += sample * sample;
      }
      return Number.isFinite(total) ? total : finiteSum(samples, from, end, step);
    }
    return perChannel(sumOf, (from, end) => {
      let left = 0;
      let right = 0;
      for (let at = from; at < end; at += 2) {
        const one = samples[at] ?? 0;
        const other = samples[at + 1] ?? 0;
        left += one * one;
        right += other * other;
      }
      return Number.isFinite(left + right) ? [left, right] : [sumOf(from, end, 2), sumOf(from + 1, end, 2)];
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

/**
 * `sumOf`: sums every `step`th sample from one index up to another. `sumsOfTwo`: the same for two channels in
 * one loop, in which an addition does not wait for the previous one. Most audio has two channels, and most
 * formats have such a loop.
 */
function perChannel(
  sumOf: (from: number, end: number, step: number) => number,
  sumsOfTwo?: (from: number, end: number) => readonly [left: number, right: number],
): AddSquares {
  return (at, frames, sums) => {
    const channels = sums.length;
    const end = (at + frames) * channels;
    if (channels === 2 && sumsOfTwo !== undefined) {
      const [left, right] = sumsOfTwo(2 * at, end);
      sums[0] = (sums[0] ?? 0) + left;
      sums[1] = (sums[1] ?? 0) + right;
      return;
    }
    for (let channel = 0; channel < channels; channel++)
      sums[channel] = (sums[channel] ?? 0) + sumOf(at * channels + channel, end, channels);
  };
}

/** One NaN would make the sums NaN. */
function finiteSum(samples: Float32Array | Float64Array, from: number, end: number, step: number): number {
  let total = 0;
  for (let at = from; at < end; at += step) {
    const sample = samples[at] ?? 0;
    if (Number.isFinite(sample)) total += sample * sample;
  }
  return total;
}

/** The typed array of such samples. Bytes that are not aligned in their buffer are copied. */
function aligned(bytes: Uint8Array, sampleBytes: number): [ArrayBufferLike, number, number] {
  const { buffer, byteOffset } = byteOffsetFits(bytes, sampleBytes) ? bytes : new Uint8Array(bytes);
  return [buffer, byteOffset, bytes.length / sampleBytes];
}

function byteOffsetFits({ byteOffset }: Uint8Array, sampleBytes: number): boolean {
  return byteOffset % sampleBytes === 0;
}
