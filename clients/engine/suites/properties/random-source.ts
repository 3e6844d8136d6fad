/** Random sources of the containers that are copied, and how they are encoded. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { runFfmpeg, withScratchDir } from '../../src/copy/testing/ffmpeg.ts';
import { createWave, wrapInTags } from '../golden/containers.ts';
import { createSound, encodePcm, type SampleFormat } from '../golden/sound.ts';

export type Kind = 'wav' | 'flac' | 'mp3' | 'ogg' | 'm4a';

export interface RandomSource {
  readonly kind: Kind;
  readonly sampleRateHz: number;
  readonly channelCount: 1 | 2;
  readonly pcm: SampleFormat;
  readonly sampleCount: number;
  /** The length that `sampleCount` was chosen for: multiples of it, and remainders on either side of a tenth of a second. */
  readonly segmentDurationSeconds: number;
  readonly isVariableBitrate: boolean;
  readonly hasTags: boolean;
  /** mp3: an info frame; m4a: the index in front. */
  readonly isWellHeaded: boolean;
}

const DEPTHS: Readonly<Record<Kind, readonly SampleFormat[]>> = {
  wav: ['u8', 's16le', 's24le', 's32le', 'f32le'],
  flac: ['s16le', 's24le'],
  mp3: ['s16le'],
  ogg: ['s16le'],
  m4a: ['s16le'],
};

const RATES_HZ: Readonly<Record<Kind, readonly number[]>> = {
  wav: [8_000, 12_345, 22_050, 44_100, 96_000],
  flac: [8_000, 16_000, 44_100, 48_000, 96_000],
  mp3: [8_000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000],
  ogg: [8_000, 16_000, 22_050, 44_100, 48_000],
  m4a: [8_000, 16_000, 22_050, 44_100, 48_000],
};

/** Multiples of 0.04 s: no boundary falls midway between two samples, where rounding is a matter of taste. */
const segmentDurationSeconds = fc.integer({ min: 5, max: 17 }).map((units) => (4 * units) / 100);

/** In samples, for a rate: nothing, next to nothing, both sides of a tenth of a second, anything. */
function remainder(sampleRateHz: number): fc.Arbitrary<number> {
  const tenth = Math.ceil(sampleRateHz / 10);
  return fc.oneof(
    fc.constantFrom(0, 0, 1, tenth - 1, tenth, tenth + 1),
    fc.integer({ min: 0, max: Math.ceil(sampleRateHz / 2) }),
  );
}

export function randomSource(kinds: readonly Kind[]): fc.Arbitrary<RandomSource> {
  return fc.constantFrom(...kinds).chain((kind) =>
    fc.constantFrom(...RATES_HZ[kind]).chain((sampleRateHz) =>
      fc
        .record({
          channelCount: fc.constantFrom(1 as const, 2 as const),
          pcm: fc.constantFrom(...DEPTHS[kind]),
          segmentDurationSeconds,
          multiple: fc.integer({ min: 1, max: 4 }),
          remainder: remainder(sampleRateHz),
          isVariableBitrate: fc.boolean(),
          hasTags: fc.boolean(),
          isWellHeaded: fc.boolean(),
        })
        .map(({ multiple, remainder: rest, ...choices }) => ({
          ...choices,
          kind,
          sampleRateHz,
          sampleCount: Math.round(multiple * choices.segmentDurationSeconds * sampleRateHz) + rest,
        })),
    ),
  );
}

export async function makeSource(source: RandomSource): Promise<Buffer> {
  const { kind, sampleRateHz, channelCount, pcm, sampleCount } = source;
  const sound = createSound(sampleRateHz, channelCount, sampleCount);
  if (kind === 'wav') return createWave(sound, pcm);
  return withScratchDir(async (dir) => {
    const path = join(dir, `source.${kind}`);
    const input = ['-f', pcm, '-ar', String(sampleRateHz), '-ac', String(channelCount), '-i', 'pipe:0'];
    const tags = source.hasTags ? ['-metadata', 'title=Random', '-metadata', 'artist=Nobody'] : [];
    await runFfmpeg([...input, ...encoderArgs(source), ...tags, path], encodePcm(sound, pcm));
    const file = await readFile(path);
    return kind === 'mp3' && source.hasTags ? wrapInTags(file) : file;
  });
}

function encoderArgs(source: RandomSource): readonly string[] {
  const { kind, pcm, sampleRateHz, channelCount, isVariableBitrate, isWellHeaded } = source;
  switch (kind) {
    case 'wav':
      return [];
    case 'flac':
      return pcm === 's24le' ? ['-c:a', 'flac', '-sample_fmt', 's32', '-bits_per_raw_sample', '24'] : [];
    case 'mp3': {
      const bitrate = sampleRateHz < 16_000 ? '32k' : '64k';
      const rate = isVariableBitrate ? ['-q:a', '5'] : ['-b:a', bitrate];
      return ['-c:a', 'libmp3lame', ...rate, '-write_xing', isWellHeaded ? '1' : '0', '-id3v2_version', '0'];
    }
    case 'ogg':
      return ['-c:a', 'libvorbis', '-q:a', isVariableBitrate ? '6' : '1'];
    case 'm4a': {
      const bitrate = Math.min(64_000, 3 * sampleRateHz * channelCount);
      const flags = isWellHeaded ? ['-movflags', '+faststart'] : [];
      // Noise substitution is drawn at random by decoders.
      return ['-c:a', 'aac', '-aac_pns', '0', '-b:a', String(bitrate), ...flags];
    }
    default:
      return kind satisfies never;
  }
}

/** How the bytes of a source come in: pieces of these sizes, over and over. */
export const chunkSizes = fc.array(fc.integer({ min: 1, max: 40_000 }), { minLength: 1, maxLength: 8 });

export async function* inChunks(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  // A source of many bytes in pieces of one each would only cost time.
  const least = bytes.length / 500;
  for (let index = 0; at < bytes.length; index++) {
    const end = at + Math.max(least, sizes[index % sizes.length] ?? 1);
    yield bytes.subarray(at, Math.ceil(end));
    at = Math.ceil(end);
  }
}
