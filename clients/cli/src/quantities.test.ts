import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatBytes, formatClock, parseDurationSeconds, parseSizeBytes } from './quantities.ts';

test('bytes are shown with three digits, in the unit that holds them', () => {
  const shown: Record<number, string> = {
    0: '0 B',
    999: '999 B',
    1000: '1.00 kB',
    9995: '10.0 kB',
    384000: '384 kB',
    999600: '1.00 MB',
  };
  for (const [bytes, text] of Object.entries(shown)) assert.equal(formatBytes(Number(bytes)), text);
});

test('sizes are decimal or binary, by their unit', () => {
  const sizes: Record<string, number> = {
    '26214400': 26_214_400,
    '25MB': 25_000_000,
    '25mb': 25_000_000,
    '25 MB': 25_000_000,
    '25MiB': 26_214_400,
    '1.5GB': 1_500_000_000,
    '64KiB': 65_536,
    '100kB': 100_000,
    '2GiB': 2_147_483_648,
    '7B': 7,
  };
  for (const [text, bytes] of Object.entries(sizes)) assert.equal(parseSizeBytes(text), bytes, text);
});

test('what is no size is undefined', () => {
  for (const text of [
    '',
    'MB',
    '25M',
    '25G',
    '-1',
    '1e6',
    '1,5MB',
    '25MBs',
    '0.3B',
    '99999999999999999999',
  ]) {
    assert.equal(parseSizeBytes(text), undefined, text);
  }
});

test('lengths come in seconds, minutes, hours, or all of them', () => {
  const lengths: Record<string, number> = {
    '60': 60,
    '90s': 90,
    '5m': 300,
    '1h': 3_600,
    '1h30m': 5_400,
    '1m30s': 90,
    '1H': 3_600,
  };
  for (const [text, seconds] of Object.entries(lengths)) {
    assert.equal(parseDurationSeconds(text), seconds, text);
  }
});

test('what is no length is undefined', () => {
  for (const text of ['', '1.5', '1d', '-5', 's', '5 m', '5m1h', '1e3', '99999999999999999999']) {
    assert.equal(parseDurationSeconds(text), undefined, text);
  }
});

test('a clock has hours only when there are any', () => {
  assert.deepEqual([0, 8.2, 60, 750, 3_723].map(formatClock), ['0:00', '0:09', '1:00', '12:30', '1:02:03']);
});
