/**
 * Sources in formats that few encoders write: DSD, Monkey's Audio, WavPack beyond its usual rates and
 * channels.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { decodeFile, decodeJoined } from '../copy/testing/ffmpeg.ts';
import { createSilentApe } from '../testing/ape-files.ts';
import { createAudioSamples, sound } from '../testing/audio-samples.ts';
import { createDff, createDsf, type DsdSpec } from '../testing/dsd-files.ts';
import { startSplit } from '../testing/split-run.ts';

const CUT = { mode: 'duration', segmentDurationSeconds: 1 } as const;

const samples = forSuite(createAudioSamples);

const TONE: DsdSpec = {
  bitRateHz: 2_822_400,
  channelCount: 2,
  bitCount: 1.25 * 2_822_400,
  toneHz: 441,
  amplitude: 0.4,
};

for (const [name, bytes] of [
  ['DSF', createDsf(TONE)],
  [
    'DSF of one channel at the double rate',
    createDsf({ ...TONE, bitRateHz: 5_644_800, bitCount: 7_056_000, channelCount: 1 }),
  ],
  ['DFF', createDff(TONE)],
] as const) {
  // Covers C-6.11
  test(`${name} becomes flac of 24 bits at 88,200 Hz, and wav likewise`, async () => {
    const channelCount = name.includes('one channel') ? 1 : 2;
    for (const outputFormat of [undefined, 'wav'] as const) {
      await using run = await startSplit(bytes, {
        cut: CUT,
        ...(outputFormat === undefined ? {} : { outputFormat }),
      });
      const result = await run.outcome;
      assert.equal(result.outputFormat, outputFormat ?? 'flac');
      assert.deepEqual(
        run.segments.map(({ startSample, sampleCount, sampleRateHz }) => [
          startSample,
          sampleCount,
          sampleRateHz,
        ]),
        [
          [0, 88_200, 88_200],
          [88_200, 0.25 * 88_200, 88_200],
        ],
      );
      const joined: Buffer[] = [];
      for (const { path } of run.segments) {
        const { pcm, description } = await samples.describe(path);
        assert.match(description, /, 88200 Hz, .*, s32 \(24 bit\)/);
        joined.push(pcm);
      }
      const values = Buffer.concat(joined);
      // The filters of modulator, decoder and resampler need a moment to settle, and the tone lasts to the
      // end: no click.
      for (let sample = 200; sample < 1.25 * 88_200 - 20; sample += 1) {
        const value = values.readInt32LE(4 * channelCount * sample) / 2 ** 31;
        assert.ok(Math.abs(value) < 0.42, `${value} at ${sample}`);
      }
      const quarter = values.readInt32LE(4 * channelCount * (88_200 + 50)) / 2 ** 31;
      assert.ok(Math.abs(quarter - 0.4) < 0.02, `${quarter}`);
    }
  });
}

// Covers C-6.8
test("Monkey's Audio becomes flac of its depth, sample for sample", async () => {
  for (const [bits, expected] of [
    [16, /flac, 44100 Hz, stereo, s16/],
    [24, /flac, 44100 Hz, stereo, s32 \(24 bit\)/],
  ] as const) {
    const spec = { sampleRateHz: 44_100, channelCount: 2, bits, sampleCount: 110_250 } as const;
    await using run = await startSplit(createSilentApe(spec), { cut: CUT });
    const result = await run.outcome;
    assert.deepEqual([result.outputFormat, result.sourceSampleCount], ['flac', 110_250]);
    for (const { path, sampleCount } of run.segments) {
      const { description, pcm } = await samples.describe(path);
      assert.match(description, expected);
      assert.equal(pcm.length, 8 * sampleCount);
      assert.ok(pcm.every((byte) => byte === 0));
    }
  }
});

for (const [rate, channels] of [
  [12_345, 'mono'],
  [176_400, 'stereo'],
  [384_000, 'stereo'],
  [48_000, '5.1'],
] as const) {
  // Covers C-6.10
  test(`WavPack of ${rate} Hz, ${channels}, becomes flac, sample for sample`, async () => {
    const name = `${rate}-${channels}.wv`;
    const args = ['-c:a', 'wavpack', '-sample_fmt', 's16p'];
    const path = await samples.make(name, sound(rate, 1.4, channels), ...args);
    const source = await decodeFile(path, 's16le');
    await using run = await startSplit(await readFile(path), { cut: CUT });
    assert.equal((await run.outcome).outputFormat, 'flac');
    assert.ok((await decodeJoined(run.segments, 's16le')).equals(source));
    assert.equal(run.segments[0]?.sampleRateHz, rate);
  });
}

// Covers C-6.15
test('AAC in LATM becomes aac, and DTS becomes mp3', async () => {
  const latm = await samples.make(
    'latm.ts',
    sound(48_000, 2, 'stereo'),
    '-c:a',
    'aac',
    '-mpegts_flags',
    'latm',
  );
  const dts = await samples.make('a.mka', sound(48_000, 2, 'stereo'), '-c:a', 'dca', '-strict', '-2');
  for (const [path, expected] of [
    [latm, 'aac'],
    [dts, 'mp3'],
  ] as const) {
    await using run = await startSplit(await readFile(path), { cut: CUT });
    assert.equal((await run.outcome).outputFormat, expected);
  }
});
