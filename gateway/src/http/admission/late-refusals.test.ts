import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@audiosplit/chassis/testing/until';
import { newApiKeySecret } from '../../testing/credentials.ts';
import { expectError } from '../../testing/expect-error.ts';
import { exchange } from '../../testing/raw-http.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

const PER_ADDRESS = 3;
const PROMPT = 10;
const DELAY_MS = 1_000;

const start = ({ maxDelayed = 100, floodConnections = 200 } = {}) =>
  startTestGateway({
    services: { jobs: { listJobs: () => ({ jobs: [], total: 0n }) } },
    bounds: {
      ADDRESS_REQUESTS_PER_MINUTE: PER_ADDRESS,
      REFUSAL_DELAY_SECONDS: DELAY_MS / 1_000,
      MAX_DELAYED_REFUSALS: maxDelayed,
      FLOOD_CONNECTIONS_PER_SECOND: floodConnections,
    },
  });

async function listTimed(gateway: TestGateway, apiKey = newApiKeySecret()) {
  const startedMs = performance.now();
  const response = await gateway.call('/api/v1/splits', { apiKey });
  return { response, ms: performance.now() - startedMs };
}

/** Leaves only late refusals to the address. */
async function flood(gateway: TestGateway): Promise<void> {
  for (let call = 0; call < PER_ADDRESS; call++) await listTimed(gateway);
  for (let call = 0; call < PROMPT; call++) {
    const { response, ms } = await listTimed(gateway);
    assert.equal(response.status, 429);
    assert.ok(ms < DELAY_MS, `refusal ${call} came after ${ms} ms`);
  }
}

describe('refusals to an address whose window is spent', () => {
  test('come late after the tenth of a minute; known keys are not affected', async () => {
    await using gateway = await start();
    const { secret } = gateway.newKey();
    assert.equal((await listTimed(gateway, secret)).response.status, 200);
    await flood(gateway);
    const late = listTimed(gateway);
    const known = await listTimed(gateway, secret);
    assert.equal(known.response.status, 200);
    assert.ok(known.ms < DELAY_MS);
    const { response, ms } = await late;
    await expectError(response, 'RATE_LIMITED', { message: /3 requests/ });
    assert.ok(ms >= DELAY_MS - 1, `it came after ${ms} ms`);
    gateway.advance(60_000);
    assert.ok((await listTimed(gateway)).ms < DELAY_MS);
  });

  test('come at once if too many wait, and end their connection', async () => {
    await using gateway = await start({ maxDelayed: 1 });
    await flood(gateway);
    const late = listTimed(gateway);
    await sleep(100);
    const { response, ms } = await listTimed(gateway);
    assert.equal(response.status, 429);
    assert.equal(response.headers.get('connection'), 'close');
    assert.ok(ms < DELAY_MS);
    assert.ok((await late).ms >= DELAY_MS - 1);
  });

  test('come late for malformed paths too, and end a connection that sends more meanwhile', async () => {
    await using gateway = await start();
    await flood(gateway);
    const startedMs = performance.now();
    const malformed = 'GET /api/v1/%zz HTTP/1.1\r\nhost: a\r\n\r\n';
    const one = exchange(gateway.url, Buffer.from(malformed), { patienceMs: 2 * DELAY_MS });
    const several = await exchange(gateway.url, Buffer.from(malformed.repeat(2)));
    assert.ok(performance.now() - startedMs < DELAY_MS);
    assert.deepEqual(
      several.map(({ status, headers }) => [status, headers.get('connection')]),
      [
        [429, 'keep-alive'],
        [429, 'close'],
      ],
    );
    assert.equal((await one)[0]?.status, 429);
    assert.ok(performance.now() - startedMs >= DELAY_MS - 1);
  });

  test('come once much of a body has arrived that is not read', async () => {
    await using gateway = await start();
    await flood(gateway);
    const startedMs = performance.now();
    const head = `POST /api/v1/auth/login HTTP/1.1\r\nhost: a\r\ncontent-length: ${2 ** 30}\r\n\r\n`;
    const [answer] = await exchange(gateway.url, Buffer.concat([Buffer.from(head), Buffer.alloc(2 ** 20)]));
    assert.ok(performance.now() - startedMs < DELAY_MS);
    assert.deepEqual([answer?.status, answer?.headers.get('connection')], [429, 'close']);
  });

  test('bound its new connections, and not its open ones', async () => {
    await using gateway = await start({ maxDelayed: 0, floodConnections: 30 });
    // So that the minute does not end with a second that passes below.
    gateway.advance(60_000 - (gateway.clock().getTime() % 60_000));
    const { secret } = gateway.newKey();
    assert.equal((await listTimed(gateway, secret)).response.status, 200);
    await flood(gateway);
    const request = Buffer.from('GET /api/v1/splits HTTP/1.1\r\nhost: a\r\n\r\n');
    const connectTimes = async (count: number) => {
      const answers = await Promise.all(
        Array.from({ length: count }, () => exchange(gateway.url, request, { patienceMs: DELAY_MS })),
      );
      return answers.map(([answer]) => answer?.status ?? 'closed').toSorted();
    };
    assert.deepEqual(await connectTimes(5), [429, 429, 429, 'closed', 'closed']);
    assert.equal((await listTimed(gateway, secret)).response.status, 200);
    gateway.advance(1_000);
    assert.deepEqual(await connectTimes(1), [429]);
  });

  test('count if they are for malformed requests', async () => {
    await using gateway = await start({ floodConnections: 10 });
    const malformed = Buffer.from('this is not HTTP\r\n\r\n');
    const statuses: unknown[] = [];
    for (let connection = 0; connection < PER_ADDRESS + PROMPT + 2; connection++) {
      const [answer] = await exchange(gateway.url, malformed);
      statuses.push(answer?.status ?? 'closed');
    }
    const expected = [...Array(PER_ADDRESS).fill(400), ...Array(PROMPT).fill(429), 429, 'closed'];
    assert.deepEqual(statuses, expected);
  });

  test('do not wait for a caller that is gone', async () => {
    await using gateway = await start({ maxDelayed: 1 });
    await flood(gateway);
    const leaving = new AbortController();
    const url = `${gateway.url}/api/v1/splits`;
    const left = fetch(url, { headers: { 'x-api-key': newApiKeySecret() }, signal: leaving.signal });
    await sleep(100);
    leaving.abort();
    await assert.rejects(left);
    // Within the pause that the caller has left.
    await until(async () => (await listTimed(gateway)).ms >= DELAY_MS - 1, undefined, DELAY_MS / 2);
  });
});
