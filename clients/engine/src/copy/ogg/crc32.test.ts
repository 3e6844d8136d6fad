import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { crc32, crc32OverZeros } from './crc32.ts';
import { slowCrc32 } from './testing/pages.ts';

const BYTES = fc.uint8Array({ maxLength: 100 });

test('the checksum follows its definition, at any offset, in any number of parts', () => {
  fc.assert(
    fc.property(BYTES, BYTES, fc.nat(20), (front, back, offset) => {
      const whole = Buffer.concat([Buffer.alloc(offset, 7), front, back]);
      assert.equal(crc32(whole.subarray(offset)), slowCrc32(whole.subarray(offset)));
      assert.equal(crc32(back, crc32(front)), slowCrc32(whole.subarray(offset)));
    }),
  );
});

test('a run of zeros is processed in one step', () => {
  fc.assert(
    fc.property(BYTES, fc.nat(70_000), (front, zeroCount) => {
      assert.equal(crc32OverZeros(crc32(front), zeroCount), crc32(new Uint8Array(zeroCount), crc32(front)));
    }),
  );
});
