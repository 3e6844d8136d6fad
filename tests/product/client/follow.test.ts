import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { ServiceError } from '@audiosplit/chassis/errors';
import { type Audiosplit, createAudiosplit, type JobEvent, JobFailedError } from '@audiosplit/client';
import { startTestGateway, type TestGateway } from '@audiosplit/gateway/testing/test-gateway';
import { fromCutFields } from '@audiosplit/proto/cut';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { JobStatus } from '@audiosplit/proto/jobs/v1/jobs';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  createFaultyFetch,
  cutAfterEvents,
  type FaultyFetch,
  unreachable,
} from '../../../clients/typescript/src/faulty-fetch.fixture.ts';

interface StoredJob {
  readonly status: JobStatus;
  readonly progressPercent: number;
}

const QUEUED: StoredJob = { status: JobStatus.QUEUED, progressPercent: 0 };
const COMPLETED: StoredJob = { status: JobStatus.COMPLETED, progressPercent: 0 };
const FAILED: StoredJob = { status: JobStatus.FAILED, progressPercent: 0 };
const processing = (progressPercent: number): StoredJob => ({
  status: JobStatus.PROCESSING,
  progressPercent,
});

describe('following a job', () => {
  let gateway: TestGateway;
  let network: FaultyFetch;
  let stored: StoredJob | undefined;
  let key: ReturnType<TestGateway['newKey']>;
  let client: Audiosplit;
  const time = timestampFromDate(new Date('2026-03-01T12:00:00Z'));
  before(async () => {
    gateway = await startTestGateway({
      services: {
        jobs: {
          getJob({ jobId }) {
            if (stored === undefined) throw new ServiceError(Reason.JOB_NOT_FOUND, 'No such job.');
            return {
              job: {
                id: jobId,
                ...stored,
                request: { cut: fromCutFields({ splitMode: 'duration', segmentDuration: 30 }) },
                createdAt: time,
                ...(stored.status === JobStatus.COMPLETED ? { completedAt: time, segmentCount: 0 } : {}),
                ...(stored.status === JobStatus.FAILED
                  ? { error: { code: 'SOURCE_TIMEOUT', message: 'Too slow.' } }
                  : {}),
              },
            };
          },
          getProgress: ({ jobIds }) => ({
            jobs: stored === undefined ? [] : jobIds.map((jobId) => ({ jobId, ...stored })),
          }),
        },
      },
    });
  });
  after(() => gateway[Symbol.asyncDispose]());
  beforeEach(() => {
    stored = QUEUED;
    network = createFaultyFetch();
    key = gateway.newKey(['splits:read']);
    client = createAudiosplit({
      baseUrl: gateway.url,
      apiKey: key.secret,
      fetch: network.fetch,
      retries: { baseDelayMs: 1 },
    });
  });
  const asked = () => network.seen.map(({ url }) => (url.endsWith('/events') ? 'events' : 'job'));
  /** Tells what the job has become whenever an event has arrived. */
  const lifeAfter = (steps: readonly (StoredJob | undefined)[]) => {
    const left = [...steps];
    return () => {
      if (left.length > 0) stored = left.shift();
    };
  };

  test('a job is waited for, and its progress reported', async () => {
    const progress: number[] = [];
    stored = processing(10);
    const next = lifeAfter([processing(60), COMPLETED]);
    const job = await client.waitForJob('job_1', {
      onProgress: (percent) => {
        progress.push(percent);
        next();
      },
    });
    assert.deepEqual([job.id, job.status, job.segments], ['job_1', 'completed', []]);
    assert.deepEqual(progress, [10, 60]);
    assert.deepEqual(asked(), ['events', 'job']);
  });

  test('a job that has ended already is not waited for', async () => {
    stored = COMPLETED;
    assert.equal((await client.waitForJob('job_1')).status, 'completed');
  });

  test('a job that fails throws its reason', async () => {
    stored = FAILED;
    await assert.rejects(client.waitForJob('job_1'), (error) => {
      assert.ok(error instanceof JobFailedError);
      assert.deepEqual([error.code, error.job.status], ['SOURCE_TIMEOUT', 'failed']);
      return true;
    });
    const events: JobEvent[] = [];
    for await (const event of client.followJob('job_1')) events.push(event);
    assert.deepEqual(
      events.map(({ type }) => type),
      ['failed'],
    );
  });

  test('a stream that breaks off is taken up after the last event seen', async () => {
    stored = processing(42);
    network.faults.push(cutAfterEvents(1));
    const progress: number[] = [];
    const next = lifeAfter([processing(43), COMPLETED]);
    await client.waitForJob('job_1', {
      onProgress: (percent) => {
        progress.push(percent);
        next();
      },
    });
    assert.deepEqual(progress, [42, 43]);
    assert.deepEqual(asked(), ['events', 'events', 'job']);
    assert.deepEqual(
      network.seen.map(({ headers }) => headers.get('last-event-id')),
      [null, '42', null],
    );
  });

  test('where events cannot be had, the job is asked for', async () => {
    const heldBack = async () => new Response('<h1>Not here</h1>', { status: 404 });
    network.faults.push(heldBack);
    stored = processing(5);
    const progress: number[] = [];
    const next = lifeAfter([processing(9), COMPLETED]);
    const job = await client.waitForJob('job_1', {
      pollEveryMs: 1,
      onProgress: (percent) => {
        progress.push(percent);
        next();
      },
    });
    assert.equal(job.status, 'completed');
    assert.deepEqual(progress, [5, 9]);
    assert.deepEqual(asked().slice(0, 3), ['events', 'job', 'job']);
  });

  test('a network that comes back is waited for', async () => {
    stored = COMPLETED;
    network.faults.push(unreachable);
    await client.waitForJob('job_1');
    assert.deepEqual(asked(), ['events', 'events', 'job']);
  });

  test('a job that is deleted, and a key that is revoked, end the wait', async () => {
    stored = processing(1);
    const deletion = client.waitForJob('job_1', {
      onProgress: () => {
        stored = undefined;
      },
    });
    await assert.rejects(deletion, { name: 'AudiosplitError', code: 'JOB_NOT_FOUND' });
    key.revoke();
    gateway.advance(1_000);
    await assert.rejects(client.waitForJob('job_1'), { name: 'AudiosplitError', code: 'UNAUTHORIZED' });
  });

  test('a signal ends the wait', async () => {
    stored = processing(1);
    const reason = new Error('thought better of it');
    const aborting = new AbortController();
    const call = client.waitForJob('job_1', {
      signal: aborting.signal,
      onProgress: () => aborting.abort(reason),
    });
    await assert.rejects(call, (error) => error === reason);
  });

  test('who leaves the loop closes the stream', async () => {
    stored = processing(1);
    let signal: AbortSignal | null | undefined;
    let canceled = false;
    const watched = createAudiosplit({
      baseUrl: gateway.url,
      apiKey: key.secret,
      fetch: async (url, init) => {
        signal = init.signal;
        const response = await fetch(url, init);
        const reader = response.body?.getReader();
        return new Response(
          new ReadableStream({
            async pull(controller) {
              const chunk = await reader?.read();
              if (chunk?.value !== undefined) controller.enqueue(chunk.value);
            },
            async cancel() {
              canceled = true;
              await reader?.cancel();
            },
          }),
          response,
        );
      },
    });
    for await (const event of watched.followJob('job_1')) {
      assert.deepEqual(event, { type: 'progress', progress: 1 });
      break;
    }
    assert.ok(canceled);
    assert.equal(signal?.aborted, false);
  });
});
