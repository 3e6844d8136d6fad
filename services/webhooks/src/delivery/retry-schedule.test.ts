import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRetryAfter, retryPauseMs } from './retry-schedule.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
const HOUR_MS = 3_600_000;
const least = () => 0;
const most = () => 1;

// Covers D-4.16
test('jitter adds up to a tenth and never subtracts', () => {
  assert.equal(retryPauseMs(1, undefined, least), 5_000);
  assert.equal(retryPauseMs(1, undefined, most), 5_500);
  assert.equal(retryPauseMs(7, undefined, most), 11 * HOUR_MS);
});

// Covers D-4.15
test('no attempt follows the eighth one, with any Retry-After', () => {
  assert.equal(typeof retryPauseMs(7, undefined, least), 'number');
  assert.equal(retryPauseMs(8, undefined, least), undefined);
  assert.equal(retryPauseMs(8, 1_000, least), undefined);
});

test('a receiver can request a longer delay than planned, up to 24 h, but no shorter one', () => {
  assert.equal(retryPauseMs(1, 60_000, least), 60_000);
  assert.equal(retryPauseMs(2, 60_000, least), 300_000);
  assert.equal(retryPauseMs(1, 25 * HOUR_MS, least), 24 * HOUR_MS);
  assert.equal(retryPauseMs(1, Number.POSITIVE_INFINITY, least), 24 * HOUR_MS);
});

test('Retry-After is read in seconds and as a date; any other value is ignored', () => {
  for (const [header, expected] of [
    ['0', 0],
    ['120', 120_000],
    ['Sun, 01 Mar 2026 12:01:00 GMT', 60_000],
    ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
  ] as const) {
    assert.equal(parseRetryAfter(header, NOW), expected, String(header));
  }
});
