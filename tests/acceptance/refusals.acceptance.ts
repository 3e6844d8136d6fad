/** Refusals as callers receive them; the gateway's own tests cover every case. */
import assert from 'node:assert/strict';
import type { RawInit } from '../harness/accounts/raw.ts';
import { listen } from '../harness/servers/listen.ts';
import {
  assertRateLimitHeaders,
  assertRefused,
  assertRefuses,
  call,
  registerWithKey,
  sampleBy,
} from './api.ts';
import { onSharedProduct } from './scenario.ts';

const scenario = onSharedProduct();

// Covers D-7.1 D-7.4 D-7.5 D-7.6 D-9.10 D-9.38 I-4.0.3 I-4.3.9 I-4.3.10 I-5.3 I-8.8
scenario(
  'every rejected call gets the same envelope, with the rate limit headers',
  { covers: ['POST /api/v1/splits', 'GET /api/v1/splits', 'DELETE /api/v1/splits/:jobId'] },
  async (product) => {
    const { apiKey } = product;
    const request = sampleBy(product, 10);
    const post = (status: number, code: string, init: RawInit) =>
      ['POST /api/v1/splits', { apiKey, ...init }, status, code] as const;
    const cases: readonly (readonly [
      target: `${string} /${string}`,
      RawInit,
      status: number,
      code: string,
    ])[] = [
      ['GET /api/v1/nothing', {}, 404, 'NOT_FOUND'],
      ['PUT /api/v1/splits', { apiKey, body: {} }, 405, 'METHOD_NOT_ALLOWED'],
      ['DELETE /api/v1/splits/job_1', {}, 401, 'UNAUTHORIZED'],
      ['GET /api/v1/splits', { apiKey: apiKey.replace(/.$/, '-') }, 401, 'UNAUTHORIZED'],
      post(400, 'INVALID_PARAMS', { body: '{"sourceUrl": ' }),
      post(400, 'INVALID_PARAMS', { body: 'null' }),
      post(400, 'INVALID_PARAMS', { body: { ...request, colour: 'red' } }),
      post(400, 'INVALID_PARAMS', { body: { ...request, sourceUrl: 'http://169.254.169.254/' } }),
      post(413, 'PAYLOAD_TOO_LARGE', { body: { ...request, metadata: { text: 'x'.repeat(256 * 1024) } } }),
      post(415, 'UNSUPPORTED_MEDIA_TYPE', { body: 'a=b', headers: { 'content-type': 'text/plain' } }),
    ];
    for (const [target, init, status, code] of cases) {
      const refused = await call(product, target, init);
      assertRefused(refused, status, code);
      assertRateLimitHeaders(refused);
      if (status === 405) assert.equal(refused.headers.get('allow'), 'GET, HEAD, POST');
    }
  },
);

// Covers D-1.19 D-1.20 D-1.22
scenario(
  'a read-only key gets 403 on creation, with the missing scope',
  { covers: ['POST /api/v1/splits', 'GET /api/v1/splits'] },
  async (product) => {
    const { client } = await registerWithKey(product, { scopes: ['splits:read'] });
    assert.deepEqual((await client.listSplits()).data, []);
    const refused = await assertRefuses(client.createSplit(sampleBy(product, 10)), 403, 'INSUFFICIENT_SCOPE');
    assert.equal(refused.headers.get('x-accepted-scopes'), 'splits:write');
    assertRateLimitHeaders(refused, 10);
  },
);

// Covers I-8.1 I-8.9 I-7.12
scenario(
  'the eleventh request of a minute on the Free plan gets 429 with the time for a retry',
  { covers: ['GET /api/v1/splits'] },
  async (product) => {
    const { apiKey } = await registerWithKey(product);
    let allowed = 0;
    // A minute may end meanwhile; no more than 20 requests can pass in two windows.
    for (;;) {
      const answer = await call(product, 'GET /api/v1/splits', { apiKey });
      assertRateLimitHeaders(answer, 10);
      if (answer.status === 200) {
        allowed += 1;
        assert.ok(allowed <= 20);
        continue;
      }
      const { retryAfter } = assertRefused(answer, 429, 'RATE_LIMITED');
      assert.ok(allowed >= 10);
      assert.ok(retryAfter !== undefined && retryAfter >= 1 && retryAfter <= 60);
      assert.equal(answer.headers.get('retry-after'), String(retryAfter));
      assert.equal(answer.headers.get('x-ratelimit-remaining'), '0');
      return;
    }
  },
);

// Covers I-4.3.11 I-7.11 D-2.20
scenario(
  'a source with a declared size above the plan gets 413',
  { covers: ['POST /api/v1/splits'] },
  async (product) => {
    const { client } = await registerWithKey(product);
    await using server = await listen((request, response) => {
      response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': 100 * 2 ** 20 + 1 });
      if (request.method === 'HEAD') response.end();
      else response.destroy();
    }, product.hostAddress);
    const large = { ...sampleBy(product, 10), sourceUrl: `${server.url}/large.wav` };
    await assertRefuses(client.createSplit(large), 413, 'FILE_TOO_LARGE');
  },
);
