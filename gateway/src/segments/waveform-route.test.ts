import assert from 'node:assert/strict';
import { before, beforeEach, describe, test } from 'node:test';
import { ServiceError } from '@audiosplit/chassis/errors';
import { requireAccount } from '@audiosplit/chassis/identity/authorization';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { fromCutFields } from '@audiosplit/proto/cut';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { JobStatus, WaveformState } from '@audiosplit/proto/jobs/v1/jobs';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { completed, failed, type JobInit, queued } from '../routes/split-jobs.fixture.ts';
import type { Waveform } from '../schemas/waveform.ts';
import { expectError } from '../testing/expect-error.ts';
import { readJson } from '../testing/read-json.ts';
import { ACCOUNT_ID, startTestGateway } from '../testing/test-gateway.ts';

const PATH = '/api/v1/splits/job_1/waveform';

/** Pixel n has the values -n and n. */
function drawn(length: number): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(24);
  for (const [at, field] of [2, 1, 44_100, 7_938, length, 1].entries()) header.writeInt32LE(field, 4 * at);
  const values = Buffer.alloc(2 * length);
  for (let pixel = 0; pixel < length; pixel += 1) {
    values.writeInt8(-pixel, 2 * pixel);
    values.writeInt8(pixel, 2 * pixel + 1);
  }
  return Buffer.concat([header, values]);
}

describe('GET /splits/:jobId/waveform', () => {
  let apiKey: string;
  let job: JobInit | undefined;
  let answer: { state: WaveformState; waveform?: Uint8Array<ArrayBuffer> };
  const gateway = forSuite(() =>
    startTestGateway({
      services: {
        jobs: {
          getJob(_request, context) {
            assert.equal(requireAccount(context).accountId, ACCOUNT_ID);
            if (job === undefined) throw new ServiceError(Reason.JOB_NOT_FOUND, 'No such job.');
            return { job };
          },
          getWaveform(_request, context) {
            assert.equal(requireAccount(context).accountId, ACCOUNT_ID);
            return answer;
          },
        },
      },
    }),
  );
  before(() => {
    apiKey = gateway.newKey(['splits:read']).secret;
  });
  beforeEach(() => {
    job = completed;
    answer = { state: WaveformState.READY, waveform: drawn(100) };
  });

  const get = (query = '', isContrived = false) => gateway.call(PATH + query, { apiKey, isContrived });

  test('200: the JSON of audiowaveform, version 2', async () => {
    const waveform = await readJson<Waveform>(await get());
    const { data, ...described } = waveform;
    assert.deepEqual(described, {
      version: 2,
      channels: 1,
      sample_rate: 44_100,
      samples_per_pixel: 7_938,
      bits: 8,
      length: 100,
    });
    assert.deepEqual(data.slice(0, 6), [0, 0, -1, 1, -2, 2]);
    assert.equal(data.length, 200);
  });

  test('200: `points` is the maximum number, each with the extremes of its range', async () => {
    const { length, samples_per_pixel, data } = await readJson<Waveform>(await get('?points=30'));
    assert.deepEqual([length, samples_per_pixel], [25, 4 * 7_938]);
    assert.deepEqual(data.slice(0, 4), [-3, 3, -7, 7]);
    assert.equal((await readJson<Waveform>(await get('?points=1'))).length, 1);
  });

  test('400: `points` is 1 to 20,000', async () => {
    for (const wrong of ['0', '20001', '1.5', 'many', '']) {
      await expectError(await get(`?points=${wrong}`), 'INVALID_PARAMS');
    }
  });

  test('202 with Retry-After while it is drawn', async () => {
    answer = { state: WaveformState.PENDING };
    const response = await get();
    assert.equal(response.status, 202);
    assert.equal(response.headers.get('retry-after'), '2');
    assert.deepEqual(await response.json(), { status: 'processing' });
  });

  test('200: for a dry run too, if its waveform can be drawn', async () => {
    job = { ...completed, request: { cut: fromCutFields({ splitMode: 'silence', dryRun: true }) } };
    assert.equal((await readJson<Waveform>(await get())).length, 100);
  });

  test('404: for a job without a waveform, and for no job', async () => {
    answer = { state: WaveformState.IMPOSSIBLE };
    await expectError(await get(), 'NOT_FOUND');
    job = undefined;
    await expectError(await get(), 'JOB_NOT_FOUND');
  });

  test('409 for a job that has not completed, 410 for one whose segments are deleted', async () => {
    for (const state of [queued, failed, { ...queued, status: JobStatus.PROCESSING }]) {
      job = state;
      await expectError(await get(), 'JOB_NOT_COMPLETED');
    }
    job = { ...completed, segments: [], segmentsExpiredAt: timestampFromDate(new Date()) };
    await expectError(await get(), 'SEGMENTS_EXPIRED');
  });

  test('a key requires splits:read', async () => {
    const writer = gateway.newKey(['splits:write']).secret;
    await expectError(await gateway.call(PATH, { apiKey: writer }), 'INSUFFICIENT_SCOPE');
  });
});
