/**
 * The window of an address: which requests count in it, and which callers pass when it is used up (decision
 * 51).
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidParamsError, ServiceError } from '@audiosplit/chassis/errors';
import { until } from '@audiosplit/chassis/testing/until';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { createMemoryRateLimiter } from '../../rate-limit/memory.ts';
import { createTestIssuer, newApiKeySecret } from '../../testing/credentials.ts';
import { expectError } from '../../testing/expect-error.ts';
import { ACCOUNT_ID, startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

const PER_ADDRESS = 60;
const services = {
  auth: { listApiKeys: () => ({ apiKeys: [], total: 0n }) },
  jobs: { listJobs: () => ({ jobs: [], total: 0n }) },
  billing: {
    receiveProviderEvent({ signature }: { readonly signature: string }) {
      if (signature !== 'good') throw new InvalidParamsError('Stripe-Signature', 'is not valid');
      return {};
    },
  },
};

// All calls come from one address, whose connections are not what is tested here.
const start = () => startTestGateway({ services, bounds: { FLOOD_CONNECTIONS_PER_SECOND: 100_000 } });
const statusOf = async (response: Promise<Response>) => (await response).status;
const list = (gateway: TestGateway, apiKey: string) =>
  statusOf(gateway.call('/api/v1/splits', { apiKey, isContrived: true }));
const notify = (gateway: TestGateway, signature: string) =>
  fetch(`${gateway.url}/webhooks/stripe`, {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json', 'stripe-signature': signature },
  });
const spend = async (gateway: TestGateway) => {
  for (let call = 0; call < PER_ADDRESS; call++) await gateway.call('/api/v1/splits', { token: null });
};

describe('the rate limit window of an address', () => {
  // Covers B-1.4 B-6.1
  test('a flood of unknown keys reaches auth up to the limit of the window, and gets 429 beyond', async () => {
    await using gateway = await start();
    const statuses = await Promise.all(Array.from({ length: 200 }, () => list(gateway, newApiKeySecret())));
    const unauthorized = statuses.filter((status) => status === 401).length;
    assert.equal(statuses.filter((status) => status === 429).length, 200 - unauthorized);
    assert.equal(gateway.authCalls.verifyApiKey, unauthorized);
    assert.ok(unauthorized > 0 && unauthorized <= PER_ADDRESS, `${unauthorized} were unauthorized`);
  });

  // Covers B-6.3
  test('authenticated calls do not count, for any number of new keys at once', async () => {
    await using gateway = await start();
    const keys = Array.from({ length: 100 }, () => gateway.newKey().secret);
    const statuses = await Promise.all(keys.map((key) => list(gateway, key)));
    assert.deepEqual(new Set(statuses), new Set([200]));
    const { headers } = await gateway.call('/api/v1/splits', { token: null });
    assert.equal(headers.get('x-ratelimit-remaining'), String(PER_ADDRESS - 1));
  });

  // Covers B-6.4
  test('once it is exhausted, keys verified in the last 5 minutes are accepted, and new ones wait', async () => {
    await using gateway = await start();
    const [known, unknown] = [gateway.newKey().secret, gateway.newKey().secret];
    assert.equal(await list(gateway, known), 200);
    gateway.advance(299_000);
    await spend(gateway);
    assert.equal(await list(gateway, known), 200);
    const refused = await gateway.call('/api/v1/splits', { apiKey: unknown });
    assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d?$/);
    await expectError(refused, 'RATE_LIMITED', { message: /60 requests/ });
    gateway.advance(60_000);
    assert.equal(await list(gateway, unknown), 200);
  });

  test('a key that was verified longer ago waits too', async () => {
    await using gateway = await start();
    const { secret } = gateway.newKey();
    assert.equal(await list(gateway, secret), 200);
    gateway.advance(360_000);
    await spend(gateway);
    assert.equal(await list(gateway, secret), 429);
  });

  test('once it is exhausted, a revoked key is rejected as soon as auth has reported it', async () => {
    await using gateway = await start();
    const key = gateway.newKey();
    assert.equal(await list(gateway, key.secret), 200);
    await spend(gateway);
    key.revoke();
    gateway.advance(1_000);
    assert.notEqual(await list(gateway, key.secret), 200);
    const asked = gateway.authCalls.verifyApiKey;
    assert.notEqual(await list(gateway, key.secret), 200);
    assert.equal(gateway.authCalls.verifyApiKey, asked);
  });

  // Covers B-6.4
  test('once it is exhausted, a key that another gateway has verified is accepted', async () => {
    await using first = await start();
    const limiter = createMemoryRateLimiter(first.clock);
    const verify = {
      auth: {
        verifyApiKey: () => ({
          keyId: 'key_1',
          accountId: ACCOUNT_ID,
          scopes: ['splits:read'],
          limits: { requestsPerMinute: 1_000 },
        }),
      },
      jobs: services.jobs,
    };
    const dependencies = { limiter, clock: first.clock };
    await using one = await startTestGateway({ services: verify, dependencies });
    await using other = await startTestGateway({ services: verify, dependencies });
    const secret = newApiKeySecret();
    assert.equal(await list(one, secret), 200);
    await spend(other);
    assert.equal(await list(other, newApiKeySecret()), 429);
    assert.equal(await list(other, secret), 200);
  });

  // Covers B-6.5
  test('once it is exhausted, a token with a valid signature is accepted, a forged one is not', async () => {
    await using gateway = await start();
    await spend(gateway);
    assert.equal(await statusOf(gateway.call('/api/v1/api-keys')), 200);
    const stranger = await createTestIssuer(gateway.clock);
    const forged = await stranger.sign({ sub: ACCOUNT_ID });
    await expectError(await gateway.call('/api/v1/api-keys', { token: forged }), 'RATE_LIMITED');
  });

  // Covers B-6.6
  test('a rejected key is rejected again for 30 s without a call to auth', async () => {
    await using gateway = await start();
    const secret = newApiKeySecret();
    for (let call = 0; call < 5; call++) assert.equal(await list(gateway, secret), 401);
    assert.equal(gateway.authCalls.verifyApiKey, 1);
    gateway.advance(30_000);
    assert.equal(await list(gateway, secret), 401);
    assert.equal(gateway.authCalls.verifyApiKey, 2);
  });

  test('calls of addresses with refused ones wait for shared places, those of others and of known keys do not', async () => {
    const asked: string[] = [];
    const held = Promise.withResolvers<void>();
    const verifyApiKey = async () => {
      asked.push('key');
      await held.promise;
      throw new ServiceError(Reason.UNAUTHORIZED, 'unknown');
    };
    await using neighbour = await start();
    const { clock, limiter } = neighbour;
    const known = neighbour.newKey().secret;
    assert.equal(await list(neighbour, known), 200);
    await using gateway = await startTestGateway({
      services: { ...services, auth: { verifyApiKey } },
      config: { trustProxy: ['127.0.0.1'] },
      bounds: { SUSPECT_LOOKUPS: 1 },
      dependencies: { clock, limiter },
    });
    const listFrom = (ip: string, apiKey = newApiKeySecret()) =>
      gateway.call('/api/v1/splits', { apiKey, headers: { 'x-forwarded-for': ip } });
    for (const ip of ['192.0.2.1', '192.0.2.2'])
      await gateway.call('/api/v1/splits', { token: null, headers: { 'x-forwarded-for': ip } });
    const suspects = ['192.0.2.1', '192.0.2.1', '192.0.2.2'].map((ip) => listFrom(ip));
    await until(() => asked.length === 1);
    await sleep(100);
    assert.equal(asked.length, 1);
    const other = listFrom('192.0.2.3');
    await until(() => asked.length === 2);
    const passing = listFrom('192.0.2.2', known);
    await until(() => asked.length === 3);
    await expectError(await Promise.any(suspects), 'RATE_LIMITED', { message: /new credentials/ });
    // None of them was identified, so none counts.
    assert.equal((await limiter.look('ip:192.0.2.1', PER_ADDRESS)).count, 1);
    held.resolve();
    assert.deepEqual(await Promise.all([other, passing].map(statusOf)), [401, 401]);
    assert.deepEqual((await Promise.all(suspects.map(statusOf))).sort(), [401, 429, 429]);
    assert.equal(asked.length, 3);
  });

  test('suspect addresses whose keys auth does not verify in time wait for auth alone, not for billing', async () => {
    const held = Promise.withResolvers<void>();
    let asked = 0;
    const verifyApiKey = async () => {
      asked += 1;
      await held.promise;
      throw new ServiceError(Reason.UNAUTHORIZED, 'unknown');
    };
    await using gateway = await startTestGateway({
      services: { ...services, auth: { verifyApiKey } },
      bounds: { SUSPECT_LOOKUPS: 1 },
    });
    assert.equal((await notify(gateway, 'bad')).status, 400);
    const waiting = list(gateway, newApiKeySecret());
    await until(() => asked === 1);
    assert.equal((await notify(gateway, 'good')).status, 204);
    held.resolve();
    assert.equal(await waiting, 401);
  });

  // Covers B-6.2
  test('forged signatures of the payment provider count, valid ones do not', async () => {
    await using gateway = await start();
    for (let call = 0; call < PER_ADDRESS - 1; call++)
      assert.equal((await notify(gateway, 'bad')).status, 400);
    for (let call = 0; call < 3; call++) assert.equal((await notify(gateway, 'good')).status, 204);
    const last = await notify(gateway, 'bad');
    assert.deepEqual([last.status, last.headers.get('x-ratelimit-remaining')], [400, '0']);
    for (const signature of ['bad', 'good']) {
      const refused = await notify(gateway, signature);
      assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d?$/);
      await expectError(refused, 'RATE_LIMITED');
    }
  });
});
