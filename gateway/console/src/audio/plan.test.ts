import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Cut, SplitRequest } from './cut.ts';
import { planSplit as preview, type SourceFacts } from './plan.ts';
import { describePlan } from './plan-words.ts';

const planSplit = (of: SourceFacts, request: SplitRequest) => preview(of, request).plan;
const source = { seconds: 100, bytes: 1_600_000, name: 'talk.mp3' };
const of = (cut: Cut, format?: SplitRequest['format']): SplitRequest => ({ cut, format });
const lengthOf = (segmentDuration: number, more: Partial<Cut> = {}) =>
  of({ splitMode: 'duration', segmentDuration, ...more });
const byLength = lengthOf(30);
const bySize = of({ splitMode: 'fileSize', maxFileSize: 500_000 });
const startsOf = (request: SplitRequest) => planSplit(source, request)?.pieces.map(({ start }) => start);
const piecesOf = (request: SplitRequest) =>
  planSplit(source, request)?.pieces.map(({ start, end }) => [start, end]);

test('by length the last segment has the remainder', () => {
  const plan = planSplit(source, byLength);
  assert.equal(plan?.count, 4);
  assert.equal(plan?.shortestSeconds, 10);
  assert.deepEqual(startsOf(byLength), [0, 30, 60, 90]);
  assert.equal(plan?.segmentBytes, 480_000);
  assert.equal(plan?.isExact, true);
  assert.equal(plan?.isCeiling, false);
});

test('a length that divides the source leaves no empty segment, and a rest under .1 s adds none', () => {
  assert.equal(planSplit(source, lengthOf(25))?.count, 4);
  assert.equal(planSplit(source, lengthOf(25))?.shortestSeconds, 25);
  assert.equal(planSplit({ ...source, seconds: 100.09 }, lengthOf(25))?.count, 4);
  assert.equal(planSplit({ ...source, seconds: 100.1 }, lengthOf(25))?.count, 5);
  assert.equal(planSplit({ ...source, seconds: 100.09 }, lengthOf(25, { maxDuration: 25 }))?.count, 5);
});

test('a source shorter than a segment is one segment', () => {
  const plan = planSplit(source, lengthOf(300));
  assert.equal(plan?.count, 1);
  assert.equal(plan?.segmentSeconds, 100);
  assert.deepEqual(piecesOf(lengthOf(300)), [[0, 100]]);
});

test('by size the length is computed from the bitrate of the source or of the format', () => {
  assert.equal(planSplit(source, bySize)?.count, 4);
  assert.equal(planSplit(source, bySize)?.segmentBytes, 500_000);
  assert.equal(planSplit(source, bySize)?.isExact, false);
  assert.equal(planSplit(source, bySize)?.isCeiling, true);
  assert.equal(planSplit(source, { ...bySize, format: 'wav' })?.count, 36);
  assert.equal(planSplit(source, of({ ...bySize.cut, preset: 'speech' }))?.count, 2);
});

test('unknown values are not guessed', () => {
  assert.equal(planSplit({ ...source, seconds: undefined }, byLength), undefined);
  assert.equal(planSplit(source, { ...bySize, format: 'flac' }), undefined);
  assert.equal(planSplit(source, { ...byLength, format: 'flac' })?.segmentBytes, undefined);
  assert.equal(planSplit(source, of({ splitMode: 'silence' })), undefined);
  assert.equal(planSplit(source, of({ splitMode: 'chapters', maxDuration: 10 })), undefined);
});

test('by length, a limit of seconds or bytes may be reached first', () => {
  assert.deepEqual(startsOf(lengthOf(30, { maxDuration: 40 })), [0, 30, 60, 90]);
  assert.deepEqual(startsOf(lengthOf(60, { maxDuration: 40 })), [0, 40, 80]);
  const byBytes = planSplit(source, lengthOf(60, { maxFileSize: 640_000 }));
  assert.deepEqual([byBytes?.count, byBytes?.isCountExact, byBytes?.isCeiling], [3, false, true]);
  assert.equal(planSplit(source, lengthOf(30, { maxFileSize: 640_000 }))?.isExact, true);
});

test('parts are equal, and a cap divides them into the fewest equal pieces', () => {
  assert.deepEqual(startsOf(of({ splitMode: 'parts', parts: 4 })), [0, 25, 50, 75]);
  const capped = of({ splitMode: 'parts', parts: 2, maxDuration: 20 });
  const plan = planSplit(source, capped);
  assert.equal(plan?.count, 6);
  assert.ok(Math.abs((plan?.segmentSeconds ?? 0) - 50 / 3) < 1e-9);
  assert.equal(planSplit({ ...source, seconds: 0.5 }, of({ splitMode: 'parts', parts: 6 })), undefined);
});

test('ranges keep their order, gaps and overlaps, and end with the source', () => {
  const ranges = [{ start: 60, end: 200 }, { start: 0, end: 10 }, { start: 5 }];
  const plan = planSplit(source, of({ splitMode: 'ranges', ranges }));
  assert.deepEqual(piecesOf(of({ splitMode: 'ranges', ranges })), [
    [60, 100],
    [0, 10],
    [5, 100],
  ]);
  assert.deepEqual([plan?.segmentSeconds, plan?.shortestSeconds, plan?.isEven], [95, 10, false]);
});

test('points divide the source; points at or after its end are omitted', () => {
  const points = of({ splitMode: 'ranges', splitPoints: [10, 60, 100, 400] });
  assert.deepEqual(piecesOf(points), [
    [0, 10],
    [10, 60],
    [60, 100],
  ]);
});

test('points close together are segments of their own, and a rest under .1 s is none', () => {
  assert.deepEqual(startsOf(of({ splitMode: 'ranges', splitPoints: [10, 10.05, 99.95] })), [0, 10, 10.05]);
});

test('given chapters divide the source; the part before the first one is a segment', () => {
  const chaptersAt = (...times: number[]): Cut => ({
    splitMode: 'chapters',
    chapters: times.map((startTime) => ({ startTime })),
  });
  assert.deepEqual(startsOf(of(chaptersAt(0.05, 40, 40))), [0, 40]);
  assert.deepEqual(startsOf(of(chaptersAt(10, 40))), [0, 10, 40]);
  assert.deepEqual(piecesOf(of({ ...chaptersAt(10, 40), trim: { start: 20, end: 50 } })), [
    [20, 40],
    [40, 50],
  ]);
});

test('only the chosen stretch is cut', () => {
  const plan = planSplit(source, lengthOf(30, { trim: { start: 15, end: 90 } }));
  assert.deepEqual(
    plan?.pieces.map(({ start, end }) => [start, end]),
    [
      [15, 45],
      [45, 75],
      [75, 90],
    ],
  );
  assert.equal(planSplit(source, lengthOf(30, { trim: { end: 900 } }))?.count, 4);
});

test('cuts that move make lengths uncertain, and the number only if each cut depends on the previous one', () => {
  const snapToSilence = { window: 5 };
  const moved = planSplit(source, lengthOf(30, { snapToSilence }));
  assert.deepEqual([moved?.isCountExact, moved?.isExact], [false, false]);
  const parts = planSplit(source, of({ splitMode: 'parts', parts: 3, snapToSilence }));
  assert.deepEqual([parts?.isCountExact, parts?.isExact], [true, false]);
});

test('an overlap makes files longer, and a cap includes it', () => {
  assert.equal(planSplit(source, lengthOf(30, { overlap: 2 }))?.segmentBytes, 512_000);
  assert.equal(planSplit(source, lengthOf(30, { overlap: 2 }))?.isExact, true);
  const capped = planSplit(source, lengthOf(30, { overlap: 5, maxDuration: 30 }));
  // The first segment has none.
  assert.deepEqual([capped?.segmentSeconds, capped?.shortestSeconds, capped?.isExact], [30, 20, true]);
});

test('pieces cover the stretch without a gap, and none exceeds the cap', () => {
  const cut = fc.oneof(
    fc.record({
      splitMode: fc.constant('duration' as const),
      segmentDuration: fc.integer({ min: 1, max: 500 }),
    }),
    fc.record({ splitMode: fc.constant('parts' as const), parts: fc.integer({ min: 2, max: 50 }) }),
    fc
      .uniqueArray(fc.integer({ min: 1, max: 2_000 }), { minLength: 1 })
      .map((points) => ({ splitMode: 'ranges' as const, splitPoints: points.sort((a, b) => a - b) })),
  );
  const trims = fc.option(fc.record({ start: fc.nat({ max: 50 }), end: fc.integer({ min: 100, max: 900 }) }));
  fc.assert(
    fc.property(
      fc.integer({ min: 60, max: 1_000 }),
      cut,
      fc.integer({ min: 1, max: 400 }),
      trims,
      (seconds, mode, maxDuration, chosen) => {
        const trim = mode.splitMode === 'ranges' || chosen === null ? undefined : chosen;
        const request = of({ ...mode, maxDuration, ...(trim === undefined ? {} : { trim }) });
        const plan = planSplit({ ...source, seconds }, request);
        assert.ok(plan);
        assert.equal(plan.pieces.length, plan.count);
        let at = trim?.start ?? 0;
        for (const { start, end } of plan.pieces) {
          assert.ok(Math.abs(start - at) < 1e-6 && end > start);
          assert.ok(end - start <= maxDuration + 1e-6);
          at = end;
        }
        assert.equal(at, Math.min(seconds, trim?.end ?? seconds));
      },
    ),
  );
});

test('the last of divided parts ends exactly with the recording', () => {
  const plan = planSplit({ ...source, seconds: 60 }, of({ splitMode: 'parts', parts: 11, maxDuration: 1 }));
  assert.equal(plan?.pieces.at(-1)?.end, 60);
});

test('the description names what is determined when the job runs, and what would make the job fail', () => {
  const wordsOf = (request: SplitRequest) => describePlan(request, 100, preview(source, request));
  assert.match(wordsOf(byLength), /^Calculated on this device/);
  assert.match(wordsOf(of({ splitMode: 'silence' })), /^The silences are found when the job runs/);
  assert.match(wordsOf(of({ splitMode: 'chapters' })), /^The chapters are read from the file/);
  assert.match(wordsOf(lengthOf(30, { snapToSilence: { window: 5 } })), /moves back by at most 5 s/);
  assert.match(wordsOf({ ...bySize, format: 'flac' }), /^The encoder decides/);
  const ofParts = wordsOf(of({ splitMode: 'parts', parts: 1_000 }));
  assert.match(ofParts, /^Calculated/);
  const tooMany = of({ splitMode: 'parts', parts: 1_000, trim: { start: 90 } });
  assert.match(wordsOf(tooMany), /^The job would fail\. What is to be split is too short for 1000 parts/);
  const tooLong = { splitMode: 'parts', parts: 10, overlap: 5 } as const;
  assert.match(
    wordsOf(of(tooLong)),
    /^The job would fail\. The overlap of 5 s is too long: segment 0 has 10/,
  );
  assert.match(wordsOf(of({ ...tooLong, snapToSilence: { window: 1 } })), /^The job would probably fail\./);
  const chapters = [{ startTime: 100 }];
  assert.match(wordsOf(of({ splitMode: 'chapters', chapters })), /^No chapter begins in what is to be split/);
  const late = 'The recording ends at 1:40: with 1:40 as a start the job would fail.';
  assert.equal(wordsOf(of({ splitMode: 'ranges', ranges: [{ start: 0 }, { start: 100 }] })), late);
  assert.equal(wordsOf(lengthOf(30, { trim: { start: 100 } })), late);
  const long = { ...source, seconds: 20_000 };
  assert.match(describePlan(lengthOf(1), 20_000, preview(long, lengthOf(1))), /are refused/);
});
