import assert from 'node:assert/strict';
import { test } from 'node:test';
import { overlapsOf } from './overlaps.ts';

const overlapsIn = (...pieces: (readonly [start: number, end: number])[]) =>
  overlapsOf(pieces.map(([start, end]) => ({ start, end }))).map(({ start, end }) => [start, end]);

test('overlaps are the stretches covered by two or more pieces, in any order', () => {
  assert.deepEqual(overlapsIn([0, 120], [235, 600], [110, 240]), [
    [110, 120],
    [235, 240],
  ]);
  assert.deepEqual(overlapsIn([0, 300], [60, 180], [120, 240]), [[60, 240]]);
});

test('pieces that follow each other or leave gaps have no overlaps', () => {
  assert.deepEqual(overlapsIn([0, 60], [60, 120], [130, 140]), []);
  assert.deepEqual(overlapsIn(), []);
});
