import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  formatBytes,
  formatClock,
  formatTime,
  parseLevel,
  parseSizeBytes,
  parseThousands,
} from './quantities.ts';

test('bytes are shown with three digits, in the largest suitable unit', () => {
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

test('text that is not a size is undefined', () => {
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

test('rates may be in thousands, levels may have a unit', () => {
  const rates: Record<string, number> = {
    '16000': 16_000,
    '44.1k': 44_100,
    '48kbps': 48_000,
    '22.05kHz': 22_050,
  };
  for (const [text, value] of Object.entries(rates)) assert.equal(parseThousands(text), value, text);
  for (const text of ['', 'k', '48K5', '-1', '0.5', '44.1'])
    assert.equal(parseThousands(text), undefined, text);
  const levels: Record<string, number> = { '-16': -16, '-23.5': -23.5, '-40dB': -40, '-16 LUFS': -16 };
  for (const [text, value] of Object.entries(levels)) assert.equal(parseLevel(text), value, text);
  for (const text of ['', 'auto', '-', '-1e1', '- 16']) assert.equal(parseLevel(text), undefined, text);
});

test('a time is shown to the millisecond', () => {
  assert.deepEqual([0, 9.25, 59.9996, 3_723.5].map(formatTime), [
    '0:00.000',
    '0:09.250',
    '1:00.000',
    '1:02:03.500',
  ]);
});

test('a clock time has hours only if there are any', () => {
  assert.deepEqual([0, 8.2, 60, 750, 3_723].map(formatClock), ['0:00', '0:09', '1:00', '12:30', '1:02:03']);
});
