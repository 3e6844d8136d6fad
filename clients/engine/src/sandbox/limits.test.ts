import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeCpuSeconds, limitOptions } from './limits.ts';

test('decoding may use CPU time in proportion to the size of its source, within limits', () => {
  assert.equal(decodeCpuSeconds(0), 120);
  assert.equal(decodeCpuSeconds(10_000_000), 420);
  assert.equal(decodeCpuSeconds(10_000_000_000), 7_200);
  assert.equal(decodeCpuSeconds(undefined), 7_200);
});

test('limits are whole numbers, with a grace period after the signal', () => {
  const options = limitOptions({ cpuSeconds: 120.3, fileSizeBytes: 10.5 });
  assert.ok(options.includes('--cpu-seconds=121:126'));
  assert.ok(options.includes('--file-size=11'));
});
