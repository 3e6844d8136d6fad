import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { before, describe, test } from 'node:test';
import { ServiceError } from '@audiosplit/chassis/errors';
import { closed } from '@audiosplit/chassis/testing/closed';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { Code, ConnectError } from '@connectrpc/connect';
import { expectError } from '../../testing/expect-error.ts';
import { startTestGateway } from '../../testing/test-gateway.ts';
import { codeOf } from './error-codes.ts';

describe('error envelope', () => {
  let refusal: unknown;
  let apiKey: string;
  const gateway = forSuite(() =>
    startTestGateway({
      services: {
        jobs: {
          getJob() {
            throw refusal;
          },
        },
      },
    }),
  );
  before(() => {
    apiKey = gateway.newKey().secret;
  });
  const refuseWith = async (error: unknown) => {
    refusal = error;
    return gateway.call('/api/v1/splits/job_1', { apiKey, isContrived: true });
  };

  for (const path of [
    '/console',
    '/nothing',
    '/api/v1',
    '/api/v1/nothing',
    '/api/v2/splits',
    '/api/v1/splits/job_1/nothing',
    '/docs/nothing',
    '/docs/reference/nothing',
    '/docs/reference//',
    '/docs/reference/%00',
  ]) {
    // Covers I-7.1 I-9.1 D-7.1
    test(`404 NOT_FOUND: ${path}`, async () => {
      await expectError(await gateway.call(path), 'NOT_FOUND');
    });
  }

  for (const [method, path, allow] of [
    ['PUT', '/api/v1/splits', 'GET, HEAD, POST'],
    ['POST', '/api/v1/splits/job_1', 'DELETE, GET, HEAD'],
    ['GET', '/api/v1/auth/login', 'POST'],
    ['OPTIONS', '/api/v1/billing/subscribe', 'POST'],
    ['DELETE', '/downloads/a/b', 'GET, HEAD'],
    ['POST', '/uploads/a/b', 'GET, HEAD, PUT'],
    ['PUT', '/api/v1/splits/search', 'GET, HEAD'],
    ['POST', '/uploads/tus/a/b', 'DELETE, HEAD, PATCH'],
    ['DELETE', '/openapi.json', 'GET, HEAD'],
  ] as const) {
    // Covers D-7.4 D-9.38
    test(`405 METHOD_NOT_ALLOWED with Allow: ${method} ${path}`, async () => {
      const response = await gateway.call(path, { method });
      assert.equal(response.headers.get('allow'), allow);
      await expectError(response, 'METHOD_NOT_ALLOWED');
    });
  }

  // Covers D-7.1
  test('400 INVALID_PARAMS: malformed JSON', async () => {
    const response = await gateway.call('/api/v1/auth/login', {
      method: 'POST',
      body: '{"email": ',
      headers: { 'content-type': 'application/json' },
    });
    await expectError(response, 'INVALID_PARAMS', { message: /not valid JSON/ });
  });

  test('400 INVALID_PARAMS: a body that would change a prototype', async () => {
    const response = await gateway.call('/api/v1/auth/login', {
      method: 'POST',
      body: '{"__proto__": {"admin": true}}',
      headers: { 'content-type': 'application/json' },
    });
    await expectError(response, 'INVALID_PARAMS', { field: '__proto__' });
  });

  test('400 INVALID_PARAMS: a body that is not UTF-8', async () => {
    const response = await fetch(`${gateway.url}/api/v1/auth/login`, {
      method: 'POST',
      body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
      headers: { 'content-type': 'application/json' },
    });
    await expectError(response, 'INVALID_PARAMS', { message: /UTF-8/ });
  });

  test('415 UNSUPPORTED_MEDIA_TYPE: a compressed body', async () => {
    const response = await gateway.call('/api/v1/auth/login', {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    });
    await expectError(response, 'UNSUPPORTED_MEDIA_TYPE', { message: /Content-Encoding/ });
  });

  for (const path of ['/api/v1/plans?x=1', '/api/v1/account?x=1', '/api/v1/splits/job_1?x=1']) {
    // Covers D-9.9
    test(`400 INVALID_PARAMS: an unknown query parameter: ${path}`, async () => {
      const response = await gateway.call(path, path.includes('splits') ? { apiKey } : {});
      await expectError(response, 'INVALID_PARAMS', { field: 'x', message: /^x: is not a parameter/ });
    });
  }

  test('400 INVALID_PARAMS: a query parameter given twice', async () => {
    const response = await gateway.call('/api/v1/splits?status=queued&status=failed', { apiKey });
    const { details } = await expectError(response, 'INVALID_PARAMS');
    assert.deepEqual(details, [{ field: 'status', message: 'must not be given more than once' }]);
  });

  // Covers D-7.9 D-1.3
  test('each field has one violation, in words', async () => {
    const json = { email: 'a@example.com', password: 'short', name: '\n' };
    const response = await gateway.call('/api/v1/auth/register', { method: 'POST', json });
    const { details } = await expectError(response, 'INVALID_PARAMS');
    assert.deepEqual(details, [
      { field: 'password', message: 'must have at least 12 characters' },
      { field: 'name', message: 'must not contain control characters' },
    ]);
  });

  test('400 INVALID_PARAMS: a malformed percent escape, counted like any other call', async () => {
    const response = await gateway.call('/api/v1/splits/%E0%A4%A');
    assert.equal(response.headers.get('x-ratelimit-limit'), '60');
    await expectError(response, 'INVALID_PARAMS');
  });

  const answerTo = async (bytes: string, { url } = gateway) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.end(bytes);
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    await closed(socket);
    return answer;
  };

  // Covers D-3.4 D-7.1
  test('400 for a request that is not HTTP', async () => {
    const answer = await answerTo('HELO there\r\n\r\n');
    assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*"code":"INVALID_PARAMS"/);
    for (const name of ['limit: 60', 'remaining: \\d+', 'reset: \\d+'])
      assert.match(answer, new RegExp(`\r\nx-ratelimit-${name}\r\n`, 'i'));
  });

  test('400 for a URL longer than the limit of all headers', async () => {
    const answer = await answerTo(`GET /api/v1/splits?${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 400 [\s\S]*x-ratelimit-limit: 60\r\n[\s\S]*longer than 16384 bytes/i);
  });

  test('400 for a method unknown to HTTP, 405 for one that no path accepts', async () => {
    const unknown = await answerTo('FOO /api/v1/splits HTTP/1.1\r\nHost: x\r\n\r\n');
    assert.match(unknown, /^HTTP\/1\.1 400 [\s\S]*x-ratelimit-limit: 60\r\n[\s\S]*"INVALID_PARAMS"/i);
    const unused = await answerTo('PROPFIND /api/v1/splits HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    assert.match(unused, /^HTTP\/1\.1 405 [\s\S]*x-ratelimit-limit: 60\r\n[\s\S]*"METHOD_NOT_ALLOWED"/i);
  });

  test('429 for malformed HTTP beyond the limit of its address', async () => {
    await using strict = await startTestGateway();
    const answers: string[] = [];
    for (let n = 1; n <= 61; n++) answers.push(await answerTo('HELO there\r\n\r\n', strict));
    assert.match(answers[0] ?? '', /^HTTP\/1\.1 400 [\s\S]*x-ratelimit-remaining: 59\r\n/i);
    assert.match(answers[59] ?? '', /^HTTP\/1\.1 400 [\s\S]*x-ratelimit-remaining: 0\r\n/i);
    const last = answers[60] ?? '';
    assert.match(last, /^HTTP\/1\.1 429 Too Many Requests\r\n[\s\S]*retry-after: \d+\r\n/i);
    assert.match(last, /"code":"RATE_LIMITED"[^}]*"retryAfter":\d+/);
    const response = await strict.call('/api/v1/plans', { token: null });
    await expectError(response, 'RATE_LIMITED');
  });

  test('data after malformed bytes gets no further response', async () => {
    const answer = await answerTo(`HELO\r\n\r\n${'x'.repeat(200_000)}`);
    assert.equal(answer.match(/HTTP\/1\.1/g)?.length, 1);
  });

  test('400 without a Host header, counted like any other call', async () => {
    const answer = await answerTo('GET /api/v1/plans HTTP/1.1\r\nConnection: close\r\n\r\n');
    assert.match(answer, /^HTTP\/1\.1 400 [\s\S]*x-ratelimit-limit: 60[\s\S]*no Host header/i);
  });

  test('an unknown expectation is ignored', async () => {
    const head = 'GET /api/v1/nothing HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nConnection: close\r\n\r\n';
    assert.match(await answerTo(head), /^HTTP\/1\.1 404 [\s\S]*"code":"NOT_FOUND"/);
  });

  // Covers D-7.5
  test('413 PAYLOAD_TOO_LARGE: a body over 256 KiB', async () => {
    const response = await gateway.call('/api/v1/auth/login', {
      method: 'POST',
      json: { email: 'x'.repeat(256 * 1024), password: 'p' },
    });
    await expectError(response, 'PAYLOAD_TOO_LARGE');
  });

  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'not a type']) {
    // Covers D-7.6 I-4.0.3
    test(`415 UNSUPPORTED_MEDIA_TYPE: ${type}`, async () => {
      const headers = { 'content-type': type };
      const response = await gateway.call('/api/v1/auth/login', { method: 'POST', body: '{}', headers });
      await expectError(response, 'UNSUPPORTED_MEDIA_TYPE');
    });
  }

  for (const [name, code] of Object.entries(Reason).flatMap(([name, value]) =>
    typeof value === 'number' ? [[name, codeOf(value)] as const] : [],
  )) {
    // Covers I-7.1 I-7.2
    test(`${name} of a service is returned as ${code}`, async () => {
      const reason = Reason[name as keyof typeof Reason];
      await expectError(await refuseWith(new ServiceError(reason, 'Do something else.')), code);
    });
  }

  // Covers D-2.19 D-7.9
  test('a rejection keeps its violations, accepted scopes and waiting time', async () => {
    const invalid = new ServiceError(Reason.INVALID_PARAMS, 'sourceUrl: is forbidden', {
      violations: [{ field: 'sourceUrl', message: 'is forbidden' }],
    });
    await expectError(await refuseWith(invalid), 'INVALID_PARAMS', { field: 'sourceUrl' });
    const scope = await refuseWith(
      new ServiceError(Reason.INSUFFICIENT_SCOPE, 'No.', { acceptedScopes: ['keys:manage', 'splits:read'] }),
    );
    assert.equal(scope.headers.get('x-accepted-scopes'), 'keys:manage, splits:read');
    const full = await refuseWith(new ServiceError(Reason.QUEUE_FULL, 'Full.', { retryAfterSeconds: 17 }));
    assert.equal(full.headers.get('retry-after'), '17');
    await expectError(full, 'QUEUE_FULL');
  });

  // Covers D-7.7
  test('500 INTERNAL_ERROR reveals nothing', async () => {
    const { message } = await expectError(
      await refuseWith(new Error('password of the database: hunter2')),
      'INTERNAL_ERROR',
    );
    assert.doesNotMatch(message, /hunter2/);
  });

  // Covers D-7.8
  test('503 SERVICE_UNAVAILABLE with Retry-After when a service is unavailable', async () => {
    const response = await refuseWith(new ConnectError('connect ECONNREFUSED 10.0.0.7', Code.Unavailable));
    assert.match(response.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    const { message } = await expectError(response, 'SERVICE_UNAVAILABLE');
    assert.doesNotMatch(message, /10\.0\.0\.7/);
  });

  test('501 NOT_IMPLEMENTED for a method that a service does not implement', async () => {
    await expectError(await gateway.call('/api/v1/splits', { apiKey }), 'NOT_IMPLEMENTED');
  });

  // Covers D-7.10
  test('X-Request-Id is kept if it is well formed, and replaced otherwise', async () => {
    const given = await gateway.call('/healthz', { headers: { 'x-request-id': 'my-request:1' } });
    assert.equal(given.headers.get('x-request-id'), 'my-request:1');
    const bad = await gateway.call('/healthz', { headers: { 'x-request-id': 'no spaces' } });
    assert.match(bad.headers.get('x-request-id') ?? '', /^req_[0-9a-f]{32}$/);
  });
});
