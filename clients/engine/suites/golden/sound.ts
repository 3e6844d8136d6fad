/**
 * Sound made by integer arithmetic alone, the same on every machine: a triangle wave that climbs, with noise that
 * comes and goes. No two moments are alike, so a sample at the wrong place shows.
 */

/** Samples of 24 bits, interleaved. */
export interface Sound {
  readonly sampleRateHz: number;
  readonly channelCount: number;
  readonly sampleCount: number;
  readonly samples: Int32Array;
}

/** A quarter of the full scale for the tone and as much for the noise. */
const AMPLITUDE = 2 ** 21;
const PHASE_STEPS = 2 ** 20;
const START_HZ = 220;

export function createSound(sampleRateHz: number, channelCount: number, sampleCount: number): Sound {
  const samples = new Int32Array(sampleCount * channelCount);
  for (let channel = 0; channel < channelCount; channel++) {
    let phase = 0;
    let state = 1 + channel;
    for (let at = 0; at < sampleCount; at++) {
      const frequencyHz = START_HZ * (channel + 1) + Math.floor((400 * at) / sampleRateHz);
      phase = (phase + Math.floor((frequencyHz * PHASE_STEPS) / sampleRateHz)) % PHASE_STEPS;
      // The constants of Numerical Recipes; the upper bits are the random ones.
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      const noise = (state >>> 10) - AMPLITUDE;
      const isNoisy = Math.floor((7 * at) / sampleRateHz) % 3 === channel % 3;
      samples[at * channelCount + channel] = triangle(phase) + (isNoisy ? noise >> 2 : noise >> 8);
    }
  }
  return { sampleRateHz, channelCount, sampleCount, samples };
}

function triangle(phase: number): number {
  const distance = Math.abs(phase - PHASE_STEPS / 2);
  return (4 * AMPLITUDE * distance) / PHASE_STEPS - AMPLITUDE;
}

export type SampleFormat = 'u8' | 's16le' | 's24le' | 's32le' | 'f32le';

export const SAMPLE_BYTES: Readonly<Record<SampleFormat, number>> = {
  u8: 1,
  s16le: 2,
  s24le: 3,
  s32le: 4,
  f32le: 4,
};

/** The lower bits of 32-bit samples are the upper ones once more, so that each of their bytes counts. */
export function encodePcm(sound: Sound, format: SampleFormat): Buffer {
  const width = SAMPLE_BYTES[format];
  const bytes = Buffer.alloc(sound.samples.length * width);
  for (const [index, sample] of sound.samples.entries()) writeSample(bytes, index * width, sample, format);
  return bytes;
}

function writeSample(bytes: Buffer, at: number, sample: number, format: SampleFormat): void {
  switch (format) {
    case 'u8':
      bytes.writeUInt8((sample >> 16) + 128, at);
      return;
    case 's16le':
      bytes.writeInt16LE(sample >> 8, at);
      return;
    case 's24le':
      bytes.writeIntLE(sample, at, 3);
      return;
    case 's32le':
      bytes.writeInt32LE((sample << 8) | ((sample >> 12) & 0xff), at);
      return;
    case 'f32le':
      bytes.writeFloatLE(sample / 2 ** 23, at);
      return;
    default:
      format satisfies never;
  }
}

/** Samples of any integer format as 32-bit ones, which is what all are compared as; floats stay as they are. */
export function widen(pcm: Buffer, format: SampleFormat): Buffer {
  if (format === 's32le' || format === 'f32le') return pcm;
  const width = SAMPLE_BYTES[format];
  const wide = Buffer.alloc((pcm.length / width) * 4);
  for (let index = 0; index * width < pcm.length; index++) {
    const value = format === 'u8' ? pcm.readUInt8(index) - 128 : pcm.readIntLE(index * width, width);
    wide.writeInt32LE(value << (32 - 8 * width), index * 4);
  }
  return wide;
}
