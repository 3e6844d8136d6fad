import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { answerOfProxy, createFaultyFetch, type FaultyFetch, unreachable } from './faulty-fetch.fixture.ts';
import { pauseBeforePoll } from './follow.ts';
import { type AudiosplitOptions, createAudiosplit, type Retry } from './index.ts';

const limited = answerOfProxy(429, { 'retry-after': '0' });
const found = answerOfProxy(200, {}, '{"id":"job_1"}');

describe('retries', () => {
  let network: FaultyFetch;
  let retries: Retry[];
  beforeEach(() => {
    network = createFaultyFetch();
    retries = [];
  });
  const connect = (policy: AudiosplitOptions['retries']) =>
    createAudiosplit({
      baseUrl: 'http://api.example.com:8080',
      fetch: network.fetch,
      retries: { baseDelayMs: 1, ...policy },
      onRetry: (retry) => retries.push(retry),
    });
  const statuses = () => retries.map(({ error }) => error.status);

  test('after a full rate limit are counted separately from those after a failure', async () => {
    network.faults.push(limited, unreachable, limited, limited, found);
    await connect({ maxRetries: 1, maxRateLimitRetries: 3 }).getSplit('job_1');
    assert.deepEqual(statuses(), [429, 0, 429, 429]);
    network.faults.push(limited, limited);
    await assert.rejects(connect({ maxRetries: 1 }).getSplit('job_1'), { status: 429 });
  });

  test('can be set for one call', async () => {
    network.faults.push(unreachable, limited, limited, unreachable);
    const client = connect({ maxRateLimitRetries: 9 });
    const once = { retries: { maxRetries: 0 } };
    await assert.rejects(client.getSplit('job_1', once), { code: 'CONNECTION_FAILED' });
    await assert.rejects(client.getSplit('job_1', once), { status: 429 });
    assert.deepEqual(statuses(), [], 'none after a full rate limit either');
    const patient = { retries: { maxRetries: 0, maxRateLimitRetries: 1 } };
    await assert.rejects(client.getSplit('job_1', patient), { code: 'CONNECTION_FAILED' });
    assert.deepEqual(statuses(), [429]);
  });

  test('are reported with their pause, to the call before the client', async () => {
    network.faults.push(answerOfProxy(503, { 'retry-after': '0' }), found);
    const ofCall: Retry[] = [];
    await connect({}).getSplit('job_1', { onRetry: (retry) => ofCall.push(retry) });
    assert.deepEqual(
      ofCall.map(({ error, delayMs }) => [error.status, error.host, delayMs]),
      [[503, 'api.example.com:8080', 0]],
    );
    assert.deepEqual(retries, []);
  });

  test('follow pauses that double up to a limit, with a random part below it', async (context) => {
    const random = context.mock.method(Math, 'random', () => 1);
    const policy = { maxRetries: 5, baseDelayMs: 2, maxDelayMs: 8 };
    const pauses = async () => {
      network.faults.push(...Array.from({ length: 5 }, () => unreachable), found);
      await connect(policy).getSplit('job_1');
      return retries.splice(0).map(({ delayMs }) => delayMs);
    };
    assert.deepEqual(await pauses(), [2, 4, 8, 8, 8]);
    random.mock.mockImplementation(() => 0.5);
    assert.deepEqual(await pauses(), [1, 2, 4, 4, 4]);
  });

  test('do not follow a rejection or a programming error', async () => {
    network.faults.push(answerOfProxy(400));
    await assert.rejects(connect({}).getSplit('job_1'), { status: 400 });
    const mistaken = createAudiosplit({
      baseUrl: 'http://api.example.com',
      apiKey: () => {
        throw new Error('disk full');
      },
      onRetry: (retry) => retries.push(retry),
    });
    await assert.rejects(mistaken.getSplit('job_1'), { message: 'disk full' });
    assert.deepEqual(retries, []);
  });

  test('the pauses end at once with the signal, also of a call whose requests may finish', async () => {
    for (const finishRequest of [false, true]) {
      const interruption = new AbortController();
      network.faults.push(answerOfProxy(429, { 'retry-after': '50' }));
      const options = { signal: interruption.signal, finishRequest, onRetry: () => interruption.abort() };
      await assert.rejects(connect({}).getSplit('job_1', options), { name: 'AbortError' });
    }
  });

  test('a request that may finish returns its response after the signal', async () => {
    const interruption = new AbortController();
    network.faults.push(async () => {
      interruption.abort();
      return found();
    });
    const options = { signal: interruption.signal, finishRequest: true };
    assert.equal((await connect({}).getSplit('job_1', options)).id, 'job_1');
  });

  test('the reason of a failed connection is that of the system', async () => {
    const refused = createAudiosplit({ baseUrl: 'http://127.0.0.1:1', retries: { maxRetries: 0 } });
    const error = await refused.getSplit('job_1').catch((thrown: Error) => thrown);
    assert.match((error as Error).message, /^cannot reach 127\.0\.0\.1:1 \(.+\)$/);
  });
});

test('polls are spread over the rest of the window by the remaining rate limit', () => {
  const limit = (remaining: number, resetAtMs: number) => ({
    limit: 600,
    remaining,
    resetsAt: new Date(resetAtMs),
  });
  assert.equal(pauseBeforePoll(200, undefined, 0), 200);
  assert.equal(pauseBeforePoll(200, limit(6, 50_000), 0), 10_000);
  assert.equal(pauseBeforePoll(200, limit(500, 50_000), 0), 200);
  assert.equal(pauseBeforePoll(200, limit(0, 4_000), 0), 4_000);
  // A server's clock that is off by hours must not make a caller wait for hours.
  assert.equal(pauseBeforePoll(200, limit(1, 9_000_000), 0), 60_000);
  assert.equal(pauseBeforePoll(200, limit(1, 0), 9_000_000), 200);
});
