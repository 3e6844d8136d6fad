import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Levels, levelsWithin } from './levels.ts';
import { chooseSnap } from './snap.ts';

/** Runs of [seconds, dBFS], as values of spans that begin every 10 ms. */
function levelsOf(runs: readonly (readonly [seconds: number, dbfs: number])[], startSeconds = 0): Levels {
  const values = runs.flatMap(([seconds, dbfs]) =>
    Array.from({ length: Math.round(seconds * 100) }, () => dbfs),
  );
  return { startSeconds, stepSeconds: 0.01, values: Float32Array.from(values) };
}

const AUTO = { threshold: 'auto', minSilenceSeconds: 0.2 } as const;

function assertAt(actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) <= 0.02, `${actual}, not ${expected}`);
}

// Covers C-4.8
test('a cut moves to the middle of the longest silence in the window', () => {
  const levels = levelsOf([
    [2, -20],
    [0.3, -70],
    [2, -20],
    [0.6, -70],
    [2, -20],
    [0.4, -70],
    [3, -20],
  ]);
  const snap = chooseSnap(levels, { targetSeconds: 10, earliestSeconds: 0, ...AUTO, threshold: -50 });
  assert.equal(snap.how, 'silence');
  assertAt(snap.seconds, 4.6);
});

// Covers C-4.10
test('of two silences of about equal length it moves to the later one', () => {
  const levels = levelsOf([
    [2, -20],
    [0.41, -70],
    [2, -20],
    [0.4, -70],
    [2, -20],
  ]);
  const request = { targetSeconds: 6.8, earliestSeconds: 0, threshold: -50, minSilenceSeconds: 0.2 };
  assertAt(chooseSnap(levels, request).seconds, 4.61);
});

// Covers C-4.9
test('only the window counts', () => {
  const levels = levelsOf(
    [
      [3, -70],
      [2, -20],
      [2, -70],
      [2, -20],
    ],
    100,
  );
  const request = { threshold: -50, minSilenceSeconds: 0.2 };
  // Half a second of each silence.
  const both = chooseSnap(levels, { targetSeconds: 105.5, earliestSeconds: 102.5, ...request });
  assertAt(both.seconds, 105.25);
  const earlier = chooseSnap(levels, { targetSeconds: 105.1, earliestSeconds: 102.5, ...request });
  assertAt(earlier.seconds, 102.75);
  const tooShort = chooseSnap(levels, { targetSeconds: 105.1, earliestSeconds: 102.9, ...request });
  assert.equal(tooShort.how, 'quietest');
});

// Covers C-4.11
test('without a silence it moves to the middle of the quietest 100 ms', () => {
  const levels = levelsOf([
    [2, -20],
    [0.1, -40],
    [1, -20],
    [0.12, -28],
    [2, -20],
  ]);
  const snap = chooseSnap(levels, {
    targetSeconds: 5,
    earliestSeconds: 0,
    threshold: -60,
    minSilenceSeconds: 0.2,
  });
  assert.equal(snap.how, 'quietest');
  assertAt(snap.seconds, 2.05);
});

test('a silent window that is shorter than a silence has to be gives the quietest 100 ms', () => {
  const levels = levelsOf([
    [0.05, -55],
    [0.08, -70],
    [0.07, -55],
    [2, -20],
  ]);
  const request = { earliestSeconds: 0, threshold: -50, minSilenceSeconds: 0.2 };
  const short = chooseSnap(levels, { targetSeconds: 0.19, ...request });
  assert.equal(short.how, 'quietest');
  assertAt(short.seconds, 0.1);
  const long = chooseSnap(levels, { targetSeconds: 0.2, ...request });
  assert.deepEqual(long, { seconds: 0.1, how: 'silence' });
  // The window is shorter than 0.2 by an error of rounding.
  const later = { ...request, targetSeconds: 8.5, earliestSeconds: 8.5 - 0.2 };
  assert.equal(chooseSnap({ ...levels, startSeconds: 8.3 }, later).how, 'silence');
});

// Covers C-4.7
test('a window of constant level leaves the cut unchanged', () => {
  const request = { targetSeconds: 3, earliestSeconds: 1, threshold: -30, minSilenceSeconds: 0.2 };
  const exact = { seconds: 3, how: 'exact' };
  assert.deepEqual(
    chooseSnap(
      levelsOf([
        [2, -20],
        [2, -22.5],
      ]),
      request,
    ),
    exact,
  );
  assert.deepEqual(
    chooseSnap(
      levelsOf([
        [2, -200],
        [2, -91],
      ]),
      request,
    ),
    exact,
  );
  assert.deepEqual(
    chooseSnap(
      levelsOf([
        [2, -60],
        [2, -62],
      ]),
      request,
    ),
    exact,
  );
  assert.equal(
    chooseSnap(
      levelsOf([
        [2, -200],
        [2, -89],
      ]),
      request,
    ).how,
    'silence',
  );
  assert.deepEqual(chooseSnap(levelsOf([]), request), exact);
});

// Covers C-4.15
test('the automatic threshold is computed from the window only', () => {
  // Hiss at -45 is silence relative to speech at -20, even if other places are quieter.
  const levels = levelsOf([
    [20, -90],
    [4, -20],
    [1, -45],
    [4, -20],
  ]);
  const snap = chooseSnap(levels, { targetSeconds: 29, earliestSeconds: 21, ...AUTO });
  assert.equal(snap.how, 'silence');
  assertAt(snap.seconds, 24.5);
});

const RUNS = fc.array(
  fc.tuple(
    fc.integer({ min: 1, max: 120 }).map((steps) => steps / 100),
    fc.integer({ min: -120, max: 0 }),
  ),
  { minLength: 1, maxLength: 30 },
);

const SEARCHES = fc.record({
  earliestSeconds: fc.double({ min: 0, max: 12, noNaN: true }),
  windowSeconds: fc.double({ min: 0.1, max: 10, noNaN: true }),
  threshold: fc.oneof(fc.constant('auto' as const), fc.integer({ min: -90, max: -10 })),
  minSilenceSeconds: fc.double({ min: 0.1, max: 2, noNaN: true }),
});

// Covers C-4.4
test('a cut never moves forward, nor further back than allowed, and reports its kind correctly', () => {
  fc.assert(
    fc.property(RUNS, SEARCHES, (runs, { windowSeconds, ...search }) => {
      const { earliestSeconds, threshold } = search;
      const levels = levelsOf(runs);
      const targetSeconds = earliestSeconds + windowSeconds;
      const snap = chooseSnap(levels, { ...search, targetSeconds });
      assert.ok(snap.seconds <= targetSeconds && snap.seconds >= earliestSeconds);
      if (snap.how === 'exact') assert.equal(snap.seconds, targetSeconds);
      if (snap.how !== 'silence' || threshold === 'auto') return;
      const around = levelsWithin(levels, snap.seconds - 0.03, snap.seconds + 0.03);
      assert.ok(around.values.every((value) => value < threshold));
    }),
  );
});
