import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { ServiceError } from '@audiosplit/chassis/errors';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { type Audiosplit, createAudiosplit, JobFailedError } from '@audiosplit/client';
import {
  type ServiceDoubles,
  startTestGateway,
  type TestGateway,
} from '@audiosplit/gateway/testing/test-gateway';
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
  /** Set once it has ended. */
  readonly end?: object;
}

const time = timestampFromDate(new Date('2026-03-01T12:00:00Z'));
const QUEUED: StoredJob = { status: JobStatus.QUEUED, progressPercent: 0 };
const COMPLETED: StoredJob = {
  status: JobStatus.COMPLETED,
  progressPercent: 0,
  end: { completedAt: time, segmentCount: 0 },
};
const FAILED: StoredJob = {
  status: JobStatus.FAILED,
  progressPercent: 0,
  end: { error: { code: 'SOURCE_TIMEOUT', message: 'Too slow.' } },
};
const processing = (progressPercent: number): StoredJob => ({
  status: JobStatus.PROCESSING,
  progressPercent,
});

describe('following a job', () => {
  let network: FaultyFetch;
  let stored: StoredJob | undefined;
  let key: ReturnType<TestGateway['newKey']>;
  let client: Audiosplit;
  const jobs: ServiceDoubles['jobs'] = {
    getJob({ jobId }) {
      if (stored === undefined) throw new ServiceError(Reason.JOB_NOT_FOUND, 'No such job.');
      const { end, ...state } = stored;
      const request = { cut: fromCutFields({ splitMode: 'duration', segmentDuration: 30 }) };
      return { job: { id: jobId, request, createdAt: time, ...state, ...end } };
    },
    getProgress: ({ jobIds }) => ({
      jobs: stored === undefined ? [] : jobIds.map((jobId) => ({ jobId, ...stored })),
    }),
  };
  const gateway = forSuite(() => startTestGateway({ services: { jobs } }));
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
  /** Waits for the job, which advances by a step at each report of progress. */
  const waitThrough = async (steps: StoredJob[], options: { readonly pollEveryMs?: number } = {}) => {
    const progress: number[] = [];
    const job = await client.waitForJob('job_1', {
      ...options,
      onProgress: (percent) => {
        progress.push(percent);
        stored = steps.shift() ?? stored;
      },
    });
    return { job, progress };
  };

  test('a job is waited for, and its progress reported', async () => {
    stored = processing(10);
    const { job, progress } = await waitThrough([processing(60), COMPLETED]);
    assert.deepEqual([job.id, job.status, job.segments], ['job_1', 'completed', []]);
    assert.deepEqual(progress, [10, 60]);
    assert.deepEqual(asked(), ['events', 'job']);
  });

  test('a job that has already ended is not waited for', async () => {
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
    assert.deepEqual(await Array.fromAsync(client.followJob('job_1'), ({ type }) => type), ['failed']);
  });

  test('a stream that breaks off is resumed after the last event seen', async () => {
    stored = processing(42);
    network.faults.push(cutAfterEvents(1));
    const { progress } = await waitThrough([processing(43), COMPLETED]);
    assert.deepEqual(progress, [42, 43]);
    assert.deepEqual(asked(), ['events', 'events', 'job']);
    const lastEventIds = network.seen.map(({ headers }) => headers.get('last-event-id'));
    assert.deepEqual(lastEventIds, [null, '42', null]);
  });

  test('the job is polled if events are not available', async () => {
    const heldBack = async () => new Response('<h1>Not here</h1>', { status: 404 });
    network.faults.push(heldBack);
    stored = processing(5);
    const { job, progress } = await waitThrough([processing(9), COMPLETED], { pollEveryMs: 1 });
    assert.equal(job.status, 'completed');
    assert.deepEqual(progress, [5, 9]);
    assert.deepEqual(asked().slice(0, 3), ['events', 'job', 'job']);
  });

  test('an interrupted network is waited for', async () => {
    stored = COMPLETED;
    network.faults.push(unreachable);
    await client.waitForJob('job_1');
    assert.deepEqual(asked(), ['events', 'events', 'job']);
  });

  test('a deleted job or a revoked key ends the wait', async () => {
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

  test('leaving the loop closes the stream', async () => {
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
