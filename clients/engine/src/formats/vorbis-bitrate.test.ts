import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { vorbisBitrates } from '@audiosplit/cuts/vorbis-bitrates';
import { createAudioSamples, sound } from '../testing/audio-samples.ts';
import { runConversion } from '../testing/conversion-run.ts';

const SECONDS = 2.25;
const BY_DURATION = { mode: 'duration', segmentDurationSeconds: 1 } as const;

const samples = forSuite(createAudioSamples);
const sources = forSuite(
  async () => ({
    stereo: await readFile(await samples.make('stereo.wav', sound(44_100, SECONDS, 'stereo'))),
  }),
  samples,
);

describe('bitrates of ogg', () => {
  const encode = (sampleRate: number, channels: number, bitrate: number) =>
    samples.make(
      'bitrate.ogg',
      sound(sampleRate, 0.1, channels === 1 ? 'mono' : 'stereo'),
      ...['-c:a', 'libvorbis', '-b:a', String(bitrate)],
    );

  for (const channels of [1, 2]) {
    test(`the range for ${channels} is the encoder's`, async () => {
      for (const sampleRate of [
        8_000, 9_000, 11_025, 16_000, 22_050, 26_000, 32_000, 40_000, 44_100, 50_000,
      ]) {
        const { minimum, maximum } = vorbisBitrates({ sampleRate, channels });
        await encode(sampleRate, channels, minimum);
        await encode(sampleRate, channels, maximum);
        const isOfEncoder = { least: minimum > 16_000, most: maximum < 500_000 };
        if (isOfEncoder.least) await assert.rejects(encode(sampleRate, channels, minimum - 1_000));
        if (isOfEncoder.most) await assert.rejects(encode(sampleRate, channels, maximum + 1_000));
      }
    });
  }

  test('a higher bitrate gives larger segments, also above 50 kHz', async () => {
    for (const sampleRate of [44_100, 96_000]) {
      let least = 0;
      for (const bitrate of [45_000, 60_000, 80_000, 160_000, 500_000]) {
        await using run = await runConversion(sources.stereo, {
          cut: { mode: 'duration', segmentDurationSeconds: 60 },
          outputFormat: 'ogg',
          encoding: { sampleRate, bitrate },
        });
        const [segment] = run.segments;
        assert.ok((segment?.sizeBytes ?? 0) > least, `${bitrate} at ${sampleRate}: ${segment?.sizeBytes}`);
        least = segment?.sizeBytes ?? 0;
      }
    }
  });

  test('every rate and every number of channels has a default', async () => {
    for (const sampleRate of [8_000, 9_001, 15_000, 25_999, 40_000, 50_001, 192_000]) {
      for (const channels of [1, 2]) {
        await using run = await runConversion(sources.stereo, {
          cut: BY_DURATION,
          outputFormat: 'ogg',
          encoding: { sampleRate, channels },
        });
        assert.equal(run.segments.length, 3);
      }
    }
  });
});
