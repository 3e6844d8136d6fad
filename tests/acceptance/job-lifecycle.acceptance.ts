/** A job after its creation: lists, downloads, failure, cancellation, deletion. */
import assert from 'node:assert/strict';
import type { Answer, Query } from '@audiosplit/client';
import {
  assertRefuses,
  awaitStatus,
  clientOf,
  completeJob,
  createJob,
  download,
  type ErrorBody,
  sampleBy,
  uploadFile,
} from './api.ts';
import { uploadNoise } from './audio.ts';
import { onSharedProduct } from './scenario.ts';

const scenario = onSharedProduct();

// Covers I-4.4.2 I-4.4.3 I-4.4.4 I-4.4.5 I-4.4.6 D-9.7 D-9.8
scenario(
  'lists are paged, filtered and sorted in either order',
  { covers: ['GET /api/v1/splits'], timeoutMs: 60_000 },
  async (product) => {
    const list = (query: Query<'listSplits'>) => clientOf(product).listSplits(query);
    const empty = await list({ status: 'processing' });
    assert.deepEqual(empty, { data: [], pagination: { page: 1, limit: 20, total: 0, totalPages: 0 } });

    const ids: string[] = [];
    for (let seconds = 10; seconds < 15; seconds++) {
      ids.push((await createJob(product, sampleBy(product, seconds))).id);
    }
    for (const id of ids) await completeJob(product, id);
    const newestFirst = ids.toReversed();

    const idsIn = ({ data }: Answer<'listSplits'>) => data.map(({ id }) => id);
    const first = await list({ limit: 2 });
    const last = await list({ limit: 2, page: 3 });
    assert.deepEqual(idsIn(first), newestFirst.slice(0, 2));
    assert.deepEqual(idsIn(await list({ limit: 2, page: 2 })), newestFirst.slice(2, 4));
    assert.deepEqual(idsIn(last), newestFirst.slice(4));
    assert.deepEqual(idsIn(await list({ limit: 2, page: 4 })), []);
    assert.deepEqual(last.pagination, { page: 3, limit: 2, total: 5, totalPages: 3 });

    const [row] = first.data;
    assert.ok(row !== undefined);
    assert.deepEqual(Object.keys(row).sort(), [
      ...['completedAt', 'createdAt', 'id', 'outputFormat', 'segmentCount', 'segmentDuration'],
      ...['sourceFileName', 'splitMode', 'status'],
    ]);
    assert.equal(row.segmentCount, 4);

    assert.deepEqual(idsIn(await list({ sortBy: 'createdAt', sortOrder: 'asc' })), ids);
    const byEnd = await list({ status: 'completed', sortBy: 'completedAt', sortOrder: 'asc' });
    const ends = byEnd.data.map(({ completedAt }) => completedAt ?? '');
    assert.deepEqual(ends, ends.toSorted());
    assert.equal((await list({ status: 'failed' })).pagination.total, 0);
    assert.equal((await list({ status: 'completed' })).pagination.total, 5);
  },
);

// Covers D-2.40 I-2.3.2 I-2.3.4
scenario(
  'links work with Range and HEAD, without a credential, but not when altered',
  { covers: ['GET /api/v1/splits/:jobId'] },
  async (product) => {
    const { id } = await createJob(product, sampleBy(product, 30));
    const { segments } = await completeJob(product, id);
    const { downloadUrl = '', size = 0 } = segments[0] ?? {};
    const whole = await download(downloadUrl);
    assert.equal(whole.length, size);

    const head = await fetch(downloadUrl, { method: 'HEAD' });
    assert.equal(head.status, 200);
    assert.equal(Number(head.headers.get('content-length')), size);
    assert.equal(head.headers.get('accept-ranges'), 'bytes');

    for (const [range, from, to] of [
      ['bytes=0-99', 0, 100],
      [`bytes=${size - 10}-`, size - 10, size],
      ['bytes=-7', size - 7, size],
    ] as const) {
      const part = await fetch(downloadUrl, { headers: { range } });
      assert.equal(part.status, 206, range);
      assert.equal(part.headers.get('content-range'), `bytes ${from}-${to - 1}/${size}`);
      assert.deepEqual(Buffer.from(await part.arrayBuffer()), whole.subarray(from, to));
    }
    const beyond = await fetch(downloadUrl, { headers: { range: `bytes=${size}-` } });
    assert.equal(beyond.status, 416);
    assert.equal(beyond.headers.get('content-range'), `bytes */${size}`);
    assert.equal(((await beyond.json()) as ErrorBody).error.code, 'RANGE_NOT_SATISFIABLE');

    const altered = new URL(downloadUrl);
    altered.pathname = altered.pathname.replace(/.$/, 'x');
    const refused = await fetch(altered);
    assert.equal(refused.status, 403);
    assert.equal(((await refused.json()) as ErrorBody).error.code, 'INVALID_SIGNATURE');
  },
);

// Covers I-3.1.3 I-4.6.1 I-4.6.2 I-4.5.3 D-2.12
scenario(
  'a completed job is deleted together with its segments',
  { covers: ['DELETE /api/v1/splits/:jobId', 'GET /api/v1/splits/:jobId'] },
  async (product) => {
    const client = clientOf(product);
    const { id } = await createJob(product, sampleBy(product, 30));
    const { segments } = await completeJob(product, id);
    assert.equal(await client.deleteSplit(id), undefined);
    await assertRefuses(client.getSplit(id), 404, 'JOB_NOT_FOUND');
    await assertRefuses(client.deleteSplit(id), 404, 'JOB_NOT_FOUND');
    assert.equal((await fetch(segments[0]?.downloadUrl ?? '')).status, 404);
  },
);

// Covers I-3.1.4 D-2.4 D-2.8 D-9.30
scenario(
  'a source that is not audio fails with its reason, and the failed job can be deleted',
  { covers: ['GET /api/v1/splits/:jobId', 'DELETE /api/v1/splits/:jobId'] },
  async (product) => {
    const sourceUrl = await uploadFile(product, import.meta.filename);
    const { id } = await createJob(product, { sourceUrl, splitMode: 'duration', segmentDuration: 5 });
    const job = await awaitStatus(product, id, ['completed', 'failed']);
    assert.ok(job.status === 'failed');
    assert.equal(job.error.code, 'UNSUPPORTED_MEDIA');
    assert.ok(job.error.message.length > 0);
    assert.equal(job.completedAt, null);
    await clientOf(product).deleteSplit(id);
  },
);

// Covers I-2.2.3 I-3.1.5 I-3.1.6 I-4.6.3 D-2.14 D-2.15 D-2.52
scenario(
  'a running job shows its progress, cannot be deleted, and can be canceled',
  { covers: ['GET /api/v1/splits/:jobId', 'DELETE /api/v1/splits/:jobId'] },
  async (product) => {
    const client = clientOf(product);
    const sourceUrl = await uploadNoise(product, 900);
    const cut = { splitMode: 'duration', segmentDuration: 60, outputFormat: 'mp3' } as const;
    const { id } = await createJob(product, { sourceUrl, ...cut });
    const job = await awaitStatus(product, id, ['processing', 'completed', 'failed']);
    assert.ok(job.status === 'processing');
    assert.ok(Number.isInteger(job.progress) && job.progress >= 0 && job.progress < 100);
    await assertRefuses(client.deleteSplit(id), 409, 'JOB_ALREADY_PROCESSING');

    assert.equal((await client.cancelSplit(id)).error.code, 'CANCELED');
    await assertRefuses(client.cancelSplit(id), 409, 'JOB_ALREADY_FINISHED');
    await client.deleteSplit(id);
  },
);
