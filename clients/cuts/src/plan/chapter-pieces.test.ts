import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type ChapterPiece,
  chapterPieces,
  fromRequestedChapters,
  type SourceChapter,
} from './chapter-pieces.ts';
import { PlanError } from './plan-error.ts';

const WHOLE = { startSeconds: 0, endSeconds: 100, totalSeconds: 100 };

function chapters(
  ...list: readonly (readonly [startSeconds: number, title?: string])[]
): readonly SourceChapter[] {
  return list.map(([startSeconds, title]) => ({ startSeconds, title }));
}

function plan(list: readonly SourceChapter[], bounds = WHOLE): unknown[] {
  return chapterPieces(list, bounds).map(({ startSeconds, endSeconds, title, endKind }) => [
    startSeconds,
    endSeconds,
    title,
    endKind,
  ]);
}

function isNoChapters(error: unknown): boolean {
  return error instanceof PlanError && error.failure === 'NO_CHAPTERS';
}

// Covers C-2.25
test('each chapter lasts until the next one, in the order of time', () => {
  assert.deepEqual(plan(chapters([40, 'b'], [0, 'a'], [70])), [
    [0, 40, 'a', 'chapter'],
    [40, 70, 'b', 'chapter'],
    [70, 100, undefined, 'end'],
  ]);
});

// Covers C-2.27
test('audio before the first chapter has no title, unless it is shorter than a tenth of a second', () => {
  assert.deepEqual(plan(chapters([0.101, 'a'])), [
    [0, 0.101, undefined, 'chapter'],
    [0.101, 100, 'a', 'end'],
  ]);
  assert.deepEqual(plan(chapters([0.1, 'a'])), [[0, 100, 'a', 'end']]);
});

// Covers C-2.26
test('of two chapters at one time the later in the list counts, at the start too', () => {
  assert.deepEqual(plan(chapters([0.08, 'a'], [0.02, 'b'], [50, 'c'], [50, 'd'])), [
    [0, 50, 'b', 'chapter'],
    [50, 100, 'd', 'end'],
  ]);
});

// Covers C-2.17 C-2.29
test('a requested chapter that is not in the table of contents causes no cut', () => {
  const requested = [
    { startTime: 0, title: 'a', toc: true },
    { startTime: 10, title: 'b', toc: false },
    { startTime: 20, title: 'c' },
  ];
  assert.deepEqual(plan(fromRequestedChapters(requested)), [
    [0, 20, 'a', 'chapter'],
    [20, 100, 'c', 'end'],
  ]);
  assert.throws(
    () => chapterPieces(fromRequestedChapters([{ startTime: 0, toc: false }]), WHOLE),
    isNoChapters,
  );
});

// Covers C-2.28
test('with trim the first chapter starts at the start of the trim', () => {
  const list = chapters([0, 'a'], [40, 'b'], [70, 'c']);
  const trimmed = { startSeconds: 50, endSeconds: 70, totalSeconds: 100 };
  assert.deepEqual(plan(list, trimmed), [[50, 70, 'b', 'end']]);
  assert.deepEqual(plan(list, { ...trimmed, startSeconds: 40, endSeconds: 71 }), [
    [40, 70, 'b', 'chapter'],
    [70, 71, 'c', 'end'],
  ]);
  // The rest of the previous chapter is too short for a file.
  assert.deepEqual(plan(list, { ...trimmed, startSeconds: 39.95 }), [[39.95, 70, 'b', 'end']]);
  assert.deepEqual(plan(chapters([60, 'b']), trimmed), [
    [50, 60, undefined, 'chapter'],
    [60, 70, 'b', 'end'],
  ]);
});

// Covers C-2.29
test('no chapter starts before the end: NO_CHAPTERS', () => {
  for (const list of [[], chapters([100]), chapters([-1], [Number.NaN], [Number.POSITIVE_INFINITY])])
    assert.throws(() => chapterPieces(list, WHOLE), isNoChapters);
  const trimmed = { startSeconds: 10, endSeconds: 20, totalSeconds: 100 };
  assert.throws(() => chapterPieces(chapters([20, 'a']), trimmed), isNoChapters);
  assert.throws(() => chapterPieces(chapters([0]), { ...trimmed, endSeconds: 10 }), isNoChapters);
});

test('titles are single lines of at most 500 characters', () => {
  const titleOf = (title: string): string | undefined => chapterPieces(chapters([0, title]), WHOLE)[0]?.title;
  assert.equal(titleOf(' a\r\nb\u0000c\u202ed\u2028 '), 'a b cd');
  assert.equal(titleOf('\u0000\u0007'), undefined);
  assert.equal(titleOf('😀'.repeat(501)), '😀'.repeat(500));
  assert.equal(titleOf(`${'x'.repeat(499)}😀y`), `${'x'.repeat(499)}😀`);
  assert.equal(titleOf('a\ud800b'), 'a\ufffdb');
});

const anyCharacter = fc.oneof(
  fc.string({ minLength: 1, maxLength: 1 }),
  fc.constantFrom('\0', '\n', '\u0085', '\u2028', '\u202e', '\ufeff', 'é', '😀', '\ud800'),
);
const anyStart = fc.oneof(
  fc.double({ min: -1, max: 130, noNaN: true }),
  fc.integer({ min: -2, max: 130 }),
  fc.constantFrom(0, 0.05, 0.1, 99.95, 100, Number.NaN, Number.POSITIVE_INFINITY),
);
const anyChapters = fc.array(
  fc.record({
    startSeconds: anyStart,
    title: fc.option(fc.string({ unit: anyCharacter }), { nil: undefined }),
  }),
  { maxLength: 30 },
);
const anyBounds = fc
  .tuple(fc.double({ min: 0, max: 99, noNaN: true }), fc.double({ min: 0.2, max: 120, noNaN: true }))
  .map(([startSeconds, length]) => ({ startSeconds, endSeconds: startSeconds + length, totalSeconds: 100 }));

test('the pieces cover the split stretch, each with the title of its chapter', () => {
  fc.assert(
    fc.property(anyChapters, anyBounds, (list, bounds) => {
      const end = Math.min(bounds.endSeconds, bounds.totalSeconds);
      const usable = list.filter(({ startSeconds }) => startSeconds >= 0 && startSeconds < end);
      let pieces: readonly ChapterPiece[];
      try {
        pieces = chapterPieces(list, bounds);
      } catch (error) {
        assert.ok(isNoChapters(error));
        assert.deepEqual(usable, []);
        return;
      }
      assert.equal(pieces[0]?.startSeconds, bounds.startSeconds);
      assert.equal(pieces.at(-1)?.endSeconds, end);
      for (const [index, piece] of pieces.entries()) {
        assert.ok(piece.startSeconds < piece.endSeconds);
        assert.equal(piece.endKind, index === pieces.length - 1 ? 'end' : 'chapter');
        if (index === 0) continue;
        assert.equal(piece.startSeconds, pieces[index - 1]?.endSeconds);
        assert.ok(usable.some(({ startSeconds }) => startSeconds === piece.startSeconds));
      }
      for (const { startSeconds } of usable) {
        const begins = pieces.some((piece) => piece.startSeconds === startSeconds);
        assert.ok(begins || startSeconds <= bounds.startSeconds + 0.1 + 1e-9);
      }
      assert.ok(pieces.every(({ title }) => title === undefined || /^[^\p{Cc}]{1,500}$/u.test(title)));
    }),
    { numRuns: 500 },
  );
});
