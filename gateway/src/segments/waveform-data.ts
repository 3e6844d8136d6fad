/** The waveform of a job, as splitters draw it: the binary format of BBC's audiowaveform, version 2. */
import type { Waveform } from '../schemas/waveform.ts';

const HEADER_BYTES = 24;

/**
 * As the JSON of audiowaveform, with at most so many points: of pixels that become one the lowest and the highest value
 * are kept.
 */
export function toWaveform(data: Uint8Array, maxPoints: number): Waveform {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const pixels = new Int8Array(data.buffer, data.byteOffset + HEADER_BYTES, data.byteLength - HEADER_BYTES);
  const drawn = pixels.length / 2;
  const merged = Math.max(1, Math.ceil(drawn / maxPoints));
  const length = Math.ceil(drawn / merged);
  const values = Array.from({ length: 2 * length }, (_, at) => {
    const isHighest = at % 2 === 1;
    const first = Math.floor(at / 2) * merged;
    let value = pixels[2 * first + (at % 2)] ?? 0;
    for (let pixel = first + 1; pixel < Math.min(drawn, first + merged); pixel += 1) {
      const other = pixels[2 * pixel + (at % 2)] ?? 0;
      if (isHighest ? other > value : other < value) value = other;
    }
    return value;
  });
  return {
    version: 2,
    channels: 1,
    sample_rate: view.getInt32(8, true),
    samples_per_pixel: view.getInt32(12, true) * merged,
    bits: 8,
    length,
    data: values,
  };
}
