import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeFile } from '../../copy/testing/ffmpeg.ts';
import { startSplit } from '../../testing/split-run.ts';
import { buildWavHeader } from '../samples/wav-header.ts';

const FRAME_SAMPLES = 1152;

for (const remainder of [0, 1, 20, 46, 47, 48, 600, FRAME_SAMPLES - 1]) {
  test(`an mp3 plays exactly what went in, ${remainder} samples into its last frame`, async () => {
    const sampleCount = 20 * FRAME_SAMPLES + remainder;
    await using split = await startSplit(toneAsWav(sampleCount), {
      cut: { mode: 'duration', segmentDurationSeconds: 60 },
      outputFormat: 'mp3',
    });
    await split.outcome;
    const [segment] = split.segments;
    assert.equal(segment?.sampleCount, sampleCount);
    assert.equal((await decodeFile(segment?.path ?? '', 's16le')).length / 2, sampleCount);
  });
}

function toneAsWav(sampleCount: number): Buffer {
  const samples = Buffer.alloc(sampleCount * 2);
  for (let n = 0; n < sampleCount; n++) samples.writeInt16LE(Math.round(9_000 * Math.sin(n / 20)), n * 2);
  const header = buildWavHeader(
    { format: 's16le', sampleRateHz: 44_100, channelCount: 1 },
    sampleCount,
    new Map(),
  );
  return Buffer.concat([header, samples]);
}
