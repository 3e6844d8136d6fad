import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import type { CutRequest } from '@audiosplit/cuts/cut-request';
import { failsWith } from '../testing/fails-with.ts';
import { createPlannedSamples, SECONDS } from './planned.fixture.ts';

const fixture = forSuite(() => createPlannedSamples(['mp3']));

function sameRange(count: number, start: number): CutRequest {
  const ranges = Array.from({ length: count }, () => ({ start, end: start + 0.5 }));
  return { splitMode: 'ranges', ranges };
}

test('ranges that overlap too much fail before anything is cut, copied or encoded, and in a dry run', async () => {
  const tooMany = sameRange(40, SECONDS - 1);
  for (const request of [tooMany, { ...tooMany, dryRun: true }, { ...tooMany, maxFileSize: 65_536 }]) {
    const handedOut: number[] = [];
    const outcome = fixture.split('mp3', request, {
      onSegment: async ({ index }) => void handedOut.push(index),
    });
    await assert.rejects(outcome, failsWith('TOO_MUCH_OVERLAP'));
    assert.deepEqual(handedOut, []);
  }
  await assert.rejects(fixture.split('mp3', tooMany, { outputFormat: 'aac' }), failsWith('TOO_MUCH_OVERLAP'));
});

test('any number of ranges that overlap at the start of a source are cut', async () => {
  await using done = await fixture.split('mp3', sameRange(40, 0));
  assert.equal(done.segments.length, 40);
});
