import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { get } from 'node:http';
import { Readable } from 'node:stream';
import { before, beforeEach, describe, test } from 'node:test';
import { ServiceError } from '@audiosplit/chassis/errors';
import { requireAccount } from '@audiosplit/chassis/identity/authorization';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import { type CutFields, fromCutFields } from '@audiosplit/proto/cut';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { JobStatus, OutputFormat } from '@audiosplit/proto/jobs/v1/jobs';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { completed, type JobInit, queued } from '../routes/split-jobs.fixture.ts';
import type { CompletedJob } from '../schemas/splits.ts';
import { expectError } from '../testing/expect-error.ts';
import { readJson } from '../testing/read-json.ts';
import { ACCOUNT_ID, startTestGateway } from '../testing/test-gateway.ts';
import { readZip } from './read-zip.fixture.ts';

const PATH = '/api/v1/splits/job_1/archive';

describe('GET /splits/:jobId/archive', () => {
  let apiKey: string;
  let stored: JobInit | undefined;
  const files = [randomBytes(200_000), randomBytes(7)];
  const job: JobInit = {
    ...completed,
    sourceFileName: 'Zwölf talks.tar.mp3',
    segments: files.map((bytes, index) => ({
      index,
      objectKey: `jobs/job_1/1/${index}.ogg`,
      fileName: `Zwölf talks.tar-${index}.ogg`,
      startMs: 0n,
      durationMs: 1n,
      sizeBytes: BigInt(bytes.length),
    })),
  };
  const gateway = forSuite(() =>
    startTestGateway({
      services: {
        jobs: {
          getJob(_request, context) {
            assert.equal(requireAccount(context).accountId, ACCOUNT_ID);
            if (stored === undefined) throw new ServiceError(Reason.JOB_NOT_FOUND, 'No such job.');
            return { job: stored };
          },
        },
      },
    }),
  );
  before(async () => {
    apiKey = gateway.newKey(['splits:read']).secret;
    for (const [index, bytes] of files.entries()) {
      await gateway.store.put(`jobs/job_1/1/${index}.ogg`, Readable.from([bytes]), {
        contentType: 'audio/ogg',
      });
    }
  });
  beforeEach(() => {
    stored = job;
  });

  // Covers D-2.51
  test('200: every segment under its own name, with the length known in advance', async () => {
    const response = await gateway.call(PATH, { apiKey });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'application/zip');
    assert.equal(
      response.headers.get('content-disposition'),
      `attachment; filename="Zw?lf talks.tar.zip"; filename*=UTF-8''Zw%C3%B6lf%20talks.tar.zip`,
    );
    assert.equal(response.headers.get('x-ratelimit-limit'), '100000');
    const zip = Buffer.from(await response.arrayBuffer());
    assert.equal(response.headers.get('content-length'), String(zip.length));
    const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
    assert.deepEqual(
      (await readZip(zip)).map(({ name, bytes }) => [name, digest(bytes)]),
      files.map((bytes, index) => [`Zwölf talks.tar-${index}.ogg`, digest(bytes)]),
    );
  });

  const beyondPlain = (cut: CutFields, durationMs = 1_000n): JobInit => ({
    ...job,
    request: { cut: fromCutFields(cut), outputFormat: OutputFormat.OGG },
    segments: (job.segments ?? []).map((segment, index) => ({
      ...segment,
      startMs: BigInt(index * 1_000),
      durationMs,
      endKind: index === 0 ? 'silence' : 'end',
      title: `Part ${index}`,
    })),
  });

  // Covers C-10.5 C-10.6
  test('200: a job beyond the plain modes includes its manifest and a cue sheet', async () => {
    stored = beyondPlain({ splitMode: 'silence', silence: { minSilence: 0.5 } });
    const response = await gateway.call(PATH, { apiKey });
    const zip = Buffer.from(await response.arrayBuffer());
    assert.equal(response.headers.get('content-length'), String(zip.length));
    const entries = await readZip(zip);
    const names = ['Zwölf talks.tar-0.ogg', 'Zwölf talks.tar-1.ogg', 'manifest.json', 'Zwölf talks.tar.cue'];
    assert.deepEqual(
      entries.map(({ name }) => name),
      names,
    );
    const manifest = JSON.parse(entries[2]?.bytes.toString() ?? '');
    const { segments, ...read } = await readJson<CompletedJob>(
      await gateway.call('/api/v1/splits/job_1', { apiKey }),
    );
    assert.deepEqual(manifest, {
      ...read,
      segments: segments.map(({ downloadUrl: _, expiresAt: __, ...segment }) => segment),
    });
    assert.deepEqual([manifest.silence, manifest.segments.at(-1)?.cut], [{ minSilence: 0.5 }, 'end']);
    assert.match(
      entries[3]?.bytes.toString() ?? '',
      /FILE "Zwölf talks\.tar-1\.ogg" WAVE\r\n {2}TRACK 02 AUDIO/,
    );
    assert.equal(
      (await gateway.call(PATH, { apiKey, method: 'HEAD' })).headers.get('content-length'),
      String(zip.length),
    );
  });

  // Covers C-10.6
  test('200: no cue sheet for segments that overlap', async () => {
    stored = beyondPlain({ splitMode: 'duration', segmentDuration: 1, overlap: 0.1 }, 1_100n);
    const zip = Buffer.from(await (await gateway.call(PATH, { apiKey })).arrayBuffer());
    assert.deepEqual((await readZip(zip)).map(({ name }) => name).slice(2), ['manifest.json']);
  });

  // Covers C-9.4
  test('404: a dry run has no archive, whether or not it has completed', async () => {
    for (const status of [JobStatus.COMPLETED, JobStatus.PROCESSING]) {
      stored = { ...beyondPlain({ splitMode: 'silence', dryRun: true }), status };
      await expectError(await gateway.call(PATH, { apiKey }), 'NOT_FOUND');
    }
    stored = { ...beyondPlain({ splitMode: 'silence', dryRun: false }) };
    assert.equal((await gateway.call(PATH, { apiKey })).status, 200);
  });

  test('HEAD returns the length and reads no object', async () => {
    const whole = await (await gateway.call(PATH, { apiKey })).arrayBuffer();
    stored = {
      ...job,
      segments: job.segments?.map((each) => ({ ...each, objectKey: 'jobs/none/1/0' })) ?? [],
    };
    const response = await gateway.call(PATH, { apiKey, method: 'HEAD' });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-length'), String(whole.byteLength));
  });

  for (const [what, state] of Object.entries({
    queued,
    processing: { ...queued, status: JobStatus.PROCESSING },
    failed: { ...queued, status: JobStatus.FAILED, error: { code: 'CANCELED', message: 'Stopped.' } },
  } satisfies Record<string, JobInit>)) {
    test(`409 JOB_NOT_COMPLETED: a ${what} job`, async () => {
      stored = state;
      await expectError(await gateway.call(PATH, { apiKey }), 'JOB_NOT_COMPLETED');
    });
  }

  // Covers D-2.43
  test('410 SEGMENTS_EXPIRED once the segments have been removed', async () => {
    stored = { ...completed, segments: [], segmentsExpiredAt: timestampFromDate(new Date()) };
    await expectError(await gateway.call(PATH, { apiKey }), 'SEGMENTS_EXPIRED');
  });

  test('404 JOB_NOT_FOUND, 403 without splits:read, 401 without a key', async () => {
    stored = undefined;
    await expectError(await gateway.call(PATH, { apiKey }), 'JOB_NOT_FOUND');
    const { secret } = gateway.newKey(['splits:write']);
    await expectError(await gateway.call(PATH, { apiKey: secret }), 'INSUFFICIENT_SCOPE');
    await expectError(await gateway.call(PATH), 'UNAUTHORIZED');
  });

  test('an object that is gone interrupts the download, which never looks complete', async () => {
    stored = { ...job, segments: [{ ...job.segments?.[0], objectKey: 'jobs/none/1/0' }] };
    const response = gateway.call(PATH, { apiKey });
    await assert.rejects(async () => (await response).arrayBuffer());
  });
});

test('a client that disconnects releases the object', async () => {
  const store = endlessStore();
  await using gateway = await startTestGateway({
    dependencies: { store },
    services: {
      jobs: {
        getJob: () => ({
          job: { ...completed, segments: [{ objectKey: 'a', fileName: 'a.ogg', sizeBytes: 10n ** 12n }] },
        }),
      },
    },
  });
  const request = get(gateway.url + PATH, { headers: { 'x-api-key': gateway.newKey().secret } });
  request.on('response', (response) => response.once('data', () => request.destroy()));
  request.on('error', () => undefined);
  await until(() => store.opened[0]?.destroyed === true, 'the object is let go');
});

function endlessStore() {
  const opened: Readable[] = [];
  const unused = () => Promise.reject(new Error('not used here'));
  return {
    opened,
    putMemoryBytes: () => 0,
    async get(key: string) {
      const body = Readable.from(
        (function* () {
          for (;;) yield Buffer.alloc(65_536);
        })(),
      );
      opened.push(body);
      return { key, sizeBytes: 1e12, contentType: 'audio/ogg', modifiedAt: new Date(0), body };
    },
    put: unused,
    putFile: unused,
    beginMultipart: unused,
    putPart: unused,
    completeMultipart: unused,
    abortMultiparts: unused,
    head: unused,
    async *list() {},
    delete: unused,
    deletePrefix: unused,
    check: async () => undefined,
    async [Symbol.asyncDispose]() {},
  };
}
