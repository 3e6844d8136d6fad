/** Copies whose cuts are between packets: the errors that must not result. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import type { CutRequest } from '@audiosplit/cuts/cut-request';
import { CUT_BETWEEN_PACKETS, createPlannedSamples, SECONDS } from './planned.fixture.ts';

const fixture = forSuite(() => createPlannedSamples(Object.keys(CUT_BETWEEN_PACKETS)));

const CAPPED: readonly CutRequest[] = [
  { splitMode: 'duration', segmentDuration: 7, maxDuration: 5 },
  { splitMode: 'parts', parts: 2, maxDuration: 5, overlap: 1 },
  { splitMode: 'chapters', chapters: [{ startTime: 5 }, { startTime: 7 }], maxDuration: 5 },
  { splitMode: 'fileSize', maxFileSize: 90_000, maxDuration: 5 },
];

for (const name of Object.keys(CUT_BETWEEN_PACKETS)) {
  // Covers C-3.4
  test(`${name}: no segment is longer than the cap`, async () => {
    for (const request of CAPPED) {
      await using done = await fixture.split(name, request);
      const lengths = done.segments.map(({ sampleCount, sampleRateHz }) => sampleCount / sampleRateHz);
      const longest = Math.max(...lengths);
      assert.ok(longest <= 5, `${request.splitMode}: ${longest} s`);
    }
  });

  test(`${name}: a range within the last packet is written, and reported by a dry run`, async () => {
    const ranges = [{ start: SECONDS - 0.002 }, { start: 3, end: 6 }];
    for (const request of [
      { splitMode: 'ranges', ranges },
      { splitMode: 'ranges', ranges, dryRun: true },
      { splitMode: 'ranges', ranges, maxFileSize: 70_000 },
    ] satisfies CutRequest[]) {
      await using done = await fixture.split(name, request);
      assert.deepEqual(
        done.segments.map(({ index }) => index),
        [0, 1],
      );
    }
  });
}
