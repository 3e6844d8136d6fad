import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundToMs, toSeconds } from '@audiosplit/cuts/cut-times';
import fc from 'fast-check';
import { PATTERNS } from './patterns.ts';

const TIME = new RegExp(PATTERNS.time);
const two = (value: number) => String(value).padStart(2, '0');

const fraction = fc.integer({ min: 0, max: 3 }).chain((digits) =>
  digits === 0
    ? fc.constant({ text: '', ms: 0 })
    : fc.integer({ min: 0, max: 10 ** digits - 1 }).map((value) => ({
        text: `.${String(value).padStart(digits, '0')}`,
        ms: value * 10 ** (3 - digits),
      })),
);
const seconds = fc.integer({ min: 0, max: 59 });

// Covers C-1.6 C-1.7
test('a time with hours is converted to seconds, to the millisecond', () => {
  const minutes = fc
    .tuple(seconds, fc.boolean())
    .map(([value, isPadded]) => ({ value, text: isPadded ? two(value) : String(value) }));
  const hours = fc
    .tuple(fc.integer({ min: 0, max: 999 }), fc.integer({ min: 1, max: 3 }))
    .map(([value, width]) => ({ value, text: String(value).padStart(width, '0') }));
  fc.assert(
    fc.property(hours, minutes, seconds, fraction, (h, m, s, { text, ms }) => {
      const time = `${h.text}:${m.text}:${two(s)}${text}`;
      assert.match(time, TIME);
      assert.equal(Math.round(toSeconds(time) * 1_000), (h.value * 3_600 + m.value * 60 + s) * 1_000 + ms);
    }),
  );
});

// Covers C-1.7
test('a time without hours has minutes up to 999', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 999 }), seconds, fraction, (m, s, { text, ms }) => {
      const time = `${m}:${two(s)}${text}`;
      assert.match(time, TIME);
      assert.equal(Math.round(toSeconds(time) * 1_000), (m * 60 + s) * 1_000 + ms);
    }),
  );
});

// Covers C-1.7 C-1.8
test('any other text is not a time', () => {
  for (const text of [
    '',
    '7',
    '7.5',
    '1:2',
    '1:60',
    '1:002',
    '1000:00',
    '1:60:00',
    '1:100:00',
    '1000:00:00',
    '1:2:3:04',
    '1:02.',
    '1:02.1234',
    '1:02,5',
    '-1:02',
    '+1:02',
    ' 1:02',
    '1:02\n',
    '1:02s',
    '1e1:02',
    '１:02',
  ]) {
    assert.doesNotMatch(text, TIME, JSON.stringify(text));
  }
});

// Covers C-1.11
test('numbers are rounded to the millisecond, and -0 is 0', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1_000_000, noNaN: true }), (value) => {
      const rounded = toSeconds(value);
      assert.ok(Math.abs(rounded - value) <= 0.0005 + 1e-9, String(value));
      assert.equal(rounded, Number(rounded.toFixed(3)));
      assert.equal(roundToMs(rounded), rounded);
    }),
  );
  assert.ok(Object.is(toSeconds(-0), 0));
});
