import assert from 'node:assert/strict';
import { before, beforeEach, describe, test } from 'node:test';
import { InvalidParamsError, ServiceError } from '@audiosplit/chassis/errors';
import { requireAccount } from '@audiosplit/chassis/identity/authorization';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import {
  type CreateJobRequest,
  FetchProgressSchema,
  JobSchema,
  JobStatus,
  OutputFormat,
} from '@audiosplit/proto/jobs/v1/jobs';
import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { CompletedJob, FailedJob, Job, ProcessingJob, QueuedJob } from '../schemas/splits.ts';
import { expectError } from '../testing/expect-error.ts';
import { readJson } from '../testing/read-json.ts';
import { ACCOUNT_ID, startTestGateway } from '../testing/test-gateway.ts';
import {
  COMPLETED_AT,
  CREATED_AT,
  completed,
  FAILED_AT,
  failed,
  type JobInit,
  queued,
} from './split-jobs.fixture.ts';

describe('split routes', () => {
  let apiKey: string;
  let stored: JobInit;
  let refusal: Reason | undefined;
  let created: CreateJobRequest | undefined;
  const orRefuse = <T>(answer: T): T => {
    if (refusal !== undefined) throw new ServiceError(refusal, 'Refused.', { retryAfterSeconds: 9 });
    return answer;
  };

  const gateway = forSuite(() =>
    startTestGateway({
      services: {
        jobs: {
          createJob(request, context) {
            assert.equal(requireAccount(context).accountId, ACCOUNT_ID);
            created = request;
            const { request: sourceRequest, webhookUrl, metadataJson } = request;
            return orRefuse({
              job: {
                ...queued,
                ...(sourceRequest && { request: sourceRequest }),
                ...(webhookUrl && { webhookUrl }),
                ...(metadataJson && { metadataJson }),
              },
            });
          },
          getJob: () => orRefuse({ job: stored }),
          deleteJob: () => orRefuse({}),
          cancelJob: () => orRefuse({ job: stored }),
        },
        webhooks: {
          checkTarget({ url }) {
            if (url.includes('10.0.0.1')) throw new InvalidParamsError('webhookUrl', 'is not public');
            return {};
          },
        },
      },
    }),
  );
  before(() => {
    apiKey = gateway.newKey().secret;
  });
  beforeEach(() => {
    stored = queued;
    refusal = undefined;
    created = undefined;
  });
  const post = (json: unknown) => gateway.call('/api/v1/splits', { method: 'POST', apiKey, json });
  const get = async <T = Job>() => {
    const response = await gateway.call('/api/v1/splits/job_1', { apiKey });
    assert.equal(response.status, 200);
    return readJson<T>(response);
  };

  const minimal = { sourceUrl: 'https://example.com/a.mp3', splitMode: 'duration', segmentDuration: 30 };
  const full = {
    sourceUrl: 'http://example.com/a.mp3?x=1',
    splitMode: 'fileSize',
    maxFileSize: 2_147_483_648,
    outputFormat: 'flac',
    webhookUrl: 'https://example.com/hook',
    metadata: { nested: { list: [1, 'two', null] }, 'odd key': '' },
  };

  // Covers D-2.35
  test('400 and no job for a webhookUrl that may not be reached', async () => {
    const response = await post({ ...minimal, webhookUrl: 'https://10.0.0.1/hook' });
    await expectError(response, 'INVALID_PARAMS', { field: 'webhookUrl' });
    assert.equal(created, undefined);
  });

  // Covers I-4.3.8 D-2.28 I-2.2.2 C-1.1
  test('201: fields that were not given are omitted', async () => {
    const response = await post(minimal);
    assert.equal(response.status, 201);
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.deepEqual(await response.json(), {
      id: 'job_1',
      status: 'queued',
      phase: 'waiting',
      sourceUrl: 'https://example.com/a.mp3',
      splitMode: 'duration',
      segmentDuration: 30,
      createdAt: CREATED_AT.toISOString(),
    });
  });

  // Covers I-4.3.5 I-4.3.6 I-4.3.7 I-4.3.8 I-2.2.6 I-2.2.7 I-2.2.8 I-2.2.9 D-2.34
  test('201: given fields are returned and passed to the service', async () => {
    const response = await post(full);
    assert.equal(response.status, 201);
    assert.deepEqual(await response.json(), {
      id: 'job_1',
      status: 'queued',
      phase: 'waiting',
      ...full,
      sourceUrl: 'http://example.com/a.mp3?x=***',
      createdAt: CREATED_AT.toISOString(),
    });
    assert.equal(created?.request?.sourceUrl, full.sourceUrl);
    assert.equal(created?.request?.maxFileSizeBytes, 2_147_483_648n);
    assert.equal(created?.request?.outputFormat, OutputFormat.FLAC);
    assert.equal(created?.metadataJson, JSON.stringify(full.metadata));
  });

  const url = (length: number) => `https://example.com/${'a'.repeat(length - 20)}`;
  for (const [what, body] of Object.entries({
    'the shortest segment': { ...minimal, segmentDuration: 1 },
    'the longest segment': { ...minimal, segmentDuration: 86_400 },
    'the smallest ceiling': { ...full, maxFileSize: 65_536 },
    'the longest address': { ...minimal, sourceUrl: url(2_048) },
    '50 keys of metadata': {
      ...minimal,
      metadata: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [i, i])),
    },
    '8 KiB of metadata': { ...minimal, metadata: { a: 'x'.repeat(8_192 - 8) } },
    'no metadata at all': { ...minimal, metadata: {} },
  })) {
    // Covers D-2.31 D-2.32 D-2.33 D-2.36 D-2.37 C-2.1 C-3.2
    test(`201: ${what}`, async () => assert.equal((await post(body)).status, 201));
  }

  const { segmentDuration: _duration, ...withoutDuration } = minimal;
  const { sourceUrl: _url, ...withoutUrl } = minimal;
  const { splitMode: _mode, ...withoutMode } = minimal;
  for (const [what, field, body] of [
    ['no sourceUrl', 'sourceUrl', withoutUrl],
    ['sourceUrl not text', 'sourceUrl', { ...minimal, sourceUrl: 7 }],
    ['sourceUrl not a URL', 'sourceUrl', { ...minimal, sourceUrl: 'a.mp3' }],
    ['sourceUrl of another scheme', 'sourceUrl', { ...minimal, sourceUrl: 'ftp://example.com/a.mp3' }],
    ['sourceUrl a local file', 'sourceUrl', { ...minimal, sourceUrl: 'file:///etc/passwd' }],
    ['sourceUrl with credentials', 'sourceUrl', { ...minimal, sourceUrl: 'https://u:p@example.com/a.mp3' }],
    ['sourceUrl too long', 'sourceUrl', { ...minimal, sourceUrl: url(2_049) }],
    ['no splitMode', 'splitMode', withoutMode],
    ['unknown splitMode', 'splitMode', { ...minimal, splitMode: 'half' }],
    ['no segmentDuration', 'segmentDuration', withoutDuration],
    ['segmentDuration null', 'segmentDuration', { ...minimal, segmentDuration: null }],
    ['segmentDuration 0', 'segmentDuration', { ...minimal, segmentDuration: 0 }],
    ['segmentDuration too long', 'segmentDuration', { ...minimal, segmentDuration: 86_401 }],
    ['segmentDuration a fraction', 'segmentDuration', { ...minimal, segmentDuration: 1.5 }],
    ['segmentDuration as text', 'segmentDuration', { ...minimal, segmentDuration: '30' }],
    ["the other mode's field", 'segmentDuration', { ...full, segmentDuration: 30 }],
    ['a cap too small', 'maxFileSize', { ...minimal, maxFileSize: 65_535 }],
    ['no maxFileSize', 'maxFileSize', { ...withoutDuration, splitMode: 'fileSize' }],
    ['maxFileSize too small', 'maxFileSize', { ...full, maxFileSize: 65_535 }],
    ['maxFileSize too large', 'maxFileSize', { ...full, maxFileSize: 2_147_483_649 }],
    ['unknown outputFormat', 'outputFormat', { ...minimal, outputFormat: 'opus' }],
    ['outputFormat null', 'outputFormat', { ...minimal, outputFormat: null }],
    ['webhookUrl not a URL', 'webhookUrl', { ...minimal, webhookUrl: 'nowhere' }],
    ['metadata a list', 'metadata', { ...minimal, metadata: [] }],
    ['metadata text', 'metadata', { ...minimal, metadata: 'text' }],
    [
      'metadata with 51 keys',
      'metadata',
      { ...minimal, metadata: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [i, i])) },
    ],
    ['metadata over 8 KiB', 'metadata', { ...minimal, metadata: { a: 'x'.repeat(8_192 - 7) } }],
    ['an unknown field', 'priority', { ...minimal, priority: 'high' }],
    ['a list for a body', 'body', []],
  ] as const) {
    // Covers I-4.3.1 I-4.3.2 I-4.3.3 I-4.3.4 I-4.3.9 I-7.3 D-2.31 D-2.32 D-2.33 D-2.34 D-2.36 D-2.37 D-2.38
    // Covers C-1.10 C-2.1 C-2.4
    test(`400 INVALID_PARAMS: ${what}`, async () => {
      await expectError(await post(body), 'INVALID_PARAMS', { field });
      assert.equal(created, undefined);
    });
  }

  // Covers I-4.3.9 D-7.9
  test('400 INVALID_PARAMS: an empty body names every required field', async () => {
    const response = await gateway.call('/api/v1/splits', { method: 'POST', apiKey });
    const { details } = await expectError(response, 'INVALID_PARAMS');
    assert.deepEqual(details.map(({ field }) => field).sort(), ['sourceUrl', 'splitMode']);
  });

  for (const [reason, code] of [
    [Reason.QUOTA_EXCEEDED, 'QUOTA_EXCEEDED'],
    [Reason.SPEND_LIMIT_REACHED, 'SPEND_LIMIT_REACHED'],
    [Reason.FILE_TOO_LARGE, 'FILE_TOO_LARGE'],
    [Reason.QUEUE_FULL, 'QUEUE_FULL'],
  ] as const) {
    test(`${code} at creation`, async () => {
      refusal = reason;
      await expectError(await post(minimal), code);
    });
  }

  // Covers D-2.5
  test('200: a queued job keeps the shape of its creation', async () => {
    assert.deepEqual(await get(), await (await post(minimal)).json());
  });

  // Covers I-4.5.2 I-3.1.6 I-2.2.3
  test('200: a processing job', async () => {
    stored = {
      ...queued,
      status: JobStatus.PROCESSING,
      progressPercent: 42,
      metadataJson: '{}',
      webhookUrl: 'https://a.b',
    };
    assert.deepEqual(await get(), {
      id: 'job_1',
      status: 'processing',
      progress: 42,
      phase: 'cutting',
      sourceUrl: 'https://example.com/a.mp3',
      splitMode: 'duration',
      segmentDuration: 30,
      createdAt: CREATED_AT.toISOString(),
    });
  });

  test('200: the phase of the job: waiting, fetching, cutting, storing', async () => {
    const fetching = create(FetchProgressSchema, { fetchedBytes: 5n, totalBytes: 9n });
    const phaseOf = async (change: {
      readonly fetching?: typeof fetching;
      readonly progressPercent?: number;
    }) => {
      stored = { ...queued, status: JobStatus.PROCESSING, ...change };
      const { phase } = await get<ProcessingJob>();
      return phase;
    };
    assert.equal(await phaseOf({ fetching }), 'fetching');
    assert.deepEqual((await get<ProcessingJob>()).fetching, { fetchedBytes: 5, totalBytes: 9 });
    assert.equal(await phaseOf({ fetching, progressPercent: 1 }), 'cutting');
    assert.equal(await phaseOf({}), 'cutting');
    assert.equal(await phaseOf({ progressPercent: 99 }), 'storing');
    stored = queued;
    assert.equal((await get<QueuedJob>()).phase, 'waiting');
  });

  // Covers I-4.5.1 I-3.1.7 I-2.2.10 I-2.2.11 I-2.2.12 I-2.2.13 I-2.3.3 I-2.3.5 I-2.0.2 I-2.0.3 D-2.39
  // Covers D-2.53 D-2.54 C-1.1 C-10.4
  test('200: a completed job, its lengths rounded, its links signed for 24 hours', async () => {
    stored = completed;
    const { segments, ...job } = await get<CompletedJob>();
    assert.deepEqual(job, {
      id: 'job_1',
      status: 'completed',
      sourceUrl: '***',
      splitMode: 'fileSize',
      maxFileSize: 2_147_483_648,
      outputFormat: 'ogg',
      sourceFileName: 'talk.mp3',
      sourceDuration: 61,
      sourceSize: 5_000_000_000,
      metadata: { episode: 7, tags: ['a', null] },
      createdAt: CREATED_AT.toISOString(),
      completedAt: COMPLETED_AT.toISOString(),
    });
    const links = segments.map(({ downloadUrl = '', expiresAt = '', ...rest }) => {
      assert.ok(downloadUrl.startsWith(`${gateway.url}/downloads/jobs/job_1/1/`), downloadUrl);
      const lifeMs = new Date(expiresAt).getTime() - gateway.clock().getTime();
      assert.ok(lifeMs > 86_399_000 && lifeMs <= 86_400_000, expiresAt);
      return rest;
    });
    assert.deepEqual(links, [
      { index: 0, startTime: 0, endTime: 60.499, duration: 60, fileName: 'talk-0.ogg', size: 900 },
      { index: 1, startTime: 60.499, endTime: 60.5, duration: 1, fileName: 'talk-1.ogg', size: 7 },
    ]);
  });

  // Covers D-2.39
  test('200: links are signed afresh on every read', async () => {
    stored = completed;
    const first = await get<CompletedJob>();
    gateway.advance(2_000);
    const second = await get<CompletedJob>();
    assert.notEqual(first.segments[0]?.downloadUrl, second.segments[0]?.downloadUrl);
  });

  // Covers D-2.43
  test('200: a completed job whose segments are deleted', async () => {
    stored = { ...completed, segmentsExpiredAt: timestampFromDate(new Date('2026-03-08T12:01:00Z')) };
    const job = await get<CompletedJob>();
    assert.deepEqual(job.segments, []);
    assert.equal(job.segmentsExpiredAt, '2026-03-08T12:01:00.000Z');
  });

  // Covers D-2.4 D-9.30
  test('200: a failed job shows its reason', async () => {
    stored = failed;
    const job = await get();
    assert.deepEqual(job, {
      id: 'job_1',
      status: 'failed',
      sourceUrl: 'https://example.com/a.mp3',
      splitMode: 'duration',
      segmentDuration: 30,
      error: { code: 'SOURCE_TIMEOUT', message: 'Too slow.' },
      createdAt: CREATED_AT.toISOString(),
      completedAt: null,
      failedAt: FAILED_AT.toISOString(),
    });
    stored = { ...stored, error: { code: 'FROM_A_NEWER_WORKER', message: 'New.' } };
    assert.equal((await get<FailedJob>()).error.code, 'INTERNAL_ERROR');
  });

  // Covers I-4.6.1
  test('204: delete returns no content', async () => {
    const response = await gateway.call('/api/v1/splits/job_1', { method: 'DELETE', apiKey });
    assert.equal(response.status, 204);
    assert.equal(await response.text(), '');
  });

  // Covers I-4.6.3 I-7.8
  test('409 JOB_ALREADY_PROCESSING on delete', async () => {
    refusal = Reason.JOB_ALREADY_PROCESSING;
    await expectError(
      await gateway.call('/api/v1/splits/job_1', { method: 'DELETE', apiKey }),
      'JOB_ALREADY_PROCESSING',
    );
  });

  // Covers D-2.14
  test('200: a canceled job is failed', async () => {
    stored = { ...queued, status: JobStatus.FAILED, error: { code: 'CANCELED', message: 'Stopped.' } };
    const response = await gateway.call('/api/v1/splits/job_1/cancel', { method: 'POST', apiKey });
    assert.equal(response.status, 200);
    assert.equal((await readJson<FailedJob>(response)).error.code, 'CANCELED');
  });

  // Covers D-2.15
  test('409 JOB_ALREADY_FINISHED on cancel', async () => {
    refusal = Reason.JOB_ALREADY_FINISHED;
    await expectError(
      await gateway.call('/api/v1/splits/job_1/cancel', { method: 'POST', apiKey }),
      'JOB_ALREADY_FINISHED',
    );
  });

  for (const [method, path] of [
    ['GET', ''],
    ['DELETE', ''],
    ['POST', '/cancel'],
  ] as const) {
    // Covers I-4.5.3 I-4.6.2 I-7.7
    test(`404 JOB_NOT_FOUND: ${method} /splits/:jobId${path}, also for an id that no job can have`, async () => {
      refusal = Reason.JOB_NOT_FOUND;
      await expectError(
        await gateway.call(`/api/v1/splits/job_2${path}`, { method, apiKey }),
        'JOB_NOT_FOUND',
      );
      refusal = Reason.INTERNAL_ERROR;
      for (const id of ['a%2Fb', 'x'.repeat(65), '%F0%9F%8E%B5']) {
        await expectError(
          await gateway.call(`/api/v1/splits/${id}${path}`, { method, apiKey }),
          'JOB_NOT_FOUND',
        );
      }
    });
  }

  test('500 INTERNAL_ERROR when a service violates the contract', async () => {
    stored = create(JobSchema, { id: 'job_1' });
    await expectError(await gateway.call('/api/v1/splits/job_1', { apiKey }), 'INTERNAL_ERROR');
  });
});
