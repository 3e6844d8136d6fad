import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { ServiceError } from '@audiosplit/chassis/errors';
import { requireAccount } from '@audiosplit/chassis/identity/authorization';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import {
  type Audiosplit,
  AudiosplitError,
  type AudiosplitOptions,
  createAudiosplit,
} from '@audiosplit/client';
import { ACCOUNT_ID, type ServiceDoubles, startTestGateway } from '@audiosplit/gateway/testing/test-gateway';
import { fromCutFields } from '@audiosplit/proto/cut';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { JobStatus } from '@audiosplit/proto/jobs/v1/jobs';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  answerLost,
  answerOfProxy,
  createFaultyFetch,
  type FaultyFetch,
  unreachable,
} from '../../../clients/typescript/src/faulty-fetch.fixture.ts';
import { listen } from '../../harness/servers/listen.ts';

const REQUEST = {
  sourceUrl: 'https://example.com/a.mp3',
  splitMode: 'duration',
  segmentDuration: 30,
} as const;

/** TypeScript does not yet declare the third argument (ECMA-262, JSON.parse source text access). */
type ParseWithSource = (
  text: string,
  reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown;

describe('calls', () => {
  let network: FaultyFetch;
  let metadataJson: string;
  let refusals: Reason[];
  const refuseOnce = () => {
    const reason = refusals.shift();
    if (reason !== undefined) throw new ServiceError(reason, 'Refused.');
  };
  const job = (id: string) => ({
    id,
    status: JobStatus.QUEUED,
    request: { cut: fromCutFields({ splitMode: 'duration', segmentDuration: 30 }) },
    createdAt: timestampFromDate(new Date('2026-03-01T12:00:00Z')),
    ...(metadataJson === '' ? {} : { metadataJson }),
  });
  const jobs: ServiceDoubles['jobs'] = {
    createJob(request, context) {
      assert.equal(requireAccount(context).accountId, ACCOUNT_ID);
      refuseOnce();
      metadataJson = request.metadataJson ?? '';
      return { job: job('job_1') };
    },
    getJob({ jobId }) {
      refuseOnce();
      return { job: job(jobId) };
    },
    deleteJob: () => ({}),
    listJobs({ page, limit }) {
      const ids = Array.from({ length: 250 }, (_, index) => `job_${index}`);
      const from = (page - 1) * limit;
      return { jobs: ids.slice(from, from + limit).map(job), total: BigInt(ids.length) };
    },
  };
  const updateApiKey = () => {
    refuseOnce();
    return {};
  };
  const gateway = forSuite(() => startTestGateway({ services: { jobs, auth: { updateApiKey } } }));
  beforeEach(() => {
    [metadataJson, refusals] = ['', []];
    network = createFaultyFetch();
  });

  const connect = (options: Partial<AudiosplitOptions> = {}): Audiosplit =>
    createAudiosplit({
      baseUrl: gateway.url,
      apiKey: gateway.newKey().secret,
      fetch: network.fetch,
      ...options,
      retries: { baseDelayMs: 1, ...options.retries },
    });
  const refusal = async (call: Promise<unknown>): Promise<AudiosplitError> => {
    const error = await call.catch((thrown: unknown) => thrown);
    assert.ok(error instanceof AudiosplitError, String(error));
    return error;
  };
  const idempotencyKeys = () => network.seen.map(({ headers }) => headers.get('idempotency-key'));

  test('a rejection contains all details of the API', async () => {
    const error = await refusal(connect().createSplit({ ...REQUEST, segmentDuration: 0 }));
    assert.deepEqual([error.name, error.code, error.status], ['AudiosplitError', 'INVALID_PARAMS', 400]);
    assert.equal(error.details.map(({ field }) => field).join(), 'segmentDuration');
    assert.match(error.message, /segmentDuration/);
    assert.ok(error.requestId);
    assert.equal(error.rateLimit?.limit, 100_000);
    assert.ok(error.rateLimit.resetsAt > gateway.clock());
    assert.equal(error.retryAfter, undefined);
    assert.equal(network.seen.length, 1, 'what is wrong stays wrong');
  });

  test('each call sends the credential that its operation requires', async () => {
    const { secret } = gateway.newKey();
    const tokens = ['first', 'second'];
    const client = connect({ apiKey: async () => secret, accessToken: () => tokens.shift() ?? '' });
    await client.getSplit('job_1');
    await refusal(client.getAccount());
    await refusal(client.getAccount());
    await refusal(connect({ apiKey: 'wrong' }).getSplit('job_1'));
    const sent = network.seen.map(({ headers }) => [headers.get('x-api-key'), headers.get('authorization')]);
    assert.deepEqual(sent, [
      [secret, null],
      [null, 'Bearer first'],
      [null, 'Bearer second'],
      ['wrong', null],
    ]);
  });

  test('a POST whose response was lost is repeated with the same key', async () => {
    network.faults.push(answerLost, unreachable);
    assert.equal((await connect().createSplit(REQUEST)).id, 'job_1');
    const [key, ...others] = idempotencyKeys();
    assert.match(key ?? '', /^[0-9a-f]{32}$/);
    assert.deepEqual(others, [key, key]);
    await connect().createSplit(REQUEST);
    assert.notEqual(idempotencyKeys().at(-1), key, 'another call, another key');
    await connect().createSplit(REQUEST, { idempotencyKey: 'episode-7' });
    assert.equal(idempotencyKeys().at(-1), 'episode-7');
    await connect().getSplit('job_1');
    assert.equal(idempotencyKeys().at(-1), null);
  });

  test('503, and a repeat that overtakes the first request, are retried', async () => {
    refusals = [Reason.IDEMPOTENCY_IN_PROGRESS];
    network.faults.push(answerOfProxy(503, { 'retry-after': '0' }));
    const statuses: number[] = [];
    await connect().createSplit(REQUEST, { onResponse: ({ status }) => statuses.push(status) });
    assert.deepEqual(statuses, [503, 409, 201]);
    assert.equal(new Set(idempotencyKeys()).size, 1);
  });

  test('a PATCH is repeated only if it had no effect', async () => {
    const accessToken = 'unused';
    network.faults.push(answerOfProxy(429, { 'retry-after': '0' }), answerOfProxy(503));
    const error = await refusal(connect({ accessToken }).updateApiKey('key_1', { name: 'n' }));
    assert.equal(error.status, 503);
    assert.equal(network.seen.length, 2);
  });

  test('a rate limit is waited for unless that takes too long', async () => {
    await using busy = await startTestGateway({
      services: { jobs: { getJob: ({ jobId }) => ({ job: job(jobId) }) } },
      requestsPerMinute: 1,
    });
    const apiKey = busy.newKey().secret;
    const impatient = connect({ baseUrl: busy.url, apiKey, retries: { maxDelayMs: 0 } });
    let resetsAt = busy.clock();
    await impatient.getSplit('job_1', {
      onResponse: ({ rateLimit }) => {
        assert.deepEqual([rateLimit?.limit, rateLimit?.remaining], [1, 0]);
        resetsAt = rateLimit?.resetsAt ?? resetsAt;
      },
    });
    busy.advance(resetsAt.getTime() - 900 - busy.clock().getTime());
    const error = await refusal(impatient.getSplit('job_1'));
    assert.deepEqual([error.code, error.retryAfter], ['RATE_LIMITED', 1]);

    const statuses: number[] = [];
    const patient = connect({ baseUrl: busy.url, apiKey });
    await patient.getSplit('job_1', {
      onResponse: ({ status }) => {
        statuses.push(status);
        if (status === 429) busy.advance(1_000);
      },
    });
    assert.deepEqual(statuses, [429, 200]);
  });

  test('retries are limited', async () => {
    network.faults.push(...Array.from({ length: 9 }, () => unreachable));
    const error = await refusal(connect({ retries: { maxRetries: 2 } }).getSplit('job_1'));
    assert.deepEqual([error.code, error.status, network.seen.length], ['CONNECTION_FAILED', 0, 3]);
    assert.ok(error.cause instanceof TypeError);
  });

  test('a response that never arrives counts as a failed request', async () => {
    const hangs = (_ask: unknown, _request: unknown) => new Promise<Response>(() => undefined);
    const client = connect({
      timeoutMs: 20,
      retries: { maxRetries: 1 },
      fetch(url, init) {
        const aborted = Promise.withResolvers<never>();
        init.signal?.addEventListener('abort', () => aborted.reject(init.signal?.reason));
        return Promise.race([network.fetch(url, init), aborted.promise]);
      },
    });
    network.faults.push(hangs, hangs);
    const error = await refusal(client.getSplit('job_1'));
    assert.deepEqual([error.code, network.seen.length], ['CONNECTION_FAILED', 2]);
    assert.equal((error.cause as DOMException).name, 'TimeoutError');
  });

  test('responses of a proxy are distinguished from those of the API', async () => {
    const client = connect({ retries: { maxRetries: 0 } });
    network.faults.push(answerOfProxy(502), answerOfProxy(200), answerOfProxy(404, {}, '{"error":"no"}'));
    for (const expected of [502, 200, 404]) {
      const { code, status, message } = await refusal(client.getSplit('job_1'));
      assert.deepEqual([code, status], ['UNEXPECTED_ANSWER', expected]);
      if (expected === 502) assert.match(message, /<h1>Sorry/);
    }
  });

  test('a redirect is not followed, because credentials are only for the given address', async () => {
    const strayed: unknown[] = [];
    await using elsewhere = await listen(({ headers }, response) => {
      strayed.push(headers);
      response.end('{}');
    });
    await using moved = await listen((request, response) => {
      response.writeHead(307, { location: elsewhere.url + request.url }).end();
    });
    const client = connect({ baseUrl: moved.url, accessToken: 'token' });
    for (const call of [client.getSplit('job_1'), client.getAccount(), client.createSplit(REQUEST)]) {
      const error = await refusal(call);
      assert.deepEqual([error.code, error.status], ['UNEXPECTED_ANSWER', 307]);
      assert.ok(error.message.includes(elsewhere.url), error.message);
    }
    // The response as a page in a browser sees it.
    const opaque = Object.defineProperties(Response.error(), { type: { value: 'opaqueredirect' } });
    network.faults.push(async () => opaque);
    assert.equal((await refusal(client.getSplit('job_1'))).code, 'UNEXPECTED_ANSWER');
    assert.deepEqual([strayed, network.seen.length], [[], 4]);
  });

  test('an empty response is valid only if its status says so', async () => {
    network.faults.push(answerOfProxy(200, {}, ''));
    assert.equal((await refusal(connect().getSplit('job_1'))).code, 'UNEXPECTED_ANSWER');
  });

  test('a Retry-After is either seconds or a date', async () => {
    const client = connect({ retries: { maxRetries: 0 } });
    const inAMinute = new Date(Date.now() + 60_000).toUTCString();
    for (const [value, least, most] of [
      ['7', 7, 7],
      [inAMinute, 58, 60],
      ['Thu, 01 Jan 1970 00:00:00 GMT', 0, 0],
    ] as const) {
      network.faults.push(answerOfProxy(503, { 'retry-after': value }));
      const { retryAfter = Number.NaN } = await refusal(client.getSplit('job_1'));
      assert.ok(retryAfter >= least && retryAfter <= most, `${value}: ${retryAfter}`);
    }
    for (const value of ['1.5', '-1', 'soon', '']) {
      network.faults.push(answerOfProxy(503, { 'retry-after': value }));
      assert.equal((await refusal(client.getSplit('job_1'))).retryAfter, undefined, value);
    }
  });

  test('an undefined setting uses the default', async () => {
    const retries = { maxRetries: undefined, maxDelayMs: undefined } as unknown as { maxRetries: number };
    network.faults.push(...Array.from({ length: 9 }, () => unreachable));
    assert.equal((await refusal(connect({ retries }).getSplit('job_1'))).code, 'CONNECTION_FAILED');
    assert.equal(network.seen.length, 5);
  });

  test('a signal ends a call before, during and between its attempts', async () => {
    const reason = new Error('thought better of it');
    const aborted = (error: unknown) => error === reason;
    await assert.rejects(connect().getSplit('job_1', { signal: AbortSignal.abort(reason) }), aborted);
    assert.equal(network.seen.length, 0);

    const during = new AbortController();
    network.faults.push((ask) => {
      during.abort(reason);
      return ask();
    });
    await assert.rejects(connect().getSplit('job_1', { signal: during.signal }), aborted);
    assert.equal(network.seen.length, 1);

    const between = new AbortController();
    network.faults.push(answerOfProxy(429, { 'retry-after': '50' }));
    const call = connect().getSplit('job_1', {
      signal: between.signal,
      onResponse: () => setImmediate(() => between.abort(reason)),
    });
    await assert.rejects(call, aborted);
    assert.equal(network.seen.length, 2);
  });

  test('rows are read page by page, on demand', async () => {
    const ids: string[] = [];
    for await (const { id } of connect().eachSplit({ status: 'queued' })) {
      ids.push(id);
      if (ids.length === 100) assert.equal(network.seen.length, 1);
    }
    assert.deepEqual([ids.length, new Set(ids).size], [250, 250]);
    const searches = network.seen.map(({ url }) => new URL(url).search);
    assert.deepEqual(
      searches,
      [1, 2, 3].map((page) => `?limit=100&status=queued&page=${page}`),
    );
    const { data, pagination } = await connect().listSplits({ page: 3, limit: 100 });
    assert.deepEqual([data.length, pagination.totalPages], [50, 3]);
  });

  test('metadata keeps its digits with a suitable parser', async () => {
    const parseJson = (text: string) =>
      (JSON.parse as ParseWithSource)(text, (_key, value, { source }) =>
        typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source ?? '')
          ? BigInt(source ?? '')
          : value,
      );
    const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
    const metadata = { trackId: rawJSON('12345678901234567890') };
    const { metadata: exact } = await connect({ parseJson }).createSplit({ ...REQUEST, metadata });
    assert.equal(exact?.trackId, 12345678901234567890n);
    const rounded = await connect().getSplit('job_1');
    assert.equal(Object(rounded).metadata.trackId, 12345678901234567000);
  });

  test('a response without a body resolves to undefined', async () => {
    assert.equal(await connect().deleteSplit('job_1'), undefined);
  });

  for (const id of ['', '.', '..']) {
    test(`"${id}" is not a valid id`, () => {
      assert.throws(() => connect().deleteSplit(id), TypeError);
    });
  }

  test('an id is one segment of a path, with any content', async () => {
    await refusal(connect().getSplit('../account?x=1'));
    assert.equal(new URL(network.seen[0]?.url ?? '').pathname, '/api/v1/splits/..%2Faccount%3Fx%3D1');
  });

  test('a base URL may have a path and a slash, and must be valid', async () => {
    const client = createAudiosplit({ baseUrl: 'https://example.com/audio/', fetch: network.fetch });
    network.faults.push(answerOfProxy(200, {}, '{"data":[]}'));
    await client.listPlans();
    assert.equal(network.seen[0]?.url, 'https://example.com/audio/api/v1/plans');
    for (const baseUrl of ['localhost:8080', '/api', 'http://a/?b=c', 'http://a/#b', 'http://ada:secret@a/'])
      assert.throws(() => createAudiosplit({ baseUrl }), TypeError);
  });
});
