import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatTime, parseLengthWithin, parseTime, parseWithin } from './typed-time.ts';

test('lengths and times are read as in the CLI', () => {
  assert.deepEqual(
    ['90', '1m30s', '1h', '21.6', '500ms', '1h30m', '2M', ' 90s '].map(parseTime),
    [90, 90, 3_600, 21.6, 0.5, 5_400, 120, 90],
  );
  assert.deepEqual(
    ['0.5', '500ms', '1m', '1:00', '61', '0.05'].map((text) => parseLengthWithin(text, 0.1, 60)),
    [0.5, 0.5, 60, undefined, undefined, undefined],
  );
});

test('times are read as in the API', () => {
  assert.deepEqual(
    ['90', '90.5', '1:30', ' 1:30.250 ', '1:02:03.5', '999:59', '100:00:00'].map(parseTime),
    [90, 90.5, 90, 90.25, 3_723.5, 59_999, 360_000],
  );
  const wrong = [
    '',
    ' ',
    '1:5',
    '1:60',
    '1:60:00',
    '1:2:3:4',
    '-1',
    '1.',
    '1.2345',
    'x',
    '1000:00',
    '1000001',
  ];
  assert.deepEqual(wrong.map(parseTime), Array(wrong.length).fill(undefined));
});

test('a written time is read back to the millisecond', () => {
  assert.deepEqual([0, 65, 90.25, 3_725].map(formatTime), ['0:00', '1:05', '1:30.250', '1:02:05']);
  fc.assert(
    fc.property(fc.nat({ max: 999_999_999 }), (ms) => {
      assert.equal(parseTime(formatTime(ms / 1_000)), ms / 1_000);
    }),
  );
});

test('numbers are plain and within limits', () => {
  assert.deepEqual(
    ['0.1', '60', ' 5 ', '2.'].map((text) => parseWithin(text, 0.1, 60)),
    [0.1, 60, 5, 2],
  );
  for (const text of ['', '0.05', '61', '1e1', '0x10', '-1', '1,5']) {
    assert.equal(parseWithin(text, 0.1, 60), undefined, text);
  }
});
