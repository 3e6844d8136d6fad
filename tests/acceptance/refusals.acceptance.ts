/** Every way to be refused, with the one envelope and the limit's headers. */
import assert from 'node:assert/strict';
import type { RawInit } from '../harness/accounts/raw.ts';
import type { Product } from '../harness/installation/as-a-user/product.ts';
import { listen } from '../harness/servers/listen.ts';
import {
  assertRateLimitHeaders,
  assertRefused,
  assertRefuses,
  call,
  createJob,
  registerWithKey,
  sampleBy,
} from './api.ts';
import { onSharedProduct } from './scenario.ts';

const scenario = onSharedProduct();

async function assertNotCreated(product: Product, init: RawInit, status: number, code: string) {
  const refused = await call(product, 'POST /api/v1/splits', { apiKey: product.apiKey, ...init });
  assertRateLimitHeaders(refused);
  return assertRefused(refused, status, code);
}

// Covers D-7.1 I-8.8
scenario('an unknown path is a 404', {}, async (product) => {
  for (const target of ['GET /api/v1/nothing', 'POST /api/v1/splits/x/y', 'GET /api/v1'] as const) {
    const refused = await call(product, target);
    assertRefused(refused, 404, 'NOT_FOUND');
    assertRateLimitHeaders(refused);
  }
  assertRefused(await call(product, 'GET /nothing'), 404, 'NOT_FOUND');
});

// Covers D-7.4 D-9.38
scenario('a wrong method is a 405 that names the right ones', {}, async (product) => {
  const refused = await call(product, 'PUT /api/v1/splits', { apiKey: product.apiKey, body: {} });
  assertRefused(refused, 405, 'METHOD_NOT_ALLOWED');
  assert.deepEqual(refused.headers.get('allow')?.split(', ').sort(), ['GET', 'HEAD', 'POST']);
  assertRateLimitHeaders(refused);
});

// Covers D-7.1
scenario('a body that is no JSON is a 400', { covers: ['POST /api/v1/splits'] }, async (product) => {
  for (const body of ['{"sourceUrl": ', 'null', '[]', '"text"'])
    await assertNotCreated(product, { body }, 400, 'INVALID_PARAMS');
});

// Covers D-7.5
scenario('a body above 256 KiB is a 413', { covers: ['POST /api/v1/splits'] }, async (product) => {
  const body = { ...sampleBy(product, 10), metadata: { text: 'x'.repeat(256 * 1024) } };
  await assertNotCreated(product, { body }, 413, 'PAYLOAD_TOO_LARGE');
});

// Covers D-7.6 I-4.0.3
scenario('a body of another type is a 415', { covers: ['POST /api/v1/splits'] }, async (product) => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
    const headers = { 'content-type': type };
    await assertNotCreated(product, { body: 'a=b', headers }, 415, 'UNSUPPORTED_MEDIA_TYPE');
  }
});

// Covers I-4.3.9 D-2.31 D-2.32 D-2.34 D-2.37 D-2.38 D-9.10
scenario(
  'a request that makes no sense is a 400 that names the field',
  { covers: ['POST /api/v1/splits'] },
  async (product) => {
    const request = sampleBy(product, 10);
    const { sourceUrl, ...cut } = request;
    const cases: readonly (readonly [field: string, body: object])[] = [
      ['sourceUrl', cut],
      ['sourceUrl', { ...cut, sourceUrl: 'ftp://example.com/a.mp3' }],
      ['sourceUrl', { ...cut, sourceUrl: 'no url' }],
      ['sourceUrl', { ...cut, sourceUrl: 'http://10.1.2.3/a.mp3' }],
      ['sourceUrl', { ...cut, sourceUrl: 'http://169.254.169.254/' }],
      ['splitMode', { sourceUrl }],
      ['splitMode', { sourceUrl, splitMode: 'half' }],
      ['segmentDuration', { sourceUrl, splitMode: 'duration' }],
      ['segmentDuration', { sourceUrl, splitMode: 'duration', segmentDuration: 0 }],
      ['segmentDuration', { sourceUrl, splitMode: 'duration', segmentDuration: '10' }],
      ['segmentDuration', { sourceUrl, splitMode: 'duration', segmentDuration: 86_401 }],
      ['maxFileSize', { sourceUrl, splitMode: 'fileSize' }],
      ['maxFileSize', { sourceUrl, splitMode: 'fileSize', maxFileSize: 65_535 }],
      ['maxFileSize', { ...request, maxFileSize: 65_535 }],
      ['segmentDuration', { ...request, splitMode: 'fileSize', maxFileSize: 100_000 }],
      ['outputFormat', { ...request, outputFormat: 'wma' }],
      ['webhookUrl', { ...request, webhookUrl: 'no url' }],
      ['metadata', { ...request, metadata: 'text' }],
      ['metadata', { ...request, metadata: { text: 'x'.repeat(9_000) } }],
      ['colour', { ...request, colour: 'red' }],
    ];
    for (const [field, body] of cases) {
      const { details = [] } = await assertNotCreated(product, { body }, 400, 'INVALID_PARAMS');
      const fields = details.map((detail) => detail.field);
      assert.ok(fields.includes(field), `${field}: ${fields}`);
    }
  },
);

// Covers I-5.3 I-4.3.10
scenario(
  'a missing, malformed or unknown key is a 401 on every job endpoint',
  {
    covers: [
      'POST /api/v1/splits',
      'GET /api/v1/splits',
      'GET /api/v1/splits/:jobId',
      'DELETE /api/v1/splits/:jobId',
    ],
  },
  async (product) => {
    const forged = product.apiKey.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
    for (const target of [
      'POST /api/v1/splits',
      'GET /api/v1/splits',
      'GET /api/v1/splits/job_1',
      'DELETE /api/v1/splits/job_1',
    ] as const) {
      for (const credential of [{}, { apiKey: 'nonsense' }, { apiKey: forged }]) {
        const refused = await call(product, target, credential);
        assertRefused(refused, 401, 'UNAUTHORIZED');
        assertRateLimitHeaders(refused);
      }
    }
  },
);

// Covers D-1.19 D-1.20 D-1.22
scenario(
  'a key that may only read is a 403 on creation, with the scope that it lacks',
  { covers: ['POST /api/v1/splits', 'GET /api/v1/splits', 'DELETE /api/v1/splits/:jobId'] },
  async (product) => {
    const { client } = await registerWithKey(product, { scopes: ['splits:read'] });
    assert.deepEqual((await client.listSplits()).data, []);
    for (const ask of [
      () => client.createSplit(sampleBy(product, 10)),
      () => client.deleteSplit('job_1'),
      () => client.createUpload(),
    ]) {
      const refused = await assertRefuses(ask(), 403, 'INSUFFICIENT_SCOPE');
      assert.equal(refused.headers.get('x-accepted-scopes'), 'splits:write');
      assertRateLimitHeaders(refused, 10);
    }
  },
);

// Covers I-7.7
scenario(
  "another account's job does not exist",
  { covers: ['GET /api/v1/splits/:jobId', 'DELETE /api/v1/splits/:jobId'] },
  async (product) => {
    const { id } = await createJob(product, sampleBy(product, 10));
    const { client: stranger } = await registerWithKey(product);
    await assertRefuses(stranger.getSplit(id), 404, 'JOB_NOT_FOUND');
    await assertRefuses(stranger.deleteSplit(id), 404, 'JOB_NOT_FOUND');
  },
);

// Covers I-8.1 I-8.9 I-7.12
scenario(
  'the eleventh request of a minute on the Free plan is a 429 that says when to come back',
  { covers: ['GET /api/v1/splits'] },
  async (product) => {
    const { apiKey } = await registerWithKey(product);
    let allowed = 0;
    // A minute may end meanwhile; of two windows together, more than 20 cannot pass.
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
  'a source that says it is larger than the plan allows is a 413',
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
