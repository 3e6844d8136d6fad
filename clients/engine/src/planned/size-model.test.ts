import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSizeModel } from './size-model.ts';

const HEADER = 100;
/** Of audio, from second to second. */
const AUDIO = [1_000, 3_000, 500, 2_000];
/** Bytes that two files share if they are cut at a second. */
const SHARED = [0, 50, 200, 0, 0];

/** Of a file, from second to second. */
function sizeOf(start: number, end: number): number {
  const audio = AUDIO.slice(start, end).reduce((sum, bytes) => sum + bytes, 0);
  return HEADER + audio + (SHARED[start] ?? 0);
}

const seconds = [0, 1, 2, 3, 4];
const model = createSizeModel(
  seconds,
  AUDIO.map((_, n) => sizeOf(n, n + 1)),
  SHARED.map((shared, n) => (n === 0 || n === 4 ? 0 : HEADER + shared)),
);

const close = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) < 1e-9, `${actual}, not ${expected}`);

test('sizes from line to line are exact', () => {
  for (const start of seconds.slice(0, -1)) {
    for (const end of seconds.slice(start + 1)) {
      if (end < 4) close(model.latestEnd(start, sizeOf(start, end)), end);
      close(model.earliestStart(end, sizeOf(start, end)), start);
    }
  }
});

test('a file has its header from its first byte on, in the first and the last cell, too', () => {
  close(model.latestEnd(0, HEADER + 500), 0.5);
  close(model.earliestStart(4, HEADER + 500), 3.75);
  close(model.latestEnd(0, HEADER), 0);
  close(model.earliestStart(4, HEADER), 4);
});

test('what holds everything has no end, and begins at the start', () => {
  assert.equal(model.latestEnd(1, 1_000_000), Number.POSITIVE_INFINITY);
  assert.equal(model.earliestStart(3, 1_000_000), 0);
});
