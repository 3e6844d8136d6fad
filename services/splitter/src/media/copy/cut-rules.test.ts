import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { maxTagBytes, minRemainderSamples, segmentEndSample } from './cut-rules.ts';
import { lookAhead } from './source/look-ahead.ts';

const MEBIBYTE = 1024 * 1024;

test('boundaries are rounded from the start, so that errors never add up', () => {
  const cut = { mode: 'duration', segmentDurationSeconds: 0.333 } as const;
  assert.equal(segmentEndSample(cut, 44_100, 0), 14_685);
  assert.equal(segmentEndSample(cut, 44_100, 999), 14_685_300);
  assert.equal(minRemainderSamples(44_100), 4_410);
});

test('a repeated tag never outgrows the audio it describes', () => {
  assert.equal(maxTagBytes({ mode: 'duration', segmentDurationSeconds: 1 }), MEBIBYTE);
  assert.equal(maxTagBytes({ mode: 'duration', segmentDurationSeconds: 60 }), 60 * 65_536);
  assert.equal(maxTagBytes({ mode: 'duration', segmentDurationSeconds: 86_400 }), 16 * MEBIBYTE);
  assert.equal(maxTagBytes({ mode: 'fileSize', maxFileSizeBytes: 65_536 }), 6_553);
});

test('looking ahead delays frames, loses none, and tells the total with the last', async () => {
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
