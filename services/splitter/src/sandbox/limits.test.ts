import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeCpuSeconds, limitsCommand } from './limits.ts';

test('decoding may take CPU time in proportion to the size of its source, within bounds', () => {
  assert.equal(decodeCpuSeconds(0), 120);
  assert.equal(decodeCpuSeconds(10_000_000), 420);
  assert.equal(decodeCpuSeconds(10_000_000_000), 7_200);
  assert.equal(decodeCpuSeconds(undefined), 7_200);
});

test('limits are whole numbers, with a grace after the signal', () => {
  const command = limitsCommand('/usr/bin/prlimit', { cpuSeconds: 120.3, fileSizeBytes: 10.5 });
  assert.equal(command[0], '/usr/bin/prlimit');
  assert.ok(command.includes('--cpu=121:126'));
  assert.ok(command.includes('--fsize=11'));
  assert.equal(command.at(-1), '--');
});
