import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatNumber, formatPercent } from './numbers.ts';

test('numbers are rounded by their size', () => {
  const formatted = [1_234.5, 12.34, 1.234, 5, Number.NaN].map(formatNumber);
  assert.deepEqual(formatted, ['1,235', '12.3', '1.23', '5', '–']);
});

test('a share is shown in percent', () => {
  assert.deepEqual([0.1234, -0.05, Number.NaN].map(formatPercent), ['12.3 %', '-5.0 %', '–']);
});
