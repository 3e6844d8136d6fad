import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Piece } from '@audiosplit/cuts/plan/piece';
import fc from 'fast-check';
import { failsWith } from '../../testing/fails-with.ts';
import { cutByPass, planPasses, refuseManyPasses } from './passes.ts';

const seconds = (min: number, max: number) =>
  fc.integer({ min: Math.round(min * 1000), max: Math.round(max * 1000) }).map((ms) => ms / 1000);

describe('passes over the source', () => {
  const piece = (startSeconds: number, endSeconds: number): Piece => ({
    startSeconds,
    endSeconds,
    endKind: 'range',
  });

  test('each piece is a segment of one pass, with the right ends', () => {
    const someRanges = fc.array(
      fc
        .tuple(seconds(0, 100), seconds(0.1, 50))
        .map(([start, length]) => piece(start, Math.min(110, start + length))),
      { minLength: 1, maxLength: 40 },
    );
    fc.assert(
      fc.property(someRanges, (pieces) => {
        const seen = new Set<number>();
        for (const pass of planPasses(pieces, 110)) {
          let start = 0;
          for (const [index, end] of pass.ends.entries()) {
            const own = pass.pieceOf(index);
            if (own !== undefined) {
              assert.ok(!seen.has(own));
              seen.add(own);
              assert.ok(Math.abs((pieces[own]?.startSeconds ?? -1) - start) <= 1e-5);
              assert.equal(pieces[own]?.endSeconds, end);
            }
            assert.ok(end > start);
            start = end;
          }
        }
        assert.equal(seen.size, pieces.length);
      }),
    );
  });

  test('sixteen passes may read the whole source; further ones at most the total length of the pieces', () => {
    const copies = (count: number, start: number, end: number) => Array<Piece>(count).fill(piece(start, end));
    const refuses = failsWith('TOO_MUCH_OVERLAP');
    refuseManyPasses(copies(16, 3_590, 3_600), 3_600);
    assert.throws(() => refuseManyPasses(copies(17, 3_590, 3_600), 3_600), refuses);
    // Each pass reads what it is charged for.
    refuseManyPasses(copies(1_000, 0, 10), 3_600);
    // Ten overlap at any moment.
    const steps = Array.from({ length: 1_000 }, (_, index) => piece(index, index + 10));
    refuseManyPasses(steps, 3_600);
    assert.equal(planPasses(steps, 3_600).length, 10);
    // A long one among them takes one pass.
    refuseManyPasses([piece(0, 3_600), ...copies(15, 3_590, 3_600)], 3_600);
    assert.throws(() => refuseManyPasses([piece(0, 100), ...copies(999, 3_590, 3_600)], 3_600), refuses);
  });

  test('neighbours share a border, and nothing is read after the last piece', () => {
    const [pass, ...more] = planPasses([piece(10, 20), piece(20, 30), piece(50, 60)], 100);
    assert.ok(pass);
    assert.equal(more.length, 0);
    assert.deepEqual(pass.ends, [10, 20, 30, 50, 60, 100]);
    const rule = cutByPass(pass);
    assert.deepEqual(
      [0, 1, 2, 3, 4, 5].map((index) => rule.choice?.isWanted(index)),
      [false, true, true, false, true, false],
    );
    assert.equal(rule.choice?.lastIndex, 4);
    assert.equal(rule.endSample(1_000, 4), 60_000);
    assert.equal(rule.endSample(1_000, 5), Number.POSITIVE_INFINITY);
  });
});
