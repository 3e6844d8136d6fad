/** Sources of many parts: their cost depends on their bytes, not on the number of parts that they claim. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { createAudioSamples } from './testing/audio-samples.ts';
import { failsWith } from './testing/fails-with.ts';
import { startSplit } from './testing/split-run.ts';

const RATE_HZ = 8_000;
const SECONDS = 2;

const samples = forSuite(createAudioSamples);

test('of 200 streams one is split, and no other is decoded or stored', async () => {
  const maps = Array.from({ length: 200 }, () => ['-map', '0:a']).flat();
  const sound = `anullsrc=r=${RATE_HZ}:cl=mono`;
  const path = await samples.make('many.mov', sound, '-t', `${SECONDS}`, ...maps, '-c:a', 'pcm_s16le');
  let reservedBytes = 0;
  await using run = await startSplit(await readFile(path), {
    cut: { mode: 'duration', segmentDurationSeconds: 1 },
    outputFormat: 'wav',
    maxOutputBytes: 2 * SECONDS * RATE_HZ + 2_000,
    scratchRoom: {
      shareBytes: 1_000_000,
      reserve: async (bytes) => {
        reservedBytes = Math.max(reservedBytes, bytes);
      },
    },
  });
  const result = await run.outcome;
  assert.equal(result.sourceSampleCount, SECONDS * RATE_HZ);
  assert.equal(result.segmentCount, SECONDS);
  assert.ok(reservedBytes < 500_000, `${reservedBytes}`);
});

test('the segment headers of 10,000 chapters count towards the limit, which ends the split', async () => {
  const chapters = Array.from({ length: 10_000 }, (_, n) => ({ startTime: n / 5_000, title: `${n}` }));
  const path = await samples.make('chapters.wav', `anullsrc=r=${RATE_HZ}:cl=mono`, '-t', `${SECONDS}`);
  await using run = await startSplit(await readFile(path), {
    cut: { mode: 'planned', request: { splitMode: 'chapters', chapters } },
    maxOutputBytes: 100_000,
  });
  await assert.rejects(run.outcome, failsWith('OUTPUT_TOO_LARGE'));
  const writtenBytes = run.segments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  assert.ok(writtenBytes <= 100_000, `${writtenBytes}`);
  assert.deepEqual(await run.leftovers(), []);
});
