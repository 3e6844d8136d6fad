import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { newId } from '@audiosplit/chassis/ids';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { type Audiosplit, createAudiosplit } from '@audiosplit/client';
import { type ServiceDoubles, startTestGateway } from '@audiosplit/gateway/testing/test-gateway';
import { fromCutFields } from '@audiosplit/proto/cut';
import { JobStatus } from '@audiosplit/proto/jobs/v1/jobs';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  answerLost,
  answerOfProxy,
  createFaultyFetch,
  type FaultyFetch,
} from '../../../clients/typescript/src/faulty-fetch.fixture.ts';
import { DAY_MS } from '../../harness/installation/scripted.ts';

describe('files', () => {
  let network: FaultyFetch;
  let client: Audiosplit;
  let status: JobStatus;
  const time = timestampFromDate(new Date('2026-03-01T12:00:00Z'));
  const contents = ['first', 'second', 'third'];
  const segments = contents.map((content, index) => ({
    index,
    objectKey: `jobs/job_1/1/${index}.mp3`,
    fileName: `talk-${index}.mp3`,
    startMs: BigInt(index * 1_000),
    durationMs: 1_000n,
    sizeBytes: BigInt(content.length),
  }));
  const end = { completedAt: time, segmentCount: contents.length, segments };
  const jobs: ServiceDoubles['jobs'] = {
    reserveUpload: () => ({ uploadId: newId('upl'), reservedAt: timestampFromDate(gateway.clock()) }),
    getJob: ({ jobId }) => ({
      job: {
        id: jobId,
        status,
        request: { cut: fromCutFields({ splitMode: 'duration', segmentDuration: 1 }) },
        createdAt: time,
        ...(status === JobStatus.COMPLETED ? end : {}),
      },
    }),
  };
  const gateway = forSuite(() => startTestGateway({ services: { jobs } }));
  beforeEach(() => {
    status = JobStatus.COMPLETED;
    network = createFaultyFetch();
    client = createAudiosplit({
      baseUrl: gateway.url,
      apiKey: gateway.newKey().secret,
      fetch: network.fetch,
      retries: { baseDelayMs: 1 },
    });
  });

  test('an uploaded file can be fetched from the address that the job uses', async () => {
    network.faults.push(answerLost, (ask) => ask(), answerLost);
    const file = new Blob(['the talk']);
    const sourceUrl = await client.uploadSource(file, { fileName: 'talk.mp3' });
    const stored = await client.downloadSegment({ downloadUrl: sourceUrl });
    assert.equal(await stored.text(), 'the talk');
    const sent = network.seen.map(({ method, headers }) => `${method} ${headers.has('x-api-key')}`);
    // A signed link needs no other credential.
    assert.deepEqual(sent, ['POST true', 'POST true', 'PUT false', 'PUT false', 'GET false']);
  });

  test('a stream is sent once', async () => {
    const stream = () => new Blob(['the talk']).stream();
    const sourceUrl = await client.uploadSource(stream());
    assert.equal(await (await client.downloadSegment({ downloadUrl: sourceUrl })).text(), 'the talk');
    network.faults.push((ask) => ask(), answerOfProxy(503));
    await assert.rejects(client.uploadSource(stream()), { status: 503 });
    assert.equal(network.seen.filter(({ method }) => method === 'PUT').length, 2);
  });

  test('a stream that can be read only once is sent once, for any kind of stream', async () => {
    async function* chunks() {
      yield new TextEncoder().encode('the talk');
    }
    network.faults.push((ask) => ask(), answerOfProxy(503));
    await assert.rejects(client.uploadSource(chunks() as unknown as ReadableStream), { status: 503 });
    assert.equal(network.seen.filter(({ method }) => method === 'PUT').length, 1);
  });

  test('with a clock that is ahead, the job is not read again for every segment', async () => {
    gateway.advance(-5 * DAY_MS);
    const seen = await Array.fromAsync(client.segments('job_1'), ({ index }) => index);
    gateway.advance(5 * DAY_MS);
    assert.deepEqual([seen, network.seen.length], [[0, 1, 2], 1]);
  });

  test('segments are in order, with valid links', async ({ mock: { timers } }) => {
    const seen = await Array.fromAsync(client.segments('job_1'), ({ index }) => index);
    assert.deepEqual([seen, network.seen.length], [[0, 1, 2], 1]);

    timers.enable({ apis: ['Date'], now: gateway.clock() });
    for await (const { index, expiresAt = '' } of client.segments('job_1')) {
      assert.ok(Date.parse(expiresAt) > Date.now());
      if (index > 0) continue;
      gateway.advance(2 * DAY_MS);
      timers.setTime(gateway.clock().getTime());
    }
    assert.equal(network.seen.length, 3, 'read at the start, and again when links had ended');
  });

  test('a job that has not completed has no segments to iterate', async () => {
    status = JobStatus.QUEUED;
    await assert.rejects(client.segments('job_1').next(), /job_1 is queued/);
  });

  test('a rejected link gives the reason', async () => {
    const [{ downloadUrl = '' } = {}] = await Array.fromAsync(client.segments('job_1'));
    const altered = downloadUrl.replace('/0.mp3', '/1.mp3');
    await assert.rejects(client.downloadSegment({ downloadUrl: altered }), { code: 'INVALID_SIGNATURE' });
  });
});
