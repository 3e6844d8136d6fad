/** Rate limits over HTTP with several gateways on one Redis. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '@audiosplit/chassis/clock';
import { silentLogger } from '@audiosplit/chassis/process/log';
import { newApiKeySecret } from '../testing/credentials.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';
import { openRedisRateLimiter } from './redis.ts';

const url = process.env.TEST_REDIS_URL;
if (url === undefined)
  throw new Error('TEST_REDIS_URL is not set: give redis://host:port of a server for tests');

const LIMIT = 30;
/** Short, so that a test covers several windows. */
const WINDOW_SECONDS = 2;

interface LimitHeaders {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly reset: number;
}

function openGateway(windowSeconds: number): Promise<TestGateway> {
  const opening = openRedisRateLimiter({
    url: url ?? '',
    log: silentLogger(),
    clock: systemClock,
    windowSeconds,
  });
  return opening.then((limiter) =>
    startTestGateway({
      dependencies: { limiter, clock: systemClock },
      services: {
        auth: {
          verifyApiKey: ({ secretSha256 }) => ({
            keyId: `key_${Buffer.from(secretSha256).toString('hex')}`,
            accountId: 'acc_test',
            scopes: ['splits:read'],
            limits: { requestsPerMinute: LIMIT },
          }),
        },
        jobs: { listJobs: () => ({ jobs: [], total: 0n }) },
      },
    }),
  );
}

async function ask(gateway: TestGateway, apiKey: string): Promise<LimitHeaders> {
  const { status, headers } = await gateway.call('/api/v1/splits', { apiKey });
  assert.ok(status === 200 || status === 429, String(status));
  const read = (name: string) => Number(headers.get(`x-ratelimit-${name}`) ?? Number.NaN);
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  assert.equal(Number.isInteger(retryAfter) && retryAfter >= 1, status === 429, 'Retry-After with 429 alone');
  return {
    allowed: status === 200,
    limit: read('limit'),
    remaining: read('remaining'),
    reset: read('reset'),
  };
}

describe('several gateways on one Redis', () => {
  let gateways: readonly TestGateway[];
  before(async () => {
    gateways = await Promise.all([1, 2, 3].map(() => openGateway(WINDOW_SECONDS)));
  });
  after(async () => {
    for (const gateway of gateways) {
      await gateway[Symbol.asyncDispose]();
      await gateway.limiter[Symbol.asyncDispose]();
    }
  });
  const gatewayAt = (index: number) => gateways[index % gateways.length] ?? assert.fail();

  test('exactly the limit is allowed in each window, and each response shows the remaining calls', async () => {
    const apiKey = newApiKeySecret();
    const windows = new Map<number, LimitHeaders[]>();
    // Calls until two whole windows have passed.
    for (let call = 0; windows.size < 4; ) {
      const answers = await Promise.all(Array.from({ length: 12 }, () => ask(gatewayAt(call++), apiKey)));
      for (const headers of answers)
        windows.set(headers.reset, [...(windows.get(headers.reset) ?? []), headers]);
    }
    const whole = [...windows.entries()].sort(([a], [b]) => a - b).slice(1, -1);
    assert.equal(whole.length, 2);
    for (const [reset, headers] of whole) {
      assert.equal(reset % WINDOW_SECONDS, 0);
      assert.deepEqual(new Set(headers.map(({ limit }) => limit)), new Set([LIMIT]));
      const passed = headers.filter(({ allowed }) => allowed).map(({ remaining }) => remaining);
      const expected = Array.from(
        { length: Math.min(LIMIT, headers.length) },
        (_, index) => LIMIT - 1 - index,
      );
      assert.deepEqual(
        passed.toSorted((a, b) => b - a),
        expected,
        'each place is given once',
      );
      assert.ok(headers.every(({ allowed, remaining }) => allowed || remaining === 0));
    }
  });

  test('the remaining calls never increase within a window for a caller that waits for each response', async () => {
    const apiKey = newApiKeySecret();
    const answers: LimitHeaders[] = [];
    for (let call = 0; new Set(answers.map(({ reset }) => reset)).size < 3; call++) {
      answers.push(await ask(gatewayAt(call), apiKey));
      await sleep(10);
    }
    for (const [index, headers] of answers.entries()) {
      const before = answers[index - 1];
      if (before === undefined) continue;
      assert.ok(headers.reset >= before.reset, 'windows follow one another');
      if (headers.reset === before.reset) assert.equal(headers.remaining, Math.max(0, before.remaining - 1));
      else assert.equal(headers.remaining, LIMIT - 1, 'a new window begins whole');
    }
  });
});
