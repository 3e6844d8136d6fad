export interface Waveform {
  readonly sampleRateHz: number;
  readonly samplesPerPixel: number;
  /** Lowest and highest of each pixel in turn, from -128 to 127. */
  readonly values: Int8Array;
}

interface PeakMeterOptions {
  readonly sampleRateHz: number;
  /** Later samples are ignored. */
  readonly seconds: number;
  readonly maxPixels: number;
}

interface PeakMeter {
  readonly sampleRateHz: number;
  /** Unsigned 8-bit samples; the first is sample `position` of the recording. */
  push(samples: Uint8Array, position: number): void;
  finish(): Waveform;
}

const MIDDLE = 128;

export function createPeakMeter({ sampleRateHz, seconds, maxPixels }: PeakMeterOptions): PeakMeter {
  const sampleCount = Math.max(1, Math.round(seconds * sampleRateHz));
  const samplesPerPixel = Math.ceil(sampleCount / maxPixels);
  const length = Math.ceil(sampleCount / samplesPerPixel);
  const lowest = new Uint8Array(length).fill(255);
  const highest = new Uint8Array(length);

  return {
    sampleRateHz,
    push(samples, position) {
      const count = Math.min(samples.length, sampleCount - position);
      let at = 0;
      while (at < count) {
        const pixel = Math.floor((position + at) / samplesPerPixel);
        const end = Math.min(count, (pixel + 1) * samplesPerPixel - position);
        let low = lowest[pixel] ?? MIDDLE;
        let high = highest[pixel] ?? MIDDLE;
        for (; at < end; at += 1) {
          const sample = samples[at] ?? MIDDLE;
          if (sample < low) low = sample;
          if (sample > high) high = sample;
        }
        lowest[pixel] = low;
        highest[pixel] = high;
      }
    },
    finish() {
      const values = new Int8Array(2 * length);
      for (let pixel = 0; pixel < length; pixel += 1) {
        const low = lowest[pixel] ?? MIDDLE;
        const high = highest[pixel] ?? MIDDLE;
        if (low > high) continue;
        values[2 * pixel] = low - MIDDLE;
        values[2 * pixel + 1] = high - MIDDLE;
      }
      return { sampleRateHz, samplesPerPixel, values };
    },
  };
}
