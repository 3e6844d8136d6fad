import type { Peaks } from '../audio/peaks.ts';

const COUNT = 600;

/** Invented peaks for five minutes, as an example. */
export function sampleOutline(): Peaks {
  const values = Uint8Array.from({ length: COUNT }, (_, n) => {
    const phrase = 0.55 + 0.45 * Math.sin(n / 31) * Math.sin(n / 97 + 1);
    const syllable = Math.abs(Math.sin(n * 1.7) * Math.cos(n * 0.61 + 2));
    return Math.round(255 * Math.min(1, 0.12 + 0.95 * phrase * syllable));
  });
  return { values, seconds: 300 };
}
