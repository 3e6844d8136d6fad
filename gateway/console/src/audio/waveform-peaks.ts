/** The service's waveform as peaks, which the pages draw. */
import type { DrawnWaveform } from '../api/client.ts';
import type { Peaks } from './peaks.ts';

/** The loudest peak is as high as can be, so that a quiet recording shows its cuts, too. */
export function toPeaks({ data, length, samples_per_pixel, sample_rate }: DrawnWaveform): Peaks {
  const highest = Array.from({ length }, (_, n) =>
    Math.max(Math.abs(data[2 * n] ?? 0), Math.abs(data[2 * n + 1] ?? 0)),
  );
  const scale = 255 / highest.reduce((most, each) => Math.max(most, each), 1);
  return {
    values: Uint8Array.from(highest, (each) => Math.round(each * scale)),
    seconds: (length * samples_per_pixel) / sample_rate,
  };
}

/** The level at a time, for those who do not see it. */
export function describeLevel({ values, seconds }: Peaks, at: number): string {
  const value = values[Math.min(values.length - 1, Math.floor((at / seconds) * values.length))] ?? 0;
  if (value === 0) return 'silent';
  const decibels = Math.round(20 * Math.log10(255 / value));
  return decibels === 0 ? 'as loud as it gets' : `${decibels} dB below the loudest`;
}
