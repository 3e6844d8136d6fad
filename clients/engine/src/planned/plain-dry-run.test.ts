/** A dry run of a plain cut tells exactly what the job makes, which is not planned. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import type { CutRequest } from '@audiosplit/cuts/cut-request';
import { fromCutRequest } from '../cuts/cut.ts';
import type { FinishedSegment, SplitOptions } from '../media.ts';
import { COPIED, CUT_BETWEEN_PACKETS, createPlannedSamples, splitByRequest } from './planned.fixture.ts';

const NAMES = Object.keys({ ...COPIED, ...CUT_BETWEEN_PACKETS });
const fixture = forSuite(() => createPlannedSamples(NAMES));

const REQUESTS = [
  { splitMode: 'duration', segmentDuration: 7 },
  { splitMode: 'fileSize', maxFileSize: 200_000 },
] as const satisfies readonly CutRequest[];

async function assertAsMade(source: Buffer, request: CutRequest, given: Partial<SplitOptions> = {}) {
  const settings = { ffmpegPath: fixture.samples.ffmpegPath, ...given };
  await using dry = await splitByRequest(source, { ...request, dryRun: true }, settings);
  await using made = await splitByRequest(source, request, { ...settings, cut: fromCutRequest(request) });
  const isExact = dry.segments.every(({ dryRun }) => dryRun?.isExactSize === true);
  const visible = (segments: readonly FinishedSegment[]) =>
    segments.map(({ startSample, sampleCount, sizeBytes }) => [
      startSample,
      sampleCount,
      isExact ? sizeBytes : undefined,
    ]);
  assert.deepEqual(visible(dry.segments), visible(made.segments));
  assert.deepEqual(
    dry.segments.map(({ endKind }) => endKind),
    made.segments.map((_, index) => (index === made.segments.length - 1 ? 'end' : 'exact')),
  );
  assert.equal(dry.result.sourceSampleCount, made.result.sourceSampleCount);
  return isExact;
}

for (const name of NAMES) {
  // Covers C-9.1 C-9.2
  test(`${name}: a dry run of a copy, to the byte`, async () => {
    const source = fixture.sourceOf(name);
    for (const request of REQUESTS) assert.equal(await assertAsMade(source, request), true);
  });
}

test('a source that is shorter than it claims', async () => {
  for (const name of ['mp3', 'opus']) {
    const source = fixture.sourceOf(name);
    for (const request of REQUESTS) {
      const truncated = source.subarray(0, Math.floor(source.length * 0.7));
      assert.equal(await assertAsMade(truncated, request), true);
    }
  }
});

// Covers C-9.1 C-9.3
test('a dry run of an encoding has the times of the job', async () => {
  for (const outputFormat of ['wav', 'mp3'] as const)
    for (const request of REQUESTS)
      assert.equal(await assertAsMade(fixture.sourceOf('m4a'), request, { outputFormat }), false);
});
