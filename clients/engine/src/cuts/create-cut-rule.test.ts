import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCutRule } from './create-cut-rule.ts';
import { minRemainderSamples } from './cut-rule.ts';

const MEBIBYTE = 1024 * 1024;

test('boundaries are rounded from the start, so that errors do not accumulate', () => {
  const { endSample } = createCutRule({ mode: 'duration', segmentDurationSeconds: 0.333 });
  assert.equal(endSample(44_100, 0), 14_685);
  assert.equal(endSample(44_100, 999), 14_685_300);
  assert.equal(minRemainderSamples(44_100), 4_410);
});

test('a length of zero is rejected', () => {
  assert.throws(() => createCutRule({ mode: 'duration', segmentDurationSeconds: 0 }), RangeError);
});

test('a repeated tag is never larger than the audio it describes', () => {
  const maxTagBytes = (segmentDurationSeconds: number) =>
    createCutRule({ mode: 'duration', segmentDurationSeconds }).maxTagBytes;
  assert.equal(maxTagBytes(1), MEBIBYTE);
  assert.equal(maxTagBytes(60), 60 * 65_536);
  assert.equal(maxTagBytes(86_400), 16 * MEBIBYTE);
  assert.equal(createCutRule({ mode: 'fileSize', maxFileSizeBytes: 65_536 }).maxTagBytes, 6_553);
});
