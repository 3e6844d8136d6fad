import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { type AudioSamples, createAudioSamples, sound } from '../../testing/audio-samples.ts';
import { startSplit } from '../../testing/split-run.ts';
import { leadInSamples } from './m4a-duration.ts';

const RATE = 44_100;
const BLOCK_BYTES = 4;

let samples: AudioSamples;
before(async () => {
  samples = await createAudioSamples();
});
after(() => samples[Symbol.asyncDispose]());

test('what comes before the samples fills up their last frame', () => {
  for (const sampleCount of [1, 1_023, 1_024, 1_025, 44_100]) {
    const leadIn = leadInSamples(sampleCount);
    assert.ok(leadIn >= 0 && leadIn < 1_024);
    assert.equal((leadIn + sampleCount) % 1_024, 0);
  }
});

test('a decoder that plays the last frame of an m4a to its end plays what the segment states', async () => {
  const tone = sound(RATE, 5.3, 'stereo');
  const sources = [
    // Where the length is known from the header, and where it has to be counted.
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
        ffmpegPath: samples.ffmpegPath,
        cut,
        outputFormat: 'aac',
      });
      const { sourceSampleCount } = await run.outcome;
      assert.ok(run.segments.length > 1);
      let playedCount = 0;
      for (const segment of run.segments) {
        const played = (await samples.decode(segment.path, 's16le')).length / BLOCK_BYTES;
        assert.equal(played, segment.sampleCount, `segment ${segment.index} of ${path}`);
        playedCount += played;
      }
      assert.equal(playedCount, sourceSampleCount);
    }
  }
});
