import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import {
  JobSortField,
  JobStatus,
  type ListJobsRequest,
  type SearchJobsRequest,
} from '@audiosplit/proto/jobs/v1/jobs';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Pagination } from '../schemas/pagination.ts';
import type { JobRow } from '../schemas/splits.ts';
import { expectError } from '../testing/expect-error.ts';
import { readJson } from '../testing/read-json.ts';
import { startTestGateway } from '../testing/test-gateway.ts';
import { COMPLETED_AT, CREATED_AT, completed, FAILED_AT, failed, queued } from './split-jobs.fixture.ts';

describe('lists of jobs', () => {
  let apiKey: string;
  let listed: ListJobsRequest | undefined;
  let searched: SearchJobsRequest | undefined;
  const gateway = forSuite(() =>
    startTestGateway({
      services: {
        jobs: {
          listJobs(request) {
            listed = request;
            return { jobs: [queued, completed, failed], total: 41n };
          },
          searchJobs(request) {
            searched = request;
            return {
              jobs: [completed],
              nextPageToken: request.pageToken === '' ? 'more' : '',
              ...(request.pageToken === '' ? { lookedBackTo: timestampFromDate(CREATED_AT) } : {}),
            };
          },
        },
      },
    }),
  );
  before(() => {
    apiKey = gateway.newKey().secret;
  });

  // Covers I-4.4.1 I-4.4.2 I-4.4.6 I-2.2.14 I-2.2.16 I-2.10.1 I-8.16
  test('200: rows show only the fields of a list', async () => {
    const response = await gateway.call('/api/v1/splits', { apiKey });
    assert.equal(response.status, 200);
    const { data, pagination } = await readJson<{ data: JobRow[]; pagination: Pagination }>(response);
    assert.deepEqual(pagination, { page: 1, limit: 20, total: 41, totalPages: 3 });
    const requestFields = {
      id: 'job_1',
      splitMode: 'duration',
      segmentDuration: 30,
      createdAt: CREATED_AT.toISOString(),
    };
    assert.deepEqual(data, [
      { ...requestFields, status: 'queued', segmentCount: null, completedAt: null },
      {
        id: 'job_1',
        status: 'completed',
        splitMode: 'fileSize',
        maxFileSize: 2_147_483_648,
        outputFormat: 'ogg',
        sourceFileName: 'talk.mp3',
        segmentCount: 2,
        createdAt: CREATED_AT.toISOString(),
        completedAt: COMPLETED_AT.toISOString(),
      },
      {
        ...requestFields,
        status: 'failed',
        segmentCount: null,
        completedAt: null,
        failedAt: FAILED_AT.toISOString(),
        error: { code: 'SOURCE_TIMEOUT', message: 'Too slow.' },
      },
    ]);
  });

  // Covers I-4.4.3 I-4.4.4 I-4.4.5
  test('200: paging, filter and order are passed to the service', async () => {
    const query = 'page=3&limit=100&status=failed&sortBy=completedAt&sortOrder=asc';
    assert.equal((await gateway.call(`/api/v1/splits?${query}`, { apiKey })).status, 200);
    assert.ok(listed !== undefined);
    const { page, limit, status, sortBy, ascending } = listed;
    assert.deepEqual(
      { page, limit, status, sortBy, ascending },
      { page: 3, limit: 100, status: JobStatus.FAILED, sortBy: JobSortField.COMPLETED_AT, ascending: true },
    );
  });

  for (const [query, field] of [
    ['page=0', 'page'],
    ['page=-1', 'page'],
    ['page=1.5', 'page'],
    ['page=', 'page'],
    ['page=1e3', 'page'],
    ['page=99999999999', 'page'],
    ['page=1&page=2', 'page'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=ten', 'limit'],
    ['status=done', 'status'],
    ['sortBy=size', 'sortBy'],
    ['sortOrder=up', 'sortOrder'],
    ['offset=5', 'offset'],
  ] as const) {
    // Covers I-4.4.2 I-8.16 D-7.2 D-9.9
    test(`400 INVALID_PARAMS: ?${query}`, async () => {
      await expectError(await gateway.call(`/api/v1/splits?${query}`, { apiKey }), 'INVALID_PARAMS', {
        field,
      });
    });
  }

  test('200: a search returns rows of the list, and where to continue', async () => {
    const query = 'text=talk%20%C3%BCber&status=failed&canceled=false&limit=2';
    const response = await gateway.call(`/api/v1/splits/search?${query}`, { apiKey });
    assert.equal(response.status, 200);
    const { data, ...end } = await readJson<{ data: JobRow[] }>(response);
    assert.equal(data[0]?.sourceFileName, 'talk.mp3');
    assert.deepEqual(end, { nextPageToken: 'more', lookedBackTo: CREATED_AT.toISOString() });
    assert.ok(searched !== undefined);
    const { text, status, canceled, limit, pageToken } = searched;
    assert.deepEqual(
      { text, status, canceled, limit, pageToken },
      { text: 'talk über', status: JobStatus.FAILED, canceled: false, limit: 2, pageToken: '' },
    );
    const last = await gateway.call('/api/v1/splits/search?text=talk&pageToken=more', { apiKey });
    assert.deepEqual(Object.keys(await readJson<object>(last)), ['data']);
    assert.equal(searched.limit, 20);
  });

  for (const [query, field] of [
    ['', 'text'],
    ['text=', 'text'],
    [`text=${'a'.repeat(201)}`, 'text'],
    ['text=a%00b', 'text'],
    ['text=a%ED%A0%80', 'text'],
    ['text=a&canceled=perhaps', 'canceled'],
    ['text=a&page=2', 'page'],
    ['text=a&limit=101', 'limit'],
  ] as const) {
    test(`400 INVALID_PARAMS: a search with ?${query.slice(0, 30)}`, async () => {
      const response = await gateway.call(`/api/v1/splits/search?${query}`, { apiKey });
      await expectError(response, 'INVALID_PARAMS', { field });
    });
  }
});
