import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRateLimitedEnvelope } from '../analysis/refusal.ts';
import { startStubServer } from './stub-server.ts';

test('the stub server refuses as the limiter does, by all that a journey looks at', async () => {
  await using stubServer = await startStubServer();
  for (const path of ['/api/v1/splits?limit=1', '/']) {
    const response = await fetch(`${stubServer.url}${path}`);
    assert.equal(response.status, 429);
    const headers = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after'];
    for (const name of headers) assert.match(response.headers.get(name) ?? '', /^\d+$/, name);
    assert.equal(response.headers.get('x-ratelimit-remaining'), '0');
    assert.ok(isRateLimitedEnvelope(await response.text(), Number(response.headers.get('retry-after'))));
  }
});
