import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { lookAhead } from './look-ahead.ts';

test('looking ahead delays frames, loses none, and gives the total with the last one', async () => {
  const batches = fc.array(fc.array(fc.record({ sampleCount: fc.nat(100) }), { maxLength: 10 }), {
    maxLength: 10,
  });
  await fc.assert(
    fc.asyncProperty(batches, fc.nat(300), async (given, heldSamples) => {
      async function* source(): AsyncGenerator<(typeof given)[number]> {
        yield* given;
      }
      const total = given.flat().reduce((sum, frame) => sum + frame.sampleCount, 0);
      const received: (typeof given)[number] = [];
      let passed = 0;
      let isOver = false;
      for await (const { frames, totalSampleCount } of lookAhead(source(), heldSamples)) {
        assert.equal(isOver, false);
        for (const frame of frames) passed += frame.sampleCount;
        received.push(...frames);
        if (totalSampleCount === undefined) assert.ok(total - passed >= heldSamples);
        else assert.equal(totalSampleCount, total);
        isOver = totalSampleCount !== undefined;
      }
      assert.equal(isOver, true);
      assert.deepEqual(received, given.flat());
    }),
  );
});
