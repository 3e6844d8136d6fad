import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProgress } from './progress.ts';

test('progress never decreases, never exceeds its span and is never NaN', () => {
  const seen: number[] = [];
  const progress = createProgress((fraction) => seen.push(fraction));
  const first = progress.span(0, 0.5);
  first(0, 0);
  first(5, undefined);
  first(Number.NaN, 10);
  first(5, 10);
  first(3, 10);
  first(99, 10);
  progress.span(0.2, 1)(1, 4);
  progress.span(0.2, 1)(4, 4);
  assert.deepEqual(seen, [0.25, 0.5, 1]);
});
