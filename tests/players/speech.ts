/**
 * Sound with the variety of speech, made by arithmetic: syllables of a voice with overtones or of hissing breath,
 * each with a length, pitch, place and loudness of its own, in phrases parted by true silence. Encoders change
 * block sizes and bitrates over it, and meet frames with nothing in them.
 */
import { open } from 'node:fs/promises';
import { SAMPLE_RATE_HZ } from '../../clients/engine/bench/sources.ts';

const OVERTONES = [1, 0.6, 0.35, 0.2];
const MAX_AMPLITUDE = 32_767;
/** A minute is written at a time. */
const BLOCK_SAMPLES = 60 * SAMPLE_RATE_HZ;

interface Syllable {
  readonly sampleCount: number;
  readonly kind: 'voice' | 'breath' | 'silence';
  readonly pitchHz: number;
  readonly loudness: number;
  /** 0 left, 1 right. */
  readonly place: number;
}

/** The same numbers in every run (a linear congruential generator with the constants of Numerical Recipes). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function drawSyllable(random: () => number): Syllable {
  const draw = random();
  const kind = draw < 0.12 ? 'silence' : draw < 0.4 ? 'breath' : 'voice';
  return {
    kind,
    sampleCount: Math.round(
      SAMPLE_RATE_HZ * (kind === 'silence' ? 0.1 + 1.2 * random() : 0.06 + 0.3 * random()),
    ),
    pitchHz: 90 + 160 * random(),
    loudness: 0.05 + 0.5 * random() ** 2,
    place: random(),
  };
}

/** Fills `samples`, stereo, from where the call before ended. */
function createSpeaker(): (samples: Int16Array) => void {
  const random = createRandom(1);
  let syllable = drawSyllable(random);
  let at = 0;
  let phase = 0;
  let breath = 0;
  return (samples) => {
    for (let index = 0; index < samples.length; index += 2) {
      if (at === syllable.sampleCount) {
        syllable = drawSyllable(random);
        at = 0;
      }
      const { kind, pitchHz, loudness, place, sampleCount } = syllable;
      let sound = 0;
      if (kind === 'voice') {
        const glide = 1 + 0.2 * (at / sampleCount - 0.5);
        phase = (phase + (2 * Math.PI * pitchHz * glide) / SAMPLE_RATE_HZ) % (2 * Math.PI);
        for (const [overtone, share] of OVERTONES.entries())
          sound += share * Math.sin((overtone + 1) * phase);
      } else if (kind === 'breath') {
        breath += 0.4 * (2 * random() - 1 - breath);
        sound = breath;
      }
      const swell = 4 * (at / sampleCount) * (1 - at / sampleCount);
      const amplitude = MAX_AMPLITUDE * loudness * swell * sound;
      samples[index] = Math.round(amplitude * (0.5 - place / 4));
      samples[index + 1] = Math.round(amplitude * (0.25 + place / 4));
      at += 1;
    }
  };
}

/** Writes interleaved 16-bit little-endian stereo samples at `SAMPLE_RATE_HZ`, without a header. */
export async function writeSpeech(path: string, seconds: number): Promise<void> {
  await using file = await open(path, 'w');
  const speak = createSpeaker();
  for (let left = seconds * SAMPLE_RATE_HZ; left > 0; left -= BLOCK_SAMPLES) {
    const samples = new Int16Array(2 * Math.min(left, BLOCK_SAMPLES));
    speak(samples);
    await file.writeFile(new Uint8Array(samples.buffer));
  }
}
