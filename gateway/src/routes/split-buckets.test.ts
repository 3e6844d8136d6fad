import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { type CreateJobRequest, JobStatus } from '@audiosplit/proto/jobs/v1/jobs';
import { expectError } from '../testing/expect-error.ts';
import { readJson } from '../testing/read-json.ts';
import { startTestGateway } from '../testing/test-gateway.ts';
import { completed, type JobInit, queued } from './split-jobs.fixture.ts';

const DESTINATION = { connection: 'archive', prefix: 'segments' };

describe('jobs with buckets', () => {
  let apiKey: string;
  let created: CreateJobRequest | undefined;
  let job: JobInit = completed;
  const gateway = forSuite(() =>
    startTestGateway({
      services: {
        jobs: {
          createJob(request) {
            created = request;
            const { sourceUrl = '', destination } = request.request ?? {};
            return { job: { ...queued, request: { ...queued.request, sourceUrl, destination } } };
          },
          getJob: () => ({ job }),
        },
      },
    }),
  );
  before(() => {
    apiKey = gateway.newKey().secret;
  });

  const post = (fields: object) => {
    const json = {
      sourceUrl: 's3://archive/a b?c.mp3',
      splitMode: 'duration',
      segmentDuration: 30,
      ...fields,
    };
    return gateway.call('/api/v1/splits', { method: 'POST', apiKey, json });
  };

  test('the source in a bucket and the destination are returned as they were given', async () => {
    const response = await post({ destination: DESTINATION, keepCopy: false });
    assert.equal(response.status, 201);
    const body = await readJson<{ sourceUrl: string; destination: object; keepCopy: boolean }>(response);
    assert.equal(body.sourceUrl, 's3://archive/a b?c.mp3');
    assert.deepEqual([body.destination, body.keepCopy], [DESTINATION, false]);
    const { $typeName: _, ...reported } = created?.request?.destination ?? assert.fail();
    assert.deepEqual(reported, { ...DESTINATION, keepCopy: false });
    await post({ destination: { connection: 'archive' } });
    assert.equal(created?.request?.destination?.keepCopy, true);
  });

  for (const [what, fields, field] of [
    ['an address in a bucket without a key', { sourceUrl: 's3://archive/' }, 'sourceUrl'],
    ['headers for a source in a bucket', { sourceHeaders: { a: 'b' } }, 'sourceHeaders'],
    ['no copy without a destination', { keepCopy: false }, 'keepCopy'],
    ['a destination without a connection', { destination: {} }, 'destination.connection'],
    ['another field of the destination', { destination: { ...DESTINATION, acl: 'x' } }, 'destination.acl'],
  ] as const) {
    test(`400 INVALID_PARAMS: ${what}`, async () => {
      await expectError(await post(fields), 'INVALID_PARAMS', { field });
    });
  }

  test('segments show their location; without a copy they have no link, and the job no archive', async () => {
    const segments = completed.segments.map((segment) => ({
      ...segment,
      objectKey: '',
      location: `s3://audio/segments/job_1/${segment.fileName}`,
    }));
    const request = { ...completed.request, destination: { ...DESTINATION, keepCopy: false } };
    job = { ...completed, status: JobStatus.COMPLETED, request, segments };
    const read = await gateway.call('/api/v1/splits/job_1', { apiKey });
    const shown = await readJson<{ segments: { location: string; downloadUrl?: string }[] }>(read);
    assert.deepEqual(
      shown.segments.map(({ location, downloadUrl }) => [location, downloadUrl]),
      segments.map(({ location }) => [location, undefined]),
    );
    await expectError(await gateway.call('/api/v1/splits/job_1/archive', { apiKey }), 'NOT_FOUND');
    job = {
      ...completed,
      segments: segments.map((one, n) => ({ ...completed.segments[n], ...one, objectKey: 'k' })),
    };
    const kept = await readJson<typeof shown>(await gateway.call('/api/v1/splits/job_1', { apiKey }));
    assert.ok(kept.segments.every(({ location, downloadUrl }) => location && downloadUrl));
  });
});
