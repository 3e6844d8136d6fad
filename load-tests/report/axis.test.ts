import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatNumber, formatPercent, ticksUpTo } from './axis.ts';

test('an axis has few round steps and reaches the largest value', () => {
  assert.deepEqual(ticksUpTo(5_000), [0, 1_000, 2_000, 3_000, 4_000, 5_000]);
  assert.deepEqual(ticksUpTo(0.3), [0, 0.1, 0.2, 0.3]);
  assert.deepEqual(ticksUpTo(83.4), [0, 20, 40, 60, 80, 100]);
  for (const max of [0.007, 1, 17, 999, 12_345]) {
    const ticks = ticksUpTo(max);
    assert.ok((ticks.at(-1) ?? 0) >= max && ticks.length <= 7, `${max}: ${ticks}`);
  }
});

test('an axis without values is still one', () => {
  for (const max of [0, Number.NaN, Number.POSITIVE_INFINITY, -1]) assert.deepEqual(ticksUpTo(max), [0, 1]);
});

test('numbers have as many digits as they can bear', () => {
  assert.deepEqual([1_234.5, 12.34, 1.234, 5, Number.NaN].map(formatNumber), [
    '1,235',
    '12.3',
    '1.23',
    '5',
    '–',
  ]);
});

test('a share is told in percent', () => {
  assert.deepEqual([0.1234, -0.05, Number.NaN].map(formatPercent), ['12.3 %', '-5.0 %', '–']);
});
