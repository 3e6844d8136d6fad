import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { decodeFiles } from '../../copy/testing/ffmpeg.ts';
import { createAudioSamples, sound } from '../../testing/audio-samples.ts';
import { startSplit } from '../../testing/split-run.ts';
import { leadInSamples } from './m4a-duration.ts';

const RATE = 44_100;
const BLOCK_BYTES = 4;

const samples = forSuite(createAudioSamples);

test('the encoder delay before the samples fills their last frame', () => {
  for (const sampleCount of [1, 1_023, 1_024, 1_025, 44_100]) {
    const leadIn = leadInSamples(sampleCount);
    assert.ok(leadIn >= 0 && leadIn < 1_024);
    assert.equal((leadIn + sampleCount) % 1_024, 0);
  }
});

test('a decoder that plays the last frame of an m4a completely plays the length that the segment states', async () => {
  const tone = sound(RATE, 5.3, 'stereo');
  const sources = [
    // One source whose length is in the header, and one whose length has to be counted.
    await samples.make('stated.wav', tone),
    await samples.make('unstated.ogg', tone),
  ];
  const cuts = [
    { mode: 'duration', segmentDurationSeconds: 2 },
    { mode: 'fileSize', maxFileSizeBytes: 50_000 },
  ] as const;
  for (const path of sources) {
    for (const cut of cuts) {
      const source = await readFile(path);
      await using run = await startSplit(source, {
        cut,
        outputFormat: 'aac',
      });
      const { sourceSampleCount } = await run.outcome;
      assert.ok(run.segments.length > 1);
      const decoded = await decodeFiles(
        run.segments.map((segment) => segment.path),
        's16le',
      );
      const played = decoded.map(({ length }) => length / BLOCK_BYTES);
      assert.deepEqual(
        played,
        run.segments.map(({ sampleCount }) => sampleCount),
        path,
      );
      assert.equal(
        played.reduce((sum, count) => sum + count, 0),
        sourceSampleCount,
      );
    }
  }
});
