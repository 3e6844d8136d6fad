import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSemaphore } from '@audiosplit/chassis/semaphore';
import { until } from '@audiosplit/chassis/testing/until';
import { expectError } from '../../testing/expect-error.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';
import type { LoadLimits } from './load-shedding.ts';

const NO_ROWS = { jobs: [], total: 0n };
/** Time for the gateway to notice that a caller has disconnected. */
const CLOSES_WITHIN_MS = 100;
const LATE_LOOP_IS_FINE = Number.POSITIVE_INFINITY;

interface Outcome {
  readonly status: number;
  readonly ms: number;
}

async function timed(request: Promise<Response>): Promise<Outcome> {
  const startedMs = performance.now();
  const response = await request;
  await response.arrayBuffer();
  if (response.status === 503) {
    assert.match(response.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  }
  return { status: response.status, ms: performance.now() - startedMs };
}

const percentile = (outcomes: readonly Outcome[], share: number) =>
  outcomes.map(({ ms }) => ms).toSorted((a, b) => a - b)[Math.ceil(outcomes.length * share) - 1] ??
  Number.NaN;
const served = (outcomes: readonly Outcome[]) => outcomes.filter(({ status }) => status === 200);

describe('load shedding', () => {
  const withLimits = (
    limits: Partial<LoadLimits>,
    services: NonNullable<Parameters<typeof startTestGateway>[0]>['services'] = {},
  ) =>
    startTestGateway({
      services,
      dependencies: {
        loadLimits: {
          maxInFlight: 1_000,
          maxInFlightWhenLate: 1_000,
          maxLoopDelayMs: LATE_LOOP_IS_FINE,
          ...limits,
        },
      },
    });

  // Covers B-1.9 B-1.8
  test('excess requests get 503 with Retry-After and the limit headers, health is answered, and capacity is freed again', async () => {
    const released = Promise.withResolvers<void>();
    let reached = 0;
    await using gateway = await withLimits(
      { maxInFlight: 3 },
      {
        jobs: {
          async listJobs() {
            reached += 1;
            await released.promise;
            return NO_ROWS;
          },
        },
      },
    );
    const apiKey = gateway.newKey().secret;
    const list = () => gateway.call('/api/v1/splits', { apiKey });
    const inFlight = [list(), list(), list()];
    await until(() => reached === 3);

    const refused = await list();
    assert.match(refused.headers.get('retry-after') ?? '', /^[1-5]$/);
    assert.match(refused.headers.get('x-ratelimit-reset') ?? '', /^\d+$/);
    await expectError(refused, 'SERVICE_UNAVAILABLE', { message: /^3 requests are in flight/ });
    await expectError(await gateway.call('/api/v1/nothing'), 'SERVICE_UNAVAILABLE');
    assert.equal((await gateway.call('/healthz')).status, 200);
    assert.equal((await gateway.call('/readyz')).status, 200);

    released.resolve();
    assert.deepEqual(new Set((await Promise.all(inFlight)).map(({ status }) => status)), new Set([200]));
    assert.equal((await list()).status, 200);
    const bucket = Number((await list()).headers.get('x-ratelimit-remaining'));
    assert.equal(100_000 - bucket, 5, 'the refused ones have taken no token');
  });

  test('callers that disconnect leave no load behind', async () => {
    let reached = 0;
    const released = Promise.withResolvers<void>();
    await using gateway = await withLimits(
      { maxInFlight: 2 },
      {
        jobs: {
          async listJobs() {
            reached += 1;
            await released.promise;
            return NO_ROWS;
          },
        },
      },
    );
    const apiKey = gateway.newKey().secret;
    const impatient = new AbortController();
    const url = `${gateway.url}/api/v1/splits`;
    const gone = [1, 2].map(() =>
      fetch(url, { headers: { 'x-api-key': apiKey }, signal: impatient.signal }).catch(() => undefined),
    );
    await until(() => reached === 2);
    impatient.abort();
    await Promise.all(gone);
    await sleep(CLOSES_WITHIN_MS);
    const refused = await gateway.call('/api/v1/splits', { apiKey });
    assert.equal(refused.status, 503, 'while the services are still at it');
    released.resolve();
    await until(async () => (await gateway.call('/api/v1/splits', { apiKey })).status === 200);
  });

  test('callers that disconnect before their request is complete leave no load behind', async () => {
    await using gateway = await withLimits({ maxInFlight: 2 }, { jobs: { listJobs: () => NO_ROWS } });
    const apiKey = gateway.newKey().secret;
    const list = async () => (await gateway.call('/api/v1/splits', { apiKey })).status;
    const { hostname, port } = new URL(gateway.url);
    const half = [1, 2].map(() => {
      const socket = connect(Number(port), hostname);
      socket.write(
        `POST /api/v1/splits HTTP/1.1\r\nHost: gateway\r\nX-API-Key: ${apiKey}\r\n` +
          'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
      );
      return socket;
    });
    await until(async () => (await list()) === 503);
    for (const socket of half) socket.destroy();
    await until(async () => (await list()) === 200);
  });

  test('at ten times its capacity the gateway still serves most of that capacity, in limited time', async (t) => {
    const SERVICE_MS = 200;
    const semaphore = createSemaphore(2);
    let inService = 0;
    let mostInService = 0;
    await using gateway = await withLimits(
      { maxInFlight: 8 },
      {
        jobs: {
          async listJobs() {
            inService += 1;
            mostInService = Math.max(mostInService, inService);
            await using _held = await semaphore.acquire();
            await sleep(SERVICE_MS);
            inService -= 1;
            return NO_ROWS;
          },
        },
      },
    );
    const apiKey = gateway.newKey().secret;
    const url = `${gateway.url}/api/v1/splits`;
    const list = () => timed(fetch(url, { headers: { 'x-api-key': apiKey } }));
    /** Sends at a fixed rate, regardless of the responses. */
    const offer = async (perSecond: number, seconds: number) => {
      const startedMs = performance.now();
      const outcomes: Promise<Outcome>[] = [];
      while (performance.now() - startedMs < seconds * 1_000) {
        const due = ((performance.now() - startedMs) / 1_000) * perSecond;
        while (outcomes.length < due) outcomes.push(list());
        await sleep(5);
      }
      const all = await Promise.all(outcomes);
      return { all, perSecond: served(all).length / ((performance.now() - startedMs) / 1_000) };
    };

    // Full load: a request is always waiting, and none is refused.
    const peak = await offer(10, 2);
    const overload = await offer(100, 2);
    const servedMs = percentile(served(overload.all), 0.99);
    t.diagnostic(
      `${(overload.perSecond / peak.perSecond).toFixed(2)} of the peak, p99 ${Math.round(servedMs)} ms ` +
        `(${Math.round(percentile(served(peak.all), 0.99))} ms at the peak)`,
    );
    assert.ok(
      overload.perSecond >= 0.7 * peak.perSecond,
      `${overload.perSecond} of ${peak.perSecond} a second are left`,
    );
    assert.deepEqual(new Set(overload.all.map(({ status }) => status)), new Set([200, 503]));
    assert.equal(mostInService, 8, 'no queue grows behind the bound');
    // Eight in flight at ten a second are 800 ms.
    const refused = overload.all.filter(({ status }) => status === 503);
    // Overhead of the machine affects served and refused requests alike.
    assert.ok(servedMs < percentile(refused, 0.99) + 8 * SERVICE_MS);
  });

  test('a late event loop rejects requests only with many in flight', async () => {
    await using gateway = await withLimits(
      { maxInFlightWhenLate: 10, maxLoopDelayMs: 5 },
      {
        jobs: {
          async listJobs() {
            await sleep(1);
            const untilMs = performance.now() + 40;
            while (performance.now() < untilMs);
            return NO_ROWS;
          },
        },
      },
    );
    const apiKey = gateway.newKey().secret;
    const list = () => timed(gateway.call('/api/v1/splits', { apiKey }));
    for (let call = 0; call < 12; call++) assert.equal((await list()).status, 200);
    await until(async () => {
      const crowd = await Promise.all(Array.from({ length: 30 }, list));
      return crowd.some(({ status }) => status === 503);
    });
  });
});

describe('a service that hangs', () => {
  const hanging = (released: Promise<void>) =>
    startTestGateway({
      services: {
        billing: {
          async getBillingInfo() {
            await released;
            return {};
          },
        },
        jobs: { listJobs: () => NO_ROWS },
      },
    });
  const askBilling = (gateway: TestGateway) =>
    timed(gateway.call('/api/v1/billing', { headers: { prefer: 'wait=3' } }));

  test('delays its own callers until their deadline, up to its share, and no other callers', async () => {
    const released = Promise.withResolvers<void>();
    await using gateway = await hanging(released.promise);
    const apiKey = gateway.newKey().secret;
    const list = () => timed(gateway.call('/api/v1/splits', { apiKey }));
    await list();

    const crowd = Array.from({ length: 500 }, () => askBilling(gateway));
    const refused = await Promise.race(crowd);
    assert.equal(refused.status, 503);
    // Calls to the hung service are pending there.
    const beside: Outcome[] = [];
    for (let call = 0; call < 20; call++) beside.push(await list());
    const outcomes = await Promise.all(crowd);
    released.resolve();

    assert.deepEqual(new Set(beside.map(({ status }) => status)), new Set([200]));
    assert.deepEqual(new Set(outcomes.map(({ status }) => status)), new Set([503]));
    assert.ok(percentile(beside, 0.9) < percentile(outcomes, 0.99) / 2, 'nobody else waits for the deadline');
  });
});

test('Prefer: wait limits the waiting time of the caller; an invalid value is ignored', async () => {
  let timeLeft: number | undefined;
  await using gateway = await startTestGateway({
    services: {
      jobs: {
        listJobs(_request, context) {
          timeLeft = context.timeoutMs();
          return NO_ROWS;
        },
      },
    },
  });
  const apiKey = gateway.newKey().secret;
  const leftWith = async (prefer: string) => {
    const response = await gateway.call('/api/v1/splits', { apiKey, headers: { prefer } });
    assert.equal(response.status, 200);
    return { applied: response.headers.get('preference-applied'), leftMs: timeLeft ?? Number.NaN };
  };
  const two = await leftWith('respond-async, wait=2');
  assert.equal(two.applied, 'wait=2');
  assert.ok(two.leftMs > 0 && two.leftMs <= 2_000, String(two.leftMs));
  const long = await leftWith('wait="60"');
  assert.ok(long.leftMs > 2_000 && long.leftMs <= 5_000, 'no call gets longer by it');
  for (const prefer of ['wait', 'wait=0', 'wait=soon', 'wait=-1', 'wait=99999', 'return=minimal']) {
    assert.equal((await leftWith(prefer)).applied, null);
  }
});
