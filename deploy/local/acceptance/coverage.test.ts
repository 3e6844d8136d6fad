import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { COVERAGE_PAGE, collectScenarios, renderCoverage, untoldEndpoints } from './coverage.ts';

const scenarios = await collectScenarios();

test('every endpoint of the contract has an acceptance test', () => {
  assert.deepEqual(untoldEndpoints(scenarios), []);
});

test('docs/coverage.md says what the tests say', async () => {
  const expected = renderCoverage(scenarios);
  const actual = await readFile(COVERAGE_PAGE, 'utf8').catch(() => '');
  assert.equal(actual, expected, 'run `npm run docs:coverage`');
});
