import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { startTestGateway } from '../../testing/test-gateway.ts';

const RULES = {
  // There is no licence URL.
  'info-license-strict': 'off',
  // Health checks and the key set refuse no caller.
  'operation-4xx-response': 'off',
} as const;

test('a linter reports nothing for /openapi.json', async () => {
  await using gateway = await startTestGateway();
  const source = await (await gateway.call('/openapi.json')).text();
  const config = await createConfig({ extends: ['recommended-strict'], rules: RULES });
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
  assert.deepEqual(
    problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`),
    [],
  );
});
