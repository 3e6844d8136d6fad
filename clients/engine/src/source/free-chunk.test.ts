import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freeChunk } from './free-chunk.ts';

test('a chunk that is its whole buffer is freed, and one that is a part of it is not', () => {
  const whole = new Uint8Array(64);
  const part = new Uint8Array(64).subarray(1);
  freeChunk(whole);
  freeChunk(part);
  assert.equal(whole.byteLength, 0);
  assert.equal(part.byteLength, 63);
});
