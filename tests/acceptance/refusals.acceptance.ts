/** Every way to be refused, with the one envelope and the limit's headers. */
import assert from 'node:assert/strict';
import type { Product } from '../harness/installation/as-a-user/product.ts';
import { listen } from '../harness/servers/listen.ts';
import {
  assertRateLimitHeaders,
  assertRefused,
  assertRefuses,
  call,
  connect,
  createJob,
  registerWithKey,
  sampleBy,
} from './api.ts';
import { scenario, sharedProduct } from './scenario.ts';

const product = sharedProduct();

const splitRequest = (running: Product) => sampleBy(running, 10);

// Covers D-7.1 I-8.8
scenario('an unknown path is a 404', {}, async () => {
  const running = await product();
  for (const target of ['GET /api/v1/nothing', 'POST /api/v1/splits/x/y', 'GET /api/v1'] as const) {
    const refused = await call(running, target);
    assertRefused(refused, 404, 'NOT_FOUND');
    assertRateLimitHeaders(refused);
  }
  assertRefused(await call(running, 'GET /nothing'), 404, 'NOT_FOUND');
});

// Covers D-7.4 D-9.38
scenario('a wrong method is a 405 that names the right ones', {}, async () => {
  const running = await product();
  const { apiKey } = running;
  const refused = await call(running, 'PUT /api/v1/splits', { apiKey, body: {} });
  assertRefused(refused, 405, 'METHOD_NOT_ALLOWED');
  assert.deepEqual(refused.headers.get('allow')?.split(', ').sort(), ['GET', 'HEAD', 'POST']);
  assertRateLimitHeaders(refused);
});

// Covers D-7.1
scenario('a body that is no JSON is a 400', { covers: ['POST /api/v1/splits'] }, async () => {
  const running = await product();
  const { apiKey } = running;
  for (const body of ['{"sourceUrl": ', 'null', '[]', '"text"']) {
    const refused = await call(running, 'POST /api/v1/splits', { apiKey, body });
    assertRefused(refused, 400, 'INVALID_PARAMS');
    assertRateLimitHeaders(refused);
  }
});

// Covers D-7.5
scenario('a body above 256 KiB is a 413', { covers: ['POST /api/v1/splits'] }, async () => {
  const running = await product();
  const { apiKey } = running;
  const body = { ...splitRequest(running), metadata: { text: 'x'.repeat(256 * 1024) } };
  const refused = await call(running, 'POST /api/v1/splits', { apiKey, body });
  assertRefused(refused, 413, 'PAYLOAD_TOO_LARGE');
  assertRateLimitHeaders(refused);
});

// Covers D-7.6 I-4.0.3
scenario('a body of another type is a 415', { covers: ['POST /api/v1/splits'] }, async () => {
  const running = await product();
  const { apiKey } = running;
  for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
    const headers = { 'content-type': type };
    const refused = await call(running, 'POST /api/v1/splits', { apiKey, body: 'a=b', headers });
    assertRefused(refused, 415, 'UNSUPPORTED_MEDIA_TYPE');
    assertRateLimitHeaders(refused);
  }
});

// Covers I-4.3.9 D-2.31 D-2.32 D-2.34 D-2.37 D-2.38 D-9.10
scenario(
  'a request that makes no sense is a 400 that names the field',
  { covers: ['POST /api/v1/splits'] },
  async () => {
    const running = await product();
    const { apiKey } = running;
    const { sourceUrl } = splitRequest(running);
    const cases: readonly (readonly [field: string, body: Record<string, unknown>])[] = [
      ['sourceUrl', { splitMode: 'duration', segmentDuration: 10 }],
      ['sourceUrl', { sourceUrl: 'ftp://example.com/a.mp3', splitMode: 'duration', segmentDuration: 10 }],
      ['sourceUrl', { sourceUrl: 'no url', splitMode: 'duration', segmentDuration: 10 }],
      ['sourceUrl', { sourceUrl: 'http://10.1.2.3/a.mp3', splitMode: 'duration', segmentDuration: 10 }],
      ['sourceUrl', { sourceUrl: 'http://169.254.169.254/', splitMode: 'duration', segmentDuration: 10 }],
      ['splitMode', { sourceUrl }],
      ['splitMode', { sourceUrl, splitMode: 'half' }],
      ['segmentDuration', { sourceUrl, splitMode: 'duration' }],
      ['segmentDuration', { sourceUrl, splitMode: 'duration', segmentDuration: 0 }],
      ['segmentDuration', { sourceUrl, splitMode: 'duration', segmentDuration: '10' }],
      ['segmentDuration', { sourceUrl, splitMode: 'duration', segmentDuration: 86_401 }],
      ['maxFileSize', { sourceUrl, splitMode: 'fileSize' }],
      ['maxFileSize', { sourceUrl, splitMode: 'fileSize', maxFileSize: 65_535 }],
      ['maxFileSize', { sourceUrl, splitMode: 'duration', segmentDuration: 10, maxFileSize: 100_000 }],
      ['outputFormat', { ...splitRequest(running), outputFormat: 'wma' }],
      ['webhookUrl', { ...splitRequest(running), webhookUrl: 'no url' }],
      ['metadata', { ...splitRequest(running), metadata: 'text' }],
      ['metadata', { ...splitRequest(running), metadata: { text: 'x'.repeat(9_000) } }],
      ['colour', { ...splitRequest(running), colour: 'red' }],
    ];
    for (const [field, body] of cases) {
      const refused = await call(running, 'POST /api/v1/splits', { apiKey, body });
      const { details } = assertRefused(refused, 400, 'INVALID_PARAMS');
      assert.ok(
        details?.some((detail) => detail.field === field),
        `${field}: ${JSON.stringify(details)}`,
      );
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
  async () => {
    const running = await product();
    const targets = [
      'POST /api/v1/splits',
      'GET /api/v1/splits',
      'GET /api/v1/splits/job_1',
      'DELETE /api/v1/splits/job_1',
    ];
    for (const target of targets) {
      for (const apiKey of [
        undefined,
        'nonsense',
        running.apiKey.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')),
      ]) {
        const refused = await call(running, target as 'GET /', apiKey === undefined ? {} : { apiKey });
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
  async () => {
    const running = await product();
    const { apiKey } = await registerWithKey(running, { scopes: ['splits:read'] });
    const client = connect(running, { apiKey });
    assert.deepEqual((await client.listSplits()).data, []);
    const calls = [
      () => client.createSplit(splitRequest(running)),
      () => client.deleteSplit('job_1'),
      () => client.createUpload(),
    ];
    for (const ask of calls) {
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
  async () => {
    const running = await product();
    const { id } = await createJob(running, splitRequest(running));
    const { apiKey } = await registerWithKey(running);
    const stranger = connect(running, { apiKey });
    await assertRefuses(stranger.getSplit(id), 404, 'JOB_NOT_FOUND');
    await assertRefuses(stranger.deleteSplit(id), 404, 'JOB_NOT_FOUND');
  },
);

// Covers I-8.1 I-8.9 I-7.12
scenario(
  'the eleventh request of a minute on the Free plan is a 429 that says when to come back',
  { covers: ['GET /api/v1/splits'] },
  async () => {
    const running = await product();
    const { apiKey } = await registerWithKey(running);
    let allowed = 0;
    // A minute may end meanwhile; of two windows together, more than 20 cannot pass.
    for (;;) {
      const answer = await call(running, 'GET /api/v1/splits', { apiKey });
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
  async () => {
    const running = await product();
    const { apiKey } = await registerWithKey(running);
    await using server = await listen((request, response) => {
      response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': 100 * 2 ** 20 + 1 });
      if (request.method === 'HEAD') response.end();
      else response.destroy();
    }, running.hostAddress);
    const large = { ...splitRequest(running), sourceUrl: `${server.url}/large.wav` };
    await assertRefuses(createJob({ ...running, apiKey }, large), 413, 'FILE_TOO_LARGE');
  },
);
