import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectScenarios, uncoveredEndpoints } from './coverage.ts';

test('every endpoint of the contract has an acceptance test', async () => {
  assert.deepEqual(uncoveredEndpoints(await collectScenarios()), []);
});
