import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError } from '@connectrpc/connect';
import { createTestIssuer, newApiKeySecret } from '../../testing/credentials.ts';
import { expectError } from '../../testing/expect-error.ts';
import { readJson } from '../../testing/read-json.ts';
import { ACCOUNT_ID, startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';
import type { ErrorEnvelope } from '../errors/api-error.ts';

const NO_ROWS = { total: 0n };

function limitOf(response: Response) {
  const read = (name: string) => Number(response.headers.get(`x-ratelimit-${name}`) ?? Number.NaN);
  return { limit: read('limit'), remaining: read('remaining'), reset: read('reset') };
}

describe('API keys', () => {
  const gateway = forSuite(() =>
    startTestGateway({ services: { jobs: { listJobs: () => ({ jobs: [], ...NO_ROWS }) } } }),
  );
  const list = (apiKey: string) => gateway.call('/api/v1/splits', { apiKey });

  test('a valid key is accepted', async () => {
    assert.equal((await list(gateway.newKey().secret)).status, 200);
  });

  // Covers I-5.1 I-5.3 I-4.0.2
  test('401 UNAUTHORIZED without a key or with an access token, with a challenge', async () => {
    const response = await gateway.call('/api/v1/splits', { token: null });
    assert.match(response.headers.get('www-authenticate') ?? '', /^ApiKey /);
    await expectError(response, 'UNAUTHORIZED');
    await expectError(await gateway.call('/api/v1/splits'), 'UNAUTHORIZED');
  });

  // Covers I-5.3 I-4.3.10 I-7.5
  test('401 UNAUTHORIZED for an unknown key', async () => {
    await expectError(await list(newApiKeySecret()), 'UNAUTHORIZED');
  });

  test('a key with a wrong checksum, length or alphabet is rejected without a call', async () => {
    const { secret } = gateway.newKey();
    const before = gateway.authCalls.verifyApiKey;
    const wrongChecksum = secret.slice(0, -1) + (secret.endsWith('0') ? '1' : '0');
    for (const bad of [
      wrongChecksum,
      secret.slice(0, -1),
      `${secret}0`,
      secret.replace('ask_live_', 'ask_test_'),
      'x',
    ]) {
      await expectError(await list(bad), 'UNAUTHORIZED');
    }
    assert.equal(gateway.authCalls.verifyApiKey, before);
  });

  test('one verification serves all concurrent requests', async () => {
    const { secret } = gateway.newKey();
    const before = gateway.authCalls.verifyApiKey;
    const answers = await Promise.all(Array.from({ length: 10 }, () => list(secret)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal(gateway.authCalls.verifyApiKey, before + 1);
  });

  // Covers D-1.24
  test('a revoked key is rejected within one second', async () => {
    const key = gateway.newKey();
    assert.equal((await list(key.secret)).status, 200);
    key.revoke();
    gateway.advance(999);
    await expectError(await list(key.secret), 'UNAUTHORIZED');
  });

  // Covers D-1.24
  test('a revoked key in steady use, which is verified before it expires, is rejected within one second', async () => {
    const { secret, revoke } = gateway.newKey();
    const stepMs = 100;
    for (let ms = 0; ms < 2_000; ms += stepMs, gateway.advance(stepMs)) {
      assert.equal((await list(secret)).status, 200);
    }
    revoke();
    for (let ms = 0; ms < 900; ms += stepMs) {
      gateway.advance(stepMs);
      await list(secret);
    }
    await expectError(await list(secret), 'UNAUTHORIZED');
  });

  test('a rejection is not cached', async () => {
    const key = gateway.newKey([]);
    await expectError(await list(key.secret), 'INSUFFICIENT_SCOPE');
    key.revoke();
    gateway.advance(1_000);
    await expectError(await list(key.secret), 'UNAUTHORIZED');
  });

  for (const [method, path, scope] of [
    ['GET', '/api/v1/splits', 'splits:read'],
    ['GET', '/api/v1/splits/job_1', 'splits:read'],
    ['POST', '/api/v1/splits', 'splits:write'],
    ['DELETE', '/api/v1/splits/job_1', 'splits:write'],
    ['POST', '/api/v1/splits/job_1/cancel', 'splits:write'],
    ['POST', '/api/v1/uploads', 'splits:write'],
    ['GET', '/api/v1/api-keys', 'keys:manage'],
    ['GET', '/api/v1/api-keys/key_1', 'keys:manage'],
    ['DELETE', '/api/v1/api-keys/key_1', 'keys:manage'],
    ['POST', '/api/v1/api-keys/key_1/rotate', 'keys:manage'],
  ] as const) {
    // Covers D-1.19 D-1.20 D-1.21 D-1.22
    test(`403 INSUFFICIENT_SCOPE naming ${scope}: ${method} ${path}`, async () => {
      const others = ['splits:read', 'splits:write', 'keys:manage'].filter((each) => each !== scope);
      const response = await gateway.call(path, { method, apiKey: gateway.newKey(others).secret });
      assert.equal(response.headers.get('x-accepted-scopes'), scope);
      await expectError(response, 'INSUFFICIENT_SCOPE');
    });
  }

  for (const [method, path] of [
    ['POST', '/api/v1/api-keys'],
    ['PATCH', '/api/v1/api-keys/key_1'],
    ['GET', '/api/v1/account'],
    ['GET', '/api/v1/billing'],
    ['GET', '/api/v1/webhooks/secret'],
  ] as const) {
    // Covers I-5.2 I-4.0.2 D-1.21
    test(`401 UNAUTHORIZED: ${method} ${path} accepts an access token only`, async () => {
      const response = await gateway.call(path, { method, apiKey: gateway.newKey().secret });
      assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer /);
      await expectError(response, 'UNAUTHORIZED');
    });
  }

  // Covers D-1.30
  test('uses of keys are reported in the background, each key once', async () => {
    const { secret, id } = gateway.newKey();
    await Promise.all([list(secret), list(secret)]);
    for (let waits = 0; !gateway.usedKeyIds.includes(id); waits++) {
      assert.ok(waits < 300, 'reported within three seconds');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    assert.equal(gateway.usedKeyIds.filter((used) => used === id).length, 1);
  });

  // Covers I-5.5
  test('a key ends at its expiry even while its verification is cached', async () => {
    const secret = newApiKeySecret();
    await using other = await startTestGateway({
      services: {
        auth: {
          verifyApiKey: () => ({
            keyId: 'key_expiring',
            accountId: ACCOUNT_ID,
            scopes: ['splits:read'],
            expiresAt: timestampFromDate(new Date(other.clock().getTime() + 500)),
            limits: { requestsPerMinute: 10 },
          }),
        },
        jobs: { listJobs: () => ({ jobs: [], ...NO_ROWS }) },
      },
    });
    assert.equal((await other.call('/api/v1/splits', { apiKey: secret })).status, 200);
    other.advance(500);
    await expectError(await other.call('/api/v1/splits', { apiKey: secret }), 'UNAUTHORIZED');
  });
});

describe('access tokens', () => {
  let rotated: Awaited<ReturnType<typeof createTestIssuer>> | undefined;
  const gateway: TestGateway = forSuite(() =>
    startTestGateway({
      services: {
        auth: {
          listApiKeys: () => ({ apiKeys: [], ...NO_ROWS }),
          getJwks: async () => ({ jwksJson: await (rotated ?? gateway.issuer).jwksJson() }),
        },
      },
    }),
  );
  const list = (token: string | null) => gateway.call('/api/v1/api-keys', { token });

  // Covers I-5.2
  test('a valid token is accepted', async () => {
    assert.equal((await list(await gateway.issuer.sign({ sub: ACCOUNT_ID }))).status, 200);
  });

  // Covers I-5.4 I-4.1.5 I-7.5
  test('401 UNAUTHORIZED: missing, malformed, expired, of another issuer, for another audience', async () => {
    const { sign } = gateway.issuer;
    const stranger = await createTestIssuer(gateway.clock);
    for (const token of [
      null,
      'not.a.token',
      await sign({ sub: ACCOUNT_ID, expiresIn: -1 }),
      await sign({ sub: ACCOUNT_ID, issuer: 'someone-else' }),
      await sign({ sub: ACCOUNT_ID, audience: 'someone-else' }),
      await sign({ sub: '' }),
      await stranger.sign({ sub: ACCOUNT_ID }),
    ]) {
      await expectError(await list(token), 'UNAUTHORIZED');
    }
  });

  test('401 UNAUTHORIZED: a token whose header names no signature algorithm', async () => {
    const [, payload] = (await gateway.issuer.sign({ sub: ACCOUNT_ID })).split('.');
    const header = Buffer.from('{"alg":"none"}').toString('base64url');
    await expectError(await list(`${header}.${payload}.`), 'UNAUTHORIZED');
  });

  // Covers D-1.14
  test('a new key is fetched once a token names it, at most every ten seconds', async () => {
    const second = await createTestIssuer(gateway.clock, 'second');
    const token = await second.sign({ sub: ACCOUNT_ID });
    gateway.advance(10_000);
    await expectError(await list(token), 'UNAUTHORIZED');
    rotated = second;
    await expectError(await list(token), 'UNAUTHORIZED');
    gateway.advance(10_000);
    assert.equal((await list(token)).status, 200);
  });

  // Covers D-1.13
  test('the key set is published at /.well-known/jwks.json', async () => {
    const response = await gateway.call('/.well-known/jwks.json', { token: null });
    assert.equal(response.status, 200);
    const { keys } = await readJson<{ keys: object[] }>(response);
    assert.deepEqual(Object.keys(keys[0] ?? {}).sort(), ['alg', 'crv', 'kid', 'kty', 'x']);
  });
});

describe('accounts with a pending deletion', () => {
  // Covers D-6.6 D-9.24
  test('403 ACCOUNT_PENDING_DELETION except for reading, deleting again and restoring the account', async () => {
    await using gateway = await startTestGateway();
    gateway.setPendingDeletion(true);
    for (const path of [
      '/api/v1/billing',
      '/api/v1/api-keys',
      '/api/v1/account/exports',
      '/api/v1/webhooks/secret',
    ]) {
      await expectError(await gateway.call(path), 'ACCOUNT_PENDING_DELETION');
    }
    await expectError(await gateway.call('/api/v1/account'), 'NOT_IMPLEMENTED');
    await expectError(await gateway.call('/api/v1/account/restore', { method: 'POST' }), 'NOT_IMPLEMENTED');
    const confirmation = { confirmation: 'DELETE MY ACCOUNT' };
    await expectError(
      await gateway.call('/api/v1/account', { method: 'DELETE', json: confirmation }),
      'NOT_IMPLEMENTED',
    );
  });
});

describe('rate limits', () => {
  const gateway = forSuite(() =>
    startTestGateway({
      requestsPerMinute: 3,
      services: { jobs: { listJobs: () => ({ jobs: [], ...NO_ROWS }) } },
      config: { trustProxy: ['127.0.0.1'] },
    }),
  );
  const from = (ip: string) => ({ token: null, headers: { 'x-forwarded-for': ip } });

  // Covers I-8.5 I-8.6 I-8.7 I-8.9 I-7.2 I-7.12 D-3.1 D-3.5
  test("429 RATE_LIMITED after exactly the requests of the account's limit, until the window ends", async () => {
    const { secret: apiKey } = gateway.newKey();
    const call = () => gateway.call('/api/v1/splits', { apiKey });
    const remaining: number[] = [];
    for (let request = 0; request < 3; request++) {
      const response = await call();
      assert.equal(response.status, 200);
      remaining.push(limitOf(response).remaining);
    }
    assert.deepEqual(remaining, [2, 1, 0]);

    const refused = await call();
    const { limit, remaining: none, reset } = limitOf(refused);
    assert.deepEqual([limit, none], [3, 0]);
    const secondsLeft = reset - gateway.clock().getTime() / 1000;
    assert.ok(secondsLeft > 0 && secondsLeft <= 60, `window ends in ${secondsLeft} s`);
    const retryAfter = Number(refused.headers.get('retry-after'));
    assert.ok(retryAfter >= 1 && retryAfter <= 60);
    assert.equal((await readJson<ErrorEnvelope>(refused.clone())).error.retryAfter, retryAfter);
    await expectError(refused, 'RATE_LIMITED');

    gateway.advance(retryAfter * 1000);
    assert.equal((await call()).status, 200);
  });

  // Covers I-8.11 D-3.2
  test('each key has its own bucket; tokens of one account share one', async () => {
    const keys = [gateway.newKey().secret, gateway.newKey().secret];
    for (const apiKey of keys) {
      assert.equal(limitOf(await gateway.call('/api/v1/splits', { apiKey })).remaining, 2);
    }
    gateway.advance(60_000);
    const tokens = [
      await gateway.issuer.sign({ sub: 'acc_9' }),
      await gateway.issuer.sign({ sub: 'acc_9', expiresIn: 9 }),
    ];
    const remaining = [];
    for (const token of tokens)
      remaining.push(limitOf(await gateway.call('/api/v1/billing', { token })).remaining);
    assert.deepEqual(remaining, [2, 1]);
  });

  // Covers D-3.3
  test('without a valid credential the address is counted, with 60 requests a minute over all routes', async () => {
    const paths = ['/api/v1/plans', '/api/v1/nothing', '/api/v1/splits', '/api/v1/billing'];
    const figures = [];
    for (const path of paths) figures.push(limitOf(await gateway.call(path, from('203.0.113.7'))));
    assert.deepEqual(
      figures.map(({ limit, remaining }) => [limit, remaining]),
      [
        [60, 59],
        [60, 58],
        [60, 57],
        [60, 56],
      ],
    );
    assert.equal(limitOf(await gateway.call('/api/v1/plans', from('203.0.113.8'))).remaining, 59);
  });

  test('429 RATE_LIMITED takes precedence over 401', async () => {
    for (let request = 0; request < 60; request++) await gateway.call('/api/v1/splits', from('203.0.113.9'));
    await expectError(await gateway.call('/api/v1/splits', from('203.0.113.9')), 'RATE_LIMITED');
  });

  // Covers I-8.8 D-3.4
  test('every response below /api/v1 has the headers, with any status', async () => {
    const { secret } = gateway.newKey();
    const narrow = gateway.newKey(['splits:read']).secret;
    gateway.advance(60_000);
    const answers = await Promise.all([
      gateway.call('/api/v1/splits', { apiKey: secret }),
      gateway.call('/api/v1/splits?page=0', { apiKey: secret }),
      gateway.call('/api/v1/splits', from('203.0.113.10')),
      gateway.call('/api/v1/splits', { method: 'POST', apiKey: narrow, json: {} }),
      gateway.call('/api/v1/nothing', from('203.0.113.10')),
      gateway.call('/api/v1/splits', { method: 'PUT', ...from('203.0.113.10') }),
      gateway.call('/api/v1/auth/login', { method: 'POST', body: '{}', token: null }),
      gateway.call('/api/v1/splits/job_1', { apiKey: secret }),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 400, 401, 403, 404, 405, 415, 501],
    );
    for (const answer of answers) {
      const { limit, remaining, reset } = limitOf(answer);
      assert.ok(
        Number.isInteger(limit) && Number.isInteger(remaining) && Number.isInteger(reset),
        answer.url,
      );
      assert.ok(reset > gateway.clock().getTime() / 1000);
    }
  });

  // Covers D-9.29
  test('pages and downloads have their own limits, probes have none', async () => {
    const limits = { '/healthz': Number.NaN, '/openapi.json': 1_200, '/nothing': 1_200, '/downloads/a': 600 };
    for (const [path, limit] of Object.entries(limits)) {
      assert.equal(limitOf(await gateway.call(path)).limit, limit, path);
    }
  });

  // Covers D-3.4
  test('503 SERVICE_UNAVAILABLE, with the headers, when auth or the limiter is unavailable', async () => {
    const away = () => {
      throw new ConnectError('away', Code.Unavailable);
    };
    await using noAuth = await startTestGateway({
      services: { auth: { verifyApiKey: away, getAccountLimits: away } },
    });
    const unverified = await noAuth.call('/api/v1/splits', { apiKey: newApiKeySecret() });
    assert.equal(limitOf(unverified).limit, 60);
    await expectError(unverified, 'SERVICE_UNAVAILABLE');
    await expectError(await noAuth.call('/api/v1/billing'), 'SERVICE_UNAVAILABLE');

    const fail = async () => {
      throw new Error('no connection');
    };
    const limiter = {
      take: fail,
      look: fail,
      remember: async () => {},
      remembers: async () => false,
      check: fail,
      [Symbol.asyncDispose]: async () => undefined,
    };
    await using noLimiter = await startTestGateway({ dependencies: { limiter } });
    const uncounted = await noLimiter.call('/api/v1/plans');
    assert.equal(limitOf(uncounted).remaining, 0);
    await expectError(uncounted, 'SERVICE_UNAVAILABLE');
  });
});
