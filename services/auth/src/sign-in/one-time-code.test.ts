import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stepOf } from './one-time-code.ts';

/** RFC 6238, appendix B, for SHA-1: its eight digits end with the six. */
const SECRET = Buffer.from('12345678901234567890');

for (const [seconds, code] of [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
] as const) {
  test(`RFC 6238: ${code} at ${seconds} s`, () => {
    assert.equal(stepOf(SECRET, code, new Date(seconds * 1_000)), Math.floor(seconds / 30));
    assert.equal(stepOf(SECRET, code, new Date((seconds + 120) * 1_000)), undefined);
  });
}
