import assert from 'node:assert/strict';
import { stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { createPlannedSamples, splitByRequest } from './planned.fixture.ts';

const fixture = forSuite(() => createPlannedSamples(['wav']));

test('a local file that is written while it is cut by plan fails the split', async () => {
  const { dir, ffmpegPath } = fixture.samples;
  const path = join(dir, 'upload.wav');
  await writeFile(path, fixture.sourceOf('wav'));
  const { size, mtime } = await stat(path);
  const ranges = [
    { start: 0, end: 3 },
    { start: 1, end: 4 },
  ];
  const outcome = splitByRequest(
    Buffer.alloc(0),
    { splitMode: 'ranges', ranges },
    {
      ffmpegPath,
      source: { path, sizeBytes: size, modifiedAtMs: mtime.getTime() },
      onSegment: () => utimes(path, mtime, new Date(mtime.getTime() + 5_000)),
    },
  );
  await assert.rejects(outcome, /replaced while it was being split/);
});
