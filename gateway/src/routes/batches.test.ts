import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { before, describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { type CreateBatchRequest, JobStatus, type ListJobsRequest } from '@audiosplit/proto/jobs/v1/jobs';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { readZip } from '../archive/read-zip.fixture.ts';
import type { CreatedBatch } from '../schemas/batches.ts';
import { expectError } from '../testing/expect-error.ts';
import { readJson } from '../testing/read-json.ts';
import { startTestGateway } from '../testing/test-gateway.ts';
import { completed, failed, type JobInit } from './split-jobs.fixture.ts';

const AT = new Date('2027-03-14T09:30:00.000Z');
const settings = { splitMode: 'parts', parts: 2, outputFormat: 'mp3' };

describe('batches', () => {
  let apiKey: string;
  let created: CreateBatchRequest | undefined;
  let listed: ListJobsRequest | undefined;
  let counts = { queued: 0, processing: 0, completed: 2, failed: 1, canceled: 0 };
  let pages: JobInit[][] = [];
  const batch = () => ({ id: 'bat_1', createdAt: timestampFromDate(AT), ...counts });
  const gateway = forSuite(() =>
    startTestGateway({
      services: {
        jobs: {
          createBatch(request) {
            created = request;
            const jobIds = request.sources.map((_, n) => `job_${n}`);
            return {
              batch: { ...batch(), ...NONE, queued: jobIds.length },
              jobIds,
            };
          },
          getBatch: () => ({ batch: batch() }),
          cancelBatch: () => ({ batch: batch() }),
          retryBatch: () => ({ batch: batch() }),
          listJobs(request) {
            listed = request;
            return { jobs: [{ ...completed, batchId: 'bat_1' }], total: 1n };
          },
          walkJobs({ pageToken, batchId }) {
            assert.equal(batchId, 'bat_1');
            const n = Number(pageToken);
            return { jobs: pages[n] ?? [], nextPageToken: n + 1 < pages.length ? String(n + 1) : '' };
          },
        },
      },
    }),
  );
  before(() => {
    apiKey = gateway.newKey().secret;
  });

  const NONE = { queued: 0, processing: 0, completed: 0, failed: 0, canceled: 0 };
  const create = (json: object) => gateway.call('/api/v1/batches', { method: 'POST', apiKey, json });

  test('201: of 1,000 links the 997 valid ones become jobs, and 3 show their error', async () => {
    const sources = Array.from({ length: 1_000 }, (_, n) => `https://example.com/${n}.mp3`);
    sources[1] = 'no link';
    sources[500] = 'ftp://example.com/500.mp3';
    sources[999] = 'https://user:word@example.com/999.mp3';
    const response = await create({ sources, settings, metadata: { n: 1 } });
    assert.equal(response.status, 201);
    const { jobs, refused, ...batch } = await readJson<CreatedBatch>(response);
    const createdAt = AT.toISOString();
    assert.deepEqual(batch, { id: 'bat_1', createdAt, total: 997, ...NONE, queued: 997 });
    assert.deepEqual(refused, [
      { index: 1, message: 'must be a URL that begins with http:// or https://' },
      { index: 500, message: 'must be a URL that begins with http:// or https://' },
      { index: 999, message: 'must not hold a user name or password' },
    ]);
    assert.deepEqual(jobs.slice(0, 2), [
      { index: 0, jobId: 'job_0' },
      { index: 2, jobId: 'job_1' },
    ]);
    assert.equal(created?.sources[1]?.sourceUrl, 'https://example.com/2.mp3');
    assert.deepEqual(created.request?.cut?.mode, { case: 'parts', value: created.request?.cut?.mode.value });
    assert.equal(created.metadataJson, '{"n":1}');
  });

  const source = 'https://example.com/a.mp3';
  for (const [what, body, field] of [
    ['no source', { sources: [], settings }, 'sources'],
    ['1,001 sources', { sources: Array(1_001).fill(source), settings }, 'sources'],
    ['no valid source', { sources: ['a', 'b'], settings }, 'sources[0]'],
    ['no settings', { sources: [source] }, 'settings'],
    ['a missing field', { sources: [source], settings: { splitMode: 'parts' } }, 'settings.parts'],
    [
      'settings of more than 16 KiB',
      {
        sources: [source],
        settings: { splitMode: 'ranges', ranges: Array(50).fill({ start: 1, title: 'a'.repeat(400) }) },
      },
      'settings',
    ],
    [
      'a webhook that is not an http URL',
      { sources: [source], settings, webhookUrl: 'ftp://a' },
      'webhookUrl',
    ],
  ] as const) {
    test(`400 INVALID_PARAMS: ${what}`, async () => {
      await expectError(await create(body), 'INVALID_PARAMS', { field });
    });
  }

  test('a batch counts as many requests as it has sources', async () => {
    const key = gateway.newKey().secret;
    const call = (path: string, json?: object) =>
      gateway.call(`/api/v1/${path}`, {
        apiKey: key,
        ...(json === undefined ? {} : { method: 'POST', json }),
      });
    const remaining = ({ headers }: Response) => Number(headers.get('x-ratelimit-remaining'));
    const first = remaining(await call('splits'));
    const response = await call('batches', { sources: [source, source, source], settings });
    assert.equal(remaining(response), first - 3);
    assert.equal(remaining(await call('splits')), first - 4);
  });

  test('200: counts, cancel and retry', async () => {
    const expected = { id: 'bat_1', createdAt: AT.toISOString(), total: 3, ...counts };
    assert.deepEqual(await readJson(await gateway.call('/api/v1/batches/bat_1', { apiKey })), expected);
    for (const act of ['cancel', 'retry']) {
      const path = `/api/v1/batches/bat_1/${act}`;
      const response = await gateway.call(path, { method: 'POST', apiKey, json: {} });
      assert.deepEqual(await readJson(response), expected);
    }
  });

  test('200: the list of jobs contains those of the batch, and each row has the id of the batch', async () => {
    const response = await gateway.call('/api/v1/splits?batchId=bat_1&sortOrder=asc', { apiKey });
    const { data } = await readJson<{ data: { batchId: string }[] }>(response);
    assert.equal(data[0]?.batchId, 'bat_1');
    assert.deepEqual([listed?.batchId, listed?.ascending], ['bat_1', true]);
  });

  describe('the archive', () => {
    const PATH = '/api/v1/batches/bat_1/archive';
    const jobOf = (id: string, sourceFileName: string, segmentCount = 2): JobInit => ({
      ...completed,
      id,
      sourceFileName,
      segments: Array.from({ length: segmentCount }, (_, index) => ({
        index,
        objectKey: `jobs/${id}/1/${index}.ogg`,
        fileName: `talk-${index}.ogg`,
        durationMs: 1n,
        sizeBytes: 5n,
      })),
    });

    test('has a folder for each completed job named after its source, and a known length', async () => {
      pages = [[jobOf('job_1', 'Talk.mp3'), failed], [jobOf('job_2', 'talk.wav')]];
      for (const id of ['job_1', 'job_2'])
        for (const index of [0, 1])
          await gateway.store.put(`jobs/${id}/1/${index}.ogg`, Readable.from([Buffer.from(`${id}`)]), {
            contentType: 'audio/ogg',
          });
      const head = await gateway.call(PATH, { method: 'HEAD', apiKey });
      const response = await gateway.call(PATH, { apiKey });
      assert.equal(response.headers.get('content-disposition'), 'attachment; filename=bat_1.zip');
      const bytes = Buffer.from(await response.arrayBuffer());
      assert.equal(Number(head.headers.get('content-length')), bytes.length);
      assert.equal(Number(response.headers.get('content-length')), bytes.length);
      const entries = await readZip(bytes);
      assert.deepEqual(
        entries.map(({ name, bytes: content }) => [name, String(content)]),
        [
          ['Talk/talk-0.ogg', 'job_1'],
          ['Talk/talk-1.ogg', 'job_1'],
          ['talk (2)/talk-0.ogg', 'job_2'],
          ['talk (2)/talk-1.ogg', 'job_2'],
        ],
      );
    });

    test('409 JOB_NOT_COMPLETED while a job is queued or running', async () => {
      counts = { ...counts, queued: 3, processing: 2 };
      await expectError(await gateway.call(PATH, { apiKey }), 'JOB_NOT_COMPLETED', { message: /^5 jobs/ });
      counts = { ...counts, queued: 0, processing: 0 };
    });

    test('404 NOT_FOUND if no job has files', async () => {
      pages = [[{ ...failed, status: JobStatus.FAILED }]];
      await expectError(await gateway.call(PATH, { apiKey }), 'NOT_FOUND');
    });

    test('409 ARCHIVE_TOO_LARGE beyond 10,000 segments', async () => {
      const job = jobOf('job_1', 'talk.mp3', 5_001);
      pages = [[job], [job]];
      await expectError(await gateway.call(PATH, { apiKey }), 'ARCHIVE_TOO_LARGE');
    });
  });
});
