import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { decodeFile } from '../../copy/testing/ffmpeg.ts';
import { startSplit } from '../../testing/split-run.ts';
import { buildWavHeader } from '../samples/wav-header.ts';
import { setExactPadding } from './mp3-padding.ts';

const FRAME_SAMPLES = 1152;

for (const remainder of [0, 1, 20, 46, 47, 48, 600, FRAME_SAMPLES - 1]) {
  test(`an mp3 plays exactly the encoded samples, ${remainder} samples into its last frame`, async () => {
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

test('an mp3 that ends within its info frame is rejected', async () => {
  await using split = await startSplit(toneAsWav(20 * FRAME_SAMPLES), {
    cut: { mode: 'duration', segmentDurationSeconds: 60 },
    outputFormat: 'mp3',
  });
  await split.outcome;
  const path = split.segments[0]?.path ?? '';
  const bytes = await readFile(path);
  const lame = bytes.indexOf('Lav');
  assert.ok(lame > 0);
  for (const keptBytes of [lame + 24, lame + 30, lame + 35]) {
    await writeFile(path, bytes.subarray(0, keptBytes));
    await assert.rejects(setExactPadding(path, 20 * FRAME_SAMPLES - 5), /without a complete info frame/);
  }
});

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
