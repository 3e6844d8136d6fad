import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fitSamples } from './size-fit.ts';

const RATE = 44_100;

test('what is chosen was measured, fits, and fills the limit where sizes follow the samples', async () => {
  const property = fc.asyncProperty(
    fc.integer({ min: 65_536, max: 5_000_000 }),
    fc.integer({ min: 20_000, max: 50_000_000 }),
    fc.double({ min: 0.05, max: 4, noNaN: true }),
    fc.integer({ min: 0, max: 5_000 }),
    fc.integer({ min: 1, max: 100_000_000 }),
    async (limitBytes, remainingSamples, bytesPerSample, overhead, estimatedSamples) => {
      const measured = new Map<number, number>();
      const chosen = await fitSamples({
        limitBytes,
        remainingSamples,
        sampleRateHz: RATE,
        estimatedSamples,
        measure: async (count) => {
          assert.ok(count >= 1 && count <= remainingSamples);
          // Blocks of 4,096 samples: sizes move in steps, as with real encoders.
          const size = overhead + Math.ceil(count / 4_096) * Math.ceil(4_096 * bytesPerSample);
          measured.set(count, size);
          return size;
        },
      });
      const size = measured.get(chosen) ?? Number.POSITIVE_INFINITY;
      assert.ok(size <= limitBytes);
      assert.ok(measured.size <= 40);
      if (chosen < remainingSamples - RATE / 10) assert.ok(size >= 0.7 * limitBytes);
    },
  );
  await fc.assert(property);
});

test('a limit below the header is met by nothing', async () => {
  const fit = { limitBytes: 100, remainingSamples: 1_000_000, sampleRateHz: RATE, estimatedSamples: 50_000 };
  assert.equal(await fitSamples({ ...fit, measure: async (count) => 101 + count }), 0);
});
