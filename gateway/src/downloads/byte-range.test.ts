import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseByteRange } from './byte-range.ts';

for (const [header, sizeBytes, expected] of [
  [undefined, 10, 'whole'],
  ['bytes=0-3', 10, [0, 3]],
  ['bytes=9-9', 10, [9, 9]],
  ['bytes=4-', 10, [4, 9]],
  ['bytes=4-99', 10, [4, 9]],
  ['bytes=-3', 10, [7, 9]],
  ['bytes=-99', 10, [0, 9]],
  ['Bytes= 0-3 ', 10, [0, 3]],
  ['bytes=10-', 10, 'unsatisfiable'],
  ['bytes=-0', 10, 'unsatisfiable'],
  ['bytes=0-', 0, 'unsatisfiable'],
  ['bytes=-5', 0, 'unsatisfiable'],
  ['bytes=3-1', 10, 'whole'],
  ['bytes=0-1,3-4', 10, 'whole'],
  ['bytes=-', 10, 'whole'],
  ['bytes=a-b', 10, 'whole'],
  ['seconds=0-1', 10, 'whole'],
] as const) {
  test(`${header} of ${sizeBytes} bytes`, () => {
    const range = parseByteRange(header, sizeBytes);
    assert.deepEqual(typeof range === 'string' ? range : [range.firstByte, range.lastByte], expected);
  });
}
