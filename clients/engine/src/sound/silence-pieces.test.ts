import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MediaError } from '../media-error.ts';
import { failsWith } from '../testing/fails-with.ts';
import type { Silence } from './silence.ts';
import { type SilencePiece, silencePieces } from './silence-pieces.ts';

type Range = readonly [start: number, end: number];

function silencesAt(...ranges: readonly Range[]): readonly Silence[] {
  return ranges.map(([startSeconds, endSeconds]) => ({ startSeconds, endSeconds }));
}

const RULES = { startSeconds: 0, endSeconds: 60, minSilenceSeconds: 0.5, minDurationSeconds: 1 };

function rangesOf(pieces: readonly SilencePiece[]): readonly Range[] {
  const rounded = (seconds: number): number => Math.round(seconds * 1_000) / 1_000;
  return pieces.map(({ startSeconds, endSeconds }) => [rounded(startSeconds), rounded(endSeconds)]);
}

// Covers C-2.6
test('cuts are in the middle of silences that touch neither end', () => {
  const pieces = silencePieces(silencesAt([0, 2], [10, 12], [20, 20.6], [30, 30.2], [58, 60]), RULES);
  assert.deepEqual(rangesOf(pieces), [
    [0, 11],
    [11, 20.3],
    [20.3, 60],
  ]);
  assert.deepEqual(
    pieces.map(({ endKind }) => endKind),
    ['silence', 'silence', 'end'],
  );
});

// Covers C-2.9
test('a short piece joins the next one, from left to right, and the last one joins the one before', () => {
  const silences = silencesAt([1, 2], [3, 4], [6, 7], [57, 58]);
  const rules = { ...RULES, minDurationSeconds: 4 };
  assert.deepEqual(rangesOf(silencePieces(silences, rules)), [
    [0, 6.5],
    [6.5, 60],
  ]);
});

// Covers C-2.11 C-2.12 C-4.20
test('silence is dropped except what is kept at each edge, also at both ends', () => {
  const silences = silencesAt([0, 2], [10, 12], [20, 20.6], [58, 60]);
  const pieces = silencePieces(silences, { ...RULES, keepSilenceSeconds: 0.4 });
  assert.deepEqual(rangesOf(pieces), [
    [1.6, 10.4],
    [11.6, 20.3],
    [20.3, 58.4],
  ]);
  assert.deepEqual(
    pieces.map(({ endKind }) => endKind),
    ['silence', 'silence', 'silence'],
  );
  const [whole] = silencePieces(silencesAt([0, 0.6]), { ...RULES, keepSilenceSeconds: 1 });
  assert.deepEqual(whole, { startSeconds: 0, endSeconds: 60, endKind: 'end' });
});

// Covers C-2.13
test('silence inside a joined piece is kept', () => {
  const rules = { ...RULES, minDurationSeconds: 15, keepSilenceSeconds: 0 };
  const pieces = silencePieces(silencesAt([10, 12], [20, 22], [50, 52]), rules);
  assert.deepEqual(rangesOf(pieces), [
    [0, 20],
    [22, 60],
  ]);
});

test('a click between two silences gets a file that services accept', () => {
  const rules = { ...RULES, minDurationSeconds: 0, keepSilenceSeconds: 0 };
  const pieces = silencePieces(silencesAt([10, 12], [12.02, 14]), rules);
  assert.deepEqual(rangesOf(pieces), [
    [0, 10],
    [11.96, 12.06],
    [14, 60],
  ]);
});

test('audio outside the split stretch does not count', () => {
  const rules = { ...RULES, startSeconds: 11, endSeconds: 41 };
  assert.deepEqual(rangesOf(silencePieces(silencesAt([5, 6], [10, 12], [20, 22], [40, 42]), rules)), [
    [11, 21],
    [21, 41],
  ]);
});

// Covers C-2.14
test('a source without sound fails if silence is dropped, and stays whole otherwise', () => {
  for (const end of [60, 59.97]) {
    const silence = silencesAt([0, end]);
    assert.deepEqual(rangesOf(silencePieces(silence, RULES)), [[0, 60]]);
    assert.throws(() => silencePieces(silence, { ...RULES, keepSilenceSeconds: 1 }), failsWith('NO_SOUND'));
  }
});

const SILENCES = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 300 })), { maxLength: 25 })
  .map((steps) => {
    let at = -100;
    return steps.map(([sound, silence]) => {
      const startSeconds = (at + sound) / 100;
      at += sound + silence;
      return { startSeconds, endSeconds: at / 100 };
    });
  });
const REQUESTS = fc.record({
  startSeconds: fc.integer({ min: 0, max: 300 }).map((n) => n / 100),
  endSeconds: fc.integer({ min: 400, max: 3_000 }).map((n) => n / 100),
  minSilenceSeconds: fc.integer({ min: 10, max: 200 }).map((n) => n / 100),
  minDurationSeconds: fc.integer({ min: 0, max: 500 }).map((n) => n / 100),
});

// Covers C-2.9 C-4.19
test('without keepSilence the pieces cover the stretch, and each is long enough unless it is the only one', () => {
  fc.assert(
    fc.property(SILENCES, REQUESTS, (silences, rules) => {
      const pieces = silencePieces(silences, rules);
      let at = rules.startSeconds;
      for (const { startSeconds, endSeconds } of pieces) {
        assert.equal(startSeconds, at);
        at = endSeconds;
        const isLongEnough = endSeconds - startSeconds >= Math.max(0.1, rules.minDurationSeconds);
        assert.ok(isLongEnough || pieces.length === 1);
      }
      assert.equal(at, rules.endSeconds);
      const kinds = pieces.map(({ endKind }) => endKind);
      assert.equal(kinds.pop(), 'end');
      assert.ok(kinds.every((kind) => kind === 'silence'));
    }),
  );
});

test('with keepSilence each piece is inside the one without it, and only silence is omitted', () => {
  fc.assert(
    fc.property(SILENCES, REQUESTS, fc.integer({ min: 0, max: 300 }), (silences, rules, keep) => {
      const keepSilenceSeconds = keep / 100;
      const whole = silencePieces(silences, rules);
      let pieces: readonly SilencePiece[];
      try {
        pieces = silencePieces(silences, { ...rules, keepSilenceSeconds });
      } catch (error) {
        assert.ok(error instanceof MediaError && error.failure === 'NO_SOUND');
        assert.equal(whole.length, 1);
        return;
      }
      assert.equal(pieces.length, whole.length);
      pieces.forEach((piece, index) => {
        const around = whole[index];
        assert.ok(around !== undefined);
        assert.ok(piece.startSeconds >= around.startSeconds && piece.endSeconds <= around.endSeconds);
        assert.ok(piece.endSeconds - piece.startSeconds >= 0.1 - 1e-9);
        for (const [from, to] of [
          [around.startSeconds, piece.startSeconds],
          [piece.endSeconds, around.endSeconds],
        ] as const) {
          // Near the ends of the split audio a silence may seem to touch them.
          const isSilent = silences.some(
            ({ startSeconds, endSeconds }) => startSeconds <= from + 0.031 && endSeconds >= to - 0.031,
          );
          assert.ok(from === to || isSilent, `${from} to ${to} is left out`);
        }
      });
    }),
  );
});
