import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectScenarios, untoldEndpoints } from './coverage.ts';

test('every endpoint of the contract has an acceptance test', async () => {
  assert.deepEqual(untoldEndpoints(await collectScenarios()), []);
});
