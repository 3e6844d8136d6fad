import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  countFramesThatFit,
  type FrameRun,
  frameCount,
  framesBetween,
  lookAheadRuns,
  sliceRun,
} from './frame-run.ts';

function runOf(sizes: readonly number[], samplesPerFrame = 10, start = 0): FrameRun {
  const offsets = [start];
  for (const size of sizes) offsets.push((offsets.at(-1) ?? start) + size);
  const window = Buffer.from(Array.from({ length: (offsets.at(-1) ?? 0) + 5 }, (_, index) => index % 256));
  return { window, windowStart: 0, offsets, samplesPerFrame };
}

async function* inOrder(runs: readonly FrameRun[]): AsyncGenerator<FrameRun> {
  yield* runs;
}

describe('frame runs', () => {
  test('frames are found by index, also in a slice', () => {
    const run = runOf([3, 4, 5], 10, 2);
    assert.deepEqual([...framesBetween(run, 1, 3)], [5, 6, 7, 8, 9, 10, 11, 12, 13]);
    assert.deepEqual([...framesBetween(sliceRun(run, 1, 2), 0, 1)], [5, 6, 7, 8]);
    assert.equal(frameCount(sliceRun(run, 2, 2)), 0);
  });

  test('as many frames are taken as fit into their bytes', () => {
    const run = runOf([3, 4, 5]);
    const counts = [-1, 2, 3, 6, 7, 12, Number.POSITIVE_INFINITY].map((room) =>
      countFramesThatFit(run, 0, room),
    );
    assert.deepEqual(counts, [0, 0, 1, 1, 2, 3, 3]);
    assert.equal(countFramesThatFit(run, 1, 8), 1);
  });

  test('frames are delayed until enough frames follow, and none is lost', async () => {
    const runs = fc.array(
      fc.record({
        sizes: fc.array(fc.nat(9), { maxLength: 8 }),
        samplesPerFrame: fc.integer({ min: 1, max: 9 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(runs, fc.nat(60), async (specs, heldSampleCount) => {
        const source = specs.map(({ sizes, samplesPerFrame }) => runOf(sizes, samplesPerFrame));
        const allBytes = Buffer.concat(source.map((run) => framesBetween(run, 0, frameCount(run))));
        const allSamples = source.reduce((sum, run) => sum + frameCount(run) * run.samplesPerFrame, 0);
        const parts: Buffer[] = [];
        let taken = 0;
        let arrived = 0;
        async function* counted(): AsyncGenerator<FrameRun> {
          for await (const run of inOrder(source)) {
            arrived += frameCount(run) * run.samplesPerFrame;
            yield run;
          }
        }
        let total: number | undefined;
        for await (const batch of lookAheadRuns(counted(), heldSampleCount)) {
          for (const run of batch.runs) {
            parts.push(framesBetween(run, 0, frameCount(run)));
            taken += frameCount(run) * run.samplesPerFrame;
          }
          total = batch.totalSampleCount;
          if (total === undefined) assert.ok(arrived - taken >= heldSampleCount);
        }
        assert.ok(Buffer.concat(parts).equals(allBytes));
        assert.equal(total, allSamples);
      }),
    );
  });
});
