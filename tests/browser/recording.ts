import { tone } from '../harness/servers/tones.ts';

/** A recording with a visible waveform: phrases that swell and fade over a tone, as speech does. */
export function makeRecording(seconds: number): Buffer {
  return tone(seconds, (at) => {
    const chapter = 0.55 + 0.4 * Math.sin(at / 41) * Math.cos(at / 17 + 1);
    const phrase = Math.max(0, Math.sin(at / 1.9) + 0.55 * Math.sin(at / 5.3 + 2));
    return 24_000 * Math.min(1, chapter * (0.08 + 0.6 * phrase)) * Math.sin(2 * Math.PI * 190 * at);
  });
}
