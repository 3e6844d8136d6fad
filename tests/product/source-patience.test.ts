/** Sources that make a job wait, with the real services over real sockets. */
import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLocalServer } from '@audiosplit/chassis/egress/http-server.fixture';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import { fromCutFields } from '@audiosplit/proto/cut';
import { JobStatus, OutputFormat } from '@audiosplit/proto/jobs/v1/jobs';
import type { SourceLimits } from '@audiosplit/splitter/source/source-limits';
import { UNLIMITED } from '../harness/accounts/limits.ts';
import { startScriptedSplitter } from '../harness/installation/scripted-splitter.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';

const MAX_CONNECTIONS = 2;
const LITTLE_PATIENCE = {
  connectTimeoutMs: 300,
  firstByteTimeoutMs: 300,
  idleTimeoutMs: 300,
  speedWindowMs: 600,
  minBytesPerSecond: 1_000,
  maxFetchMs: 1_500,
  retryDelayMs: 20,
};

describe('a source that keeps its job waiting', () => {
  const installation = forSuite(startPatient);

  // Covers D-9.13 B-3.4
  test('by never responding is requested twice in its single attempt', async () => {
    await using _splitter = await installation.startSplitter(LITTLE_PATIENCE);
    await using server = await startLocalServer(() => {});
    const error = await installation.errorOf(`${server.origin}/a.mp3`);
    assert.equal(error?.code, 'SOURCE_TIMEOUT');
    assert.match(error?.message ?? '', /0\.3 s/);
    assert.equal(server.requests.length, 2);
  });

  test('by stopping midway fails it at once', async () => {
    await using _splitter = await installation.startSplitter(LITTLE_PATIENCE);
    await using server = await startLocalServer((_request, response) => response.write(Buffer.alloc(1_000)));
    const error = await installation.errorOf(`${server.origin}/a.mp3`);
    assert.equal(error?.code, 'SOURCE_TIMEOUT');
    assert.equal(server.requests.length, 1);
  });

  // Covers B-3.2
  test('by dripping, too slowly or for too long, fails it', async () => {
    await using _splitter = await installation.startSplitter(LITTLE_PATIENCE);
    for (const [bytes, message] of [
      [1, /less than 1\.00 kB a second over 0\.6 s/],
      [100, /more than 1\.5 s/],
    ] as const) {
      await using server = await startLocalServer((request, response) => {
        const timer = setInterval(() => response.write(Buffer.alloc(bytes)), 20);
        request.socket.once('close', () => clearInterval(timer));
      });
      const error = await installation.errorOf(`${server.origin}/a.mp3`);
      assert.equal(error?.code, 'SOURCE_TIMEOUT');
      assert.match(error?.message ?? '', message);
      assert.equal(server.requests.length, 1);
    }
  });

  test(`has at most ${MAX_CONNECTIONS} connections of an account, and further ones wait in order`, async () => {
    await using _splitter = await installation.startSplitter({ maxConnectionsPerHost: MAX_CONNECTIONS });
    const answers: ServerResponse[] = [];
    const paths = (requests: readonly IncomingMessage[]) => requests.map(({ url }) => url);
    await using server = await startLocalServer((_request, response) => {
      response.write('some');
      answers.push(response);
    });
    const jobs: string[] = [];
    for (const path of ['/1', '/2', '/3', '/4']) {
      jobs.push(await installation.create(`${server.origin}${path}`, 'ann'));
      await until(async () => (await installation.read(jobs.at(-1) ?? ''))?.status === JobStatus.PROCESSING);
    }
    jobs.push(await installation.create(`${server.origin}/bob`, 'bob'));
    await until(() => paths(server.requests).includes('/bob'), 'another account has its own');
    assert.deepEqual(paths(server.requests).toSorted(), ['/1', '/2', '/bob']);
    answers[0]?.end();
    await until(() => server.requests.length === 4);
    answers[1]?.end();
    await until(() => server.requests.length === 5);
    assert.deepEqual(paths(server.requests).slice(3), ['/3', '/4']);
  });

  test("by dripping does not occupy the core for another account's job", async () => {
    await using _splitter = await installation.startSplitter({}, { SPLITTER_CONCURRENCY: '1' });
    const wav = wavOf(4);
    await using server = await startLocalServer((request, response) => {
      if (request.url === '/whole') response.end(wav);
      else {
        const timer = setInterval(() => response.write(Buffer.alloc(100)), 20);
        request.socket.once('close', () => clearInterval(timer));
      }
    });
    for (const path of ['/1', '/2', '/3', '/4']) {
      const jobId = await installation.create(`${server.origin}${path}`, 'ann');
      await until(async () => (await installation.read(jobId))?.status === JobStatus.PROCESSING, path);
    }
    const jobId = await installation.create(`${server.origin}/whole`, 'bob');
    await until(async () => (await installation.read(jobId, 'bob'))?.status === JobStatus.COMPLETED);
  });

  // Covers B-1.1
  test('by dripping after its first megabyte delays no source of several megabytes, copied or converted', async () => {
    await using _splitter = await installation.startSplitter({}, { SPLITTER_CONCURRENCY: '1' });
    const wav = wavOf(600);
    await using server = await startLocalServer((request, response) => {
      response.setHeader('content-length', wav.length);
      if (request.url === '/whole') return response.end(wav);
      response.write(wav.subarray(0, 1_500_000));
      const timer = setInterval(() => response.write(Buffer.alloc(100)), 20);
      return request.socket.once('close', () => clearInterval(timer));
    });
    for (const path of ['/1', '/2']) {
      const jobId = await installation.create(`${server.origin}${path}`, 'ann');
      await until(async () => (await installation.read(jobId))?.status === JobStatus.PROCESSING, path);
    }
    // Their engines begin, and starve.
    await sleep(1_000);
    for (const outputFormat of [OutputFormat.UNSPECIFIED, OutputFormat.FLAC]) {
      const jobId = await installation.create(`${server.origin}/whole`, 'bob', outputFormat);
      await until(async () => (await installation.read(jobId, 'bob'))?.status === JobStatus.COMPLETED);
      assert.equal((await installation.read(jobId, 'bob'))?.sourceDurationMs, 600_000n);
    }
  });
});

/** Silence, 8 bits at 8 kHz. */
function wavOf(seconds: number): Buffer {
  const rateHz = 8_000;
  const header = Buffer.alloc(44);
  header.write('RIFF');
  header.writeUInt32LE(36 + seconds * rateHz, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rateHz, 24);
  header.writeUInt32LE(rateHz, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write('data', 36);
  header.writeUInt32LE(seconds * rateHz, 40);
  return Buffer.concat([header, Buffer.alloc(seconds * rateHz, 128)]);
}

async function startPatient() {
  await using starting = new AsyncDisposableStack();
  const services = starting.use(
    await startInstallation({ kind: 'scripted', clock: 'system', env: { JOB_REAP_EVERY_SECONDS: '1' } }),
  );
  const { jobs } = services;
  const ids = {
    ann: (await services.openAccount({ limits: UNLIMITED })).id,
    bob: (await services.openAccount({ limits: UNLIMITED })).id,
  };

  const create = async (
    sourceUrl: string,
    owner: keyof typeof ids,
    outputFormat = OutputFormat.UNSPECIFIED,
  ) => {
    const cut = fromCutFields({ splitMode: 'duration', segmentDuration: 3 });
    const request = { sourceUrl, outputFormat, cut };
    const { job } = await jobs.createJob({ request }, services.actingFor(ids[owner]));
    assert.ok(job);
    return job.id;
  };
  const read = async (jobId: string, owner: keyof typeof ids = 'ann') =>
    (await jobs.getJob({ jobId }, services.actingFor(ids[owner]))).job;
  const running = starting.move();
  return {
    startSplitter: (limits: Partial<SourceLimits>, env: Readonly<Record<string, string>> = {}) =>
      startScriptedSplitter(services, {
        env: { SPLITTER_CONCURRENCY: '8', DRAIN_GRACE_SECONDS: '0', ...env },
        adjust: ({ sourceLimits }) => ({ sourceLimits: { ...sourceLimits, ...limits } }),
      }),
    create,
    read,
    /** Resolves with the error with which the job of this source ends. */
    async errorOf(sourceUrl: string) {
      const jobId = await create(sourceUrl, 'ann');
      await until(async () => (await read(jobId))?.status === JobStatus.FAILED, 'the job fails');
      return (await read(jobId))?.error;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
