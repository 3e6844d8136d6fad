import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  formatAgo,
  formatBytes,
  formatClock,
  formatExactClock,
  formatFailed,
  formatMoney,
  formatRate,
  formatSpan,
  plural,
} from './format.ts';

test('sizes keep three digits, also if they round up into the next unit', () => {
  assert.deepEqual([0, 999, 1_000, 9_994, 99_940, 999_499, 999_500, 1.5e9].map(formatBytes), [
    '0 B',
    '999 B',
    '1.00 kB',
    '9.99 kB',
    '99.9 kB',
    '999 kB',
    '1.00 MB',
    '1.50 GB',
  ]);
});

test('the position of a cut is shown to the millisecond, also if it rounds up into the next second', () => {
  assert.deepEqual([0, 124.12, 186.48, 3_725.001, 59.9996, 0.1 + 0.2].map(formatExactClock), [
    '0:00.000',
    '2:04.120',
    '3:06.480',
    '1:02:05.001',
    '1:00.000',
    '0:00.300',
  ]);
});

test('a moment ago is shown without a figure', () => {
  const now = Date.parse('2027-01-01T12:00:00Z');
  assert.equal(formatAgo('2027-01-01T11:59:30Z', now), 'just now');
  assert.equal(formatAgo('2027-01-01T11:50:00Z', now), '10 minutes ago');
  assert.equal(formatAgo('2026-12-31T12:00:00Z', now), 'yesterday');
});

test('one item is shown in the singular', () => {
  assert.equal(plural(1, 'segment'), '1 segment');
  assert.equal(plural(1_020, 'segment'), '1,020 segments');
});

test('money is shown to its smallest coin, a rate with smaller fractions', () => {
  assert.deepEqual(
    [0, 900, 29_900].map((amount) => formatMoney(amount, 'usd')),
    ['$0.00', '$9.00', '$299.00'],
  );
  assert.deepEqual(
    [2_000, 800].map((thousandths) => formatRate(thousandths, 'usd')),
    ['$0.02', '$0.008'],
  );
});

test('times are written as clock times and as spans', () => {
  assert.deepEqual([0, 65, 3_725].map(formatClock), ['0:00', '1:05', '1:02:05']);
  assert.deepEqual([45, 300, 90, 5_400].map(formatSpan), ['45 s', '5 min', '1 min 30 s', '1 h 30 min']);
});

test('canceled jobs are not called failed, although the API counts them as failed', () => {
  assert.equal(formatFailed({ jobsFailed: 3, jobsCanceled: 0 }), '3 failed');
  assert.equal(formatFailed({ jobsFailed: 1_003, jobsCanceled: 1_001 }), '2 failed, 1,001 canceled');
});
