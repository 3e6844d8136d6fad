import assert from 'node:assert/strict';
import { before, beforeEach, describe, test } from 'node:test';
import { ServiceError } from '@audiosplit/chassis/errors';
import { requireAccount } from '@audiosplit/chassis/identity/authorization';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { JobStatus } from '@audiosplit/proto/jobs/v1/jobs';
import { COMPLETED_AT, CREATED_AT, completed, type JobInit, queued } from '../routes/split-jobs.fixture.ts';
import { expectError } from '../testing/expect-error.ts';
import {
  ACCOUNT_ID,
  type ServiceDoubles,
  startTestGateway,
  type TestGateway,
} from '../testing/test-gateway.ts';
import { type EventReader, openEventReader } from './event-stream-reader.fixture.ts';

const processing = (progressPercent: number): JobInit => ({
  ...queued,
  status: JobStatus.PROCESSING,
  progressPercent,
});

describe('GET /splits/:jobId/events', () => {
  const stored = new Map<string, JobInit>();
  let looks: string[][] = [];
  const jobs: ServiceDoubles['jobs'] = {
    getJob({ jobId, omitSegments }, context) {
      assert.equal(requireAccount(context).accountId, ACCOUNT_ID);
      assert.equal(omitSegments, true);
      const job = stored.get(jobId);
      if (job === undefined) throw new ServiceError(Reason.JOB_NOT_FOUND, 'No such job.');
      return { job: { ...job, id: jobId } };
    },
    getProgress({ jobIds }) {
      looks.push(jobIds.toSorted());
      const found = jobIds.flatMap((jobId) => {
        const job = stored.get(jobId);
        return job === undefined
          ? []
          : [{ jobId, status: job.status ?? 0, progressPercent: job.progressPercent ?? 0 }];
      });
      return { jobs: found };
    },
  };
  let apiKey: string;
  const gateway = forSuite(() => startTestGateway({ services: { jobs } }));
  before(() => {
    apiKey = gateway.newKey(['splits:read']).secret;
  });
  beforeEach(() => {
    stored.clear();
    looks = [];
  });

  const path = (jobId: string) => `/api/v1/splits/${jobId}/events`;
  const open = (
    jobId: string,
    options: { apiKey?: string; lastEventId?: string; from?: TestGateway } = {},
  ): Promise<EventReader> =>
    openEventReader((options.from ?? gateway).url + path(jobId), {
      'x-api-key': options.apiKey ?? apiKey,
      ...(options.lastEventId === undefined ? {} : { 'last-event-id': options.lastEventId }),
    });
  const row = {
    id: 'job_1',
    splitMode: 'fileSize',
    maxFileSize: 2_147_483_648,
    outputFormat: 'ogg',
    createdAt: CREATED_AT.toISOString(),
  };

  // Covers D-2.49
  test('sends progress, then the end event, and closes', async () => {
    stored.set('job_1', queued);
    const events = await open('job_1');
    const { status, headers } = events.response;
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'text/event-stream; charset=utf-8');
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('x-accel-buffering'), 'no');
    assert.equal(headers.get('x-ratelimit-limit'), '100000');
    for (const progress of [0, 7, 100]) {
      stored.set('job_1', processing(progress));
      assert.deepEqual(await events.next(), {
        id: String(progress),
        event: 'progress',
        data: JSON.stringify({ progress, phase: progress >= 99 ? 'storing' : 'cutting' }),
      });
    }
    stored.set('job_1', completed);
    const end = await events.next();
    assert.equal(end?.id, '101');
    assert.equal(end.event, 'completed');
    assert.deepEqual(JSON.parse(end.data), {
      ...row,
      status: 'completed',
      sourceFileName: 'talk.mp3',
      segmentCount: 2,
      metadata: { episode: 7, tags: ['a', null] },
      completedAt: COMPLETED_AT.toISOString(),
    });
    assert.equal(await events.next(), undefined);
    assert.match(events.text(), /^retry: 2000\n\n/);
  });

  // Covers D-2.49
  test('a failed job is reported at once, with its reason and its exact metadata', async () => {
    const metadataJson = '{"n":12345678901234567890,"n":-0}';
    const error = { code: 'SOURCE_TIMEOUT', message: 'Too slow.' };
    stored.set('job_1', { ...queued, status: JobStatus.FAILED, error, metadataJson });
    const [end, ...more] = await (await open('job_1')).rest();
    assert.deepEqual(more, []);
    assert.equal(end?.event, 'failed');
    assert.ok(end.data.includes(`"metadata":${metadataJson}`), end.data);
    assert.deepEqual(JSON.parse(end.data).error, error);
    assert.deepEqual(looks, [], 'nobody had to look after it');
  });

  // Covers D-2.50
  test('a reconnecting client receives the events that it has missed, from any gateway', async () => {
    await using other = await startTestGateway({ services: { jobs } });
    const otherKey = other.newKey(['splits:read']).secret;
    stored.set('job_1', processing(42));
    const first = await open('job_1');
    assert.equal((await first.next())?.id, '42');
    first.leave();
    const second = await open('job_1', { lastEventId: '42', from: other, apiKey: otherKey });
    stored.set('job_1', processing(43));
    assert.equal((await second.next())?.id, '43');
    second.leave();
    stored.set('job_1', completed);
    const third = await open('job_1', { lastEventId: '43' });
    assert.deepEqual(
      (await third.rest()).map(({ id, event }) => `${id} ${event}`),
      ['101 completed'],
    );
    const fourth = await open('job_1', { lastEventId: '101', from: other, apiKey: otherKey });
    assert.equal(fourth.response.status, 204, 'an EventSource asks no more after this');
    assert.deepEqual(await fourth.rest(), []);
  });

  test('many streams share one poll, and there is none without streams', async () => {
    for (const jobId of ['job_1', 'job_2', 'job_3']) stored.set(jobId, processing(1));
    const readers = await Promise.all(['job_1', 'job_1', 'job_2', 'job_3', 'job_3'].map((id) => open(id)));
    for (const reader of readers) await reader.next();
    for (const jobId of ['job_1', 'job_2', 'job_3']) stored.set(jobId, processing(2));
    for (const reader of readers) assert.equal((await reader.next())?.id, '2');
    await until(() => looks.at(-1)?.join() === 'job_1,job_2,job_3', 'all are looked at by one call');
    for (const reader of readers) reader.leave();
    stored.set('job_9', processing(1));
    const lonely = await open('job_9');
    await until(() => looks.at(-1)?.join() === 'job_9', 'nobody follows the others any more');
    lonely.leave();
  });

  // Covers B-6.9
  test('429 TOO_MANY_STREAMS beyond 50 of one account, until one is closed', async () => {
    await using maxInFlightWhenLate = await startTestGateway({ services: { jobs } });
    const { secret } = maxInFlightWhenLate.newKey(['splits:read']);
    const openOne = () => open('job_1', { from: maxInFlightWhenLate, apiKey: secret });
    stored.set('job_1', queued);
    const readers = await Promise.all(Array.from({ length: 50 }, openOne));
    const refused = await maxInFlightWhenLate.call(path('job_1'), { apiKey: secret });
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
    await expectError(refused, 'TOO_MANY_STREAMS');
    readers.pop()?.leave();
    await until(async () => {
      const reader = await openOne();
      if (reader.response.status === 200) readers.push(reader);
      else await reader.rest();
      return reader.response.status === 200;
    }, 'a place is free');
    for (const reader of readers) reader.leave();
  });

  // Covers B-6.9
  test('429 TOO_MANY_STREAMS beyond the limit of one address, over all accounts', async () => {
    await using other = await startTestGateway({ services: { jobs }, bounds: { STREAMS_PER_ADDRESS: 2 } });
    const { secret } = other.newKey(['splits:read']);
    stored.set('job_1', queued);
    const openOne = () => open('job_1', { from: other, apiKey: secret });
    const readers = [await openOne(), await openOne()];
    const refused = await other.call(path('job_1'), { apiKey: secret });
    await expectError(refused, 'TOO_MANY_STREAMS', { message: /^Your address has 2 streams/ });
    for (const reader of readers) reader.leave();
  });

  test('a revoked key receives no more events', async () => {
    const key = gateway.newKey(['splits:read']);
    stored.set('job_1', processing(1));
    const events = await open('job_1', { apiKey: key.secret });
    assert.equal((await events.next())?.id, '1');
    key.revoke();
    gateway.advance(1_000);
    stored.set('job_1', completed);
    assert.deepEqual(await events.rest(), []);
  });

  test('the stream of a job that is deleted ends', async () => {
    stored.set('job_1', queued);
    const events = await open('job_1');
    stored.delete('job_1');
    assert.deepEqual(await events.rest(), []);
    await expectError(await gateway.call(path('job_1'), { apiKey }), 'JOB_NOT_FOUND');
  });

  test('a gateway that stops ends its streams, so that their clients reconnect to another one', async () => {
    const stopping = await startTestGateway({ services: { jobs } });
    stored.set('job_1', processing(5));
    const events = await open('job_1', { from: stopping, apiKey: stopping.newKey().secret });
    assert.equal((await events.next())?.id, '5');
    await stopping[Symbol.asyncDispose]();
    assert.deepEqual(await events.rest(), []);
  });

  test('403 without splits:read, 401 without a key, 405 for HEAD', async () => {
    const { secret } = gateway.newKey(['splits:write']);
    await expectError(await gateway.call(path('job_1'), { apiKey: secret }), 'INSUFFICIENT_SCOPE');
    await expectError(await gateway.call(path('job_1')), 'UNAUTHORIZED');
    assert.equal((await gateway.call(path('job_1'), { apiKey, method: 'HEAD' })).status, 405);
  });

  for (const id of ['-1', '102', '007', 'x', '1e1']) {
    test(`400 INVALID_PARAMS: Last-Event-ID ${id}`, async () => {
      stored.set('job_1', queued);
      const response = await gateway.call(path('job_1'), { apiKey, headers: { 'last-event-id': id } });
      await expectError(response, 'INVALID_PARAMS', { field: 'last-event-id', message: /from 0 to 101/ });
    });
  }
});
