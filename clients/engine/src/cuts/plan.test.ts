import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { failsWith } from '../testing/fails-with.ts';
import { MAX_SEGMENTS } from './cut.ts';
import type { Borders } from './cut-rule.ts';
import { durationBorders } from './duration.ts';
import { sampleCountBorders } from './file-size.ts';
import { type PlannedSegment, planSegments } from './plan.ts';

const rate = fc.constantFrom(8_000, 11_025, 22_050, 44_100, 48_000, 96_000);

function planByDuration(
  sampleRateHz: number,
  segmentDurationSeconds: number,
  totalSamples: number,
  resumeAt?: { readonly index: number; readonly startSample: number },
): readonly PlannedSegment[] {
  return planSegments(durationBorders(segmentDurationSeconds, sampleRateHz), totalSamples, resumeAt);
}

function planBySamples(totalSamples: number, maxSamples: number, sampleRateHz: number) {
  return planSegments(sampleCountBorders(maxSamples, sampleRateHz), totalSamples);
}

function assertCoversOnce(
  segments: readonly PlannedSegment[],
  from: number,
  total: number,
  firstIndex = 0,
): void {
  let next = from;
  segments.forEach((segment, position) => {
    assert.equal(segment.index, firstIndex + position);
    assert.equal(segment.startSample, next);
    assert.ok(segment.sampleCount > 0);
    next += segment.sampleCount;
  });
  assert.equal(next, total);
}

// Covers C-2.2 C-2.39
test('every sample is in exactly one segment, and boundaries never drift', () => {
  fc.assert(
    fc.property(
      rate,
      fc.integer({ min: 1, max: 90 }),
      fc.integer({ min: 1, max: 40_000_000 }),
      (hz, seconds, total) => {
        const segments = planByDuration(hz, seconds, total);
        assertCoversOnce(segments, 0, total);
        for (const { index, startSample } of segments)
          assert.equal(startSample, Math.round(index * seconds * hz));
        const last = segments.at(-1);
        if (segments.length > 1) assert.ok((last?.sampleCount ?? 0) >= hz * 0.1);
      },
    ),
  );
});

test('an exact multiple of the length gives exactly that many segments', () => {
  fc.assert(
    fc.property(
      rate,
      fc.integer({ min: 1, max: 600 }),
      fc.integer({ min: 1, max: 500 }),
      (hz, seconds, count) => {
        const totalSamples = hz * seconds * count;
        const segments = planByDuration(hz, seconds, totalSamples);
        assert.equal(segments.length, count);
        assert.ok(segments.every((segment) => segment.sampleCount === hz * seconds));
      },
    ),
  );
});

// Covers C-2.39
test('a remainder below a tenth of a second joins the segment before it; a tenth is a segment itself', () => {
  const plan = (totalSamples: number): number[] =>
    planByDuration(48_000, 2, totalSamples).map((segment) => segment.sampleCount);
  assert.deepEqual(plan(96_000 + 4_799), [100_799]);
  assert.deepEqual(plan(96_000 + 4_800), [96_000, 4_800]);
  assert.deepEqual(plan(10), [10]);
  assert.deepEqual(plan(0), []);
});

test('a plan resumes after any sample and keeps the later boundaries', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 900_000 }),
      fc.integer({ min: 0, max: 20 }),
      (startSample, index) => {
        const segments = planByDuration(44_100, 3, 1_000_000, { index, startSample });
        assertCoversOnce(segments, startSample, 1_000_000, index);
        for (const segment of segments.slice(1)) assert.equal(segment.startSample % (3 * 44_100), 0);
      },
    ),
  );
});

test('a plan by samples never exceeds its maximum and leaves no short remainder if avoidable', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 10_000, max: 500_000 }),
      fc.integer({ min: 1, max: 20_000_000 }),
      (max, total) => {
        const segments = planBySamples(total, max, 44_100);
        assertCoversOnce(segments, 0, total);
        assert.ok(segments.every((segment) => segment.sampleCount <= max));
        if (segments.length > 1) assert.ok((segments.at(-1)?.sampleCount ?? 0) >= 4_410);
      },
    ),
  );
});

// Covers D-2.10
test('more than 10,000 segments are rejected in both modes, 10,000 are not', () => {
  const byDuration = (seconds: number) => planByDuration(8_000, 1, 8_000 * seconds);
  const isTooMany = failsWith('TOO_MANY_SEGMENTS');
  assert.equal(byDuration(MAX_SEGMENTS).length, MAX_SEGMENTS);
  assert.throws(() => byDuration(MAX_SEGMENTS + 1), isTooMany);
  assert.equal(planBySamples(MAX_SEGMENTS * 2_000, 2_000, 8_000).length, MAX_SEGMENTS);
  assert.throws(() => planBySamples(MAX_SEGMENTS * 2_000 + 1, 2_000, 8_000), isTooMany);
});

const anyBorders: fc.Arbitrary<Borders> = rate.chain((sampleRateHz) =>
  fc.oneof(
    fc.integer({ min: 1, max: 90 }).map((seconds) => durationBorders(seconds, sampleRateHz)),
    fc.integer({ min: 1, max: 500_000 }).map((maxSamples) => sampleCountBorders(maxSamples, sampleRateHz)),
  ),
);

test('bounds computed before the end is known are correct for any end of the source', () => {
  fc.assert(
    fc.property(
      anyBorders,
      fc.integer({ min: 0, max: 900_000 }),
      fc.integer({ min: 1, max: 9_000_000 }),
      (borders, startSample, length) => {
        const bounds = borders.boundsFrom(startSample);
        const nearby = [bounds.surelyUpTo, bounds.nominalEnd, bounds.settledAt, bounds.latestEnd];
        for (const total of [startSample + length, ...nearby.flatMap((end) => [end - 1, end, end + 1])]) {
          if (total <= startSample) continue;
          const end = bounds.endWithin(total);
          assert.ok(end > startSample && end <= bounds.latestEnd);
          assert.ok(end >= Math.min(total, bounds.surelyUpTo), 'a sample was given away too early');
          if (total >= bounds.settledAt) assert.equal(end, bounds.nominalEnd);
        }
      },
    ),
  );
});
