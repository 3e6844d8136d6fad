/** Sources that keep a job waiting: the real services over real sockets. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '@audiosplit/chassis/clock';
import { startLocalServer } from '@audiosplit/chassis/egress/http-server.fixture';
import { BUS_MIGRATIONS_DIR, BUS_SCHEMA } from '@audiosplit/chassis/event-bus/postgres/postgres';
import { openFileObjectStore } from '@audiosplit/chassis/object-store/files';
import type { ServiceContext } from '@audiosplit/chassis/process/service';
import { createCaller, lateAddress, type RpcAddress } from '@audiosplit/chassis/rpc/client';
import { type Routes, serveInProcess } from '@audiosplit/chassis/rpc/server';
import { createTestContext } from '@audiosplit/chassis/testing/service-context';
import { openTestBus } from '@audiosplit/chassis/testing/test-bus';
import { createTestDatabase } from '@audiosplit/chassis/testing/test-database';
import { until } from '@audiosplit/chassis/testing/until';
import { readJobsConfig } from '@audiosplit/jobs/config';
import { JOBS_MIGRATIONS_DIR, JOBS_SCHEMA } from '@audiosplit/jobs/schema';
import { startJobs } from '@audiosplit/jobs/service';
import { BillingService } from '@audiosplit/proto/billing/v1/billing';
import { JobStatus, JobsService, SplitMode } from '@audiosplit/proto/jobs/v1/jobs';
import { SplitterService } from '@audiosplit/proto/splitter/v1/splitter';
import { readSplitterConfig } from '@audiosplit/splitter/config';
import { startSplitter } from '@audiosplit/splitter/service';
import type { SourceLimits } from '@audiosplit/splitter/source/source-limits';

const SECRET = 'a secret of more than thirty-two bytes';
const ACCOUNTS = { ann: 'acc_1', bob: 'acc_2' };
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

let installation: Awaited<ReturnType<typeof startInstallation>>;
before(async () => {
  installation = await startInstallation();
});
after(() => installation[Symbol.asyncDispose]());

describe('a source that keeps its job waiting', () => {
  // Covers D-9.13
  test('by never answering is asked twice in the one attempt that it gets', async () => {
    await using _splitter = await installation.startSplitter(LITTLE_PATIENCE);
    await using server = await startLocalServer(() => {});
    const { error } = await installation.untilFailed(`${server.origin}/a.mp3`);
    assert.equal(error?.code, 'SOURCE_TIMEOUT');
    assert.match(error?.message ?? '', /0\.3 s/);
    assert.equal(server.requests.length, 2);
  });

  test('by stopping half-way ends it at once', async () => {
    await using _splitter = await installation.startSplitter(LITTLE_PATIENCE);
    await using server = await startLocalServer((_request, response) => response.write(Buffer.alloc(1_000)));
    const { error } = await installation.untilFailed(`${server.origin}/a.mp3`);
    assert.equal(error?.code, 'SOURCE_TIMEOUT');
    assert.equal(server.requests.length, 1);
  });

  test('by dripping, below the floor or for too long, ends it', async () => {
    await using _splitter = await installation.startSplitter(LITTLE_PATIENCE);
    for (const [bytes, message] of [
      [1, /less than 1\.00 kB a second over 0\.6 s/],
      [100, /more than 1\.5 s/],
    ] as const) {
      await using server = await startLocalServer((request, response) => {
        const timer = setInterval(() => response.write(Buffer.alloc(bytes)), 20);
        request.socket.once('close', () => clearInterval(timer));
      });
      const { error } = await installation.untilFailed(`${server.origin}/a.mp3`);
      assert.equal(error?.code, 'SOURCE_TIMEOUT');
      assert.match(error?.message ?? '', message);
      assert.equal(server.requests.length, 1);
    }
  });

  test(`has at most ${MAX_CONNECTIONS} connections of an account, and the others wait for theirs in order`, async () => {
    await using _splitter = await installation.startSplitter({ maxConnectionsPerHost: MAX_CONNECTIONS });
    const answers: ServerResponse[] = [];
    const paths = (requests: readonly IncomingMessage[]) => requests.map(({ url }) => url);
    await using server = await startLocalServer((_request, response) => {
      response.write('some');
      answers.push(response);
    });
    const jobs: string[] = [];
    for (const path of ['/1', '/2', '/3', '/4']) {
      jobs.push(await installation.create(`${server.origin}${path}`, ACCOUNTS.ann));
      await until(async () => (await installation.read(jobs.at(-1) ?? ''))?.status === JobStatus.PROCESSING);
    }
    jobs.push(await installation.create(`${server.origin}/bob`, ACCOUNTS.bob));
    await until(() => paths(server.requests).includes('/bob'), 'another account has its own');
    assert.deepEqual(paths(server.requests).toSorted(), ['/1', '/2', '/bob']);
    answers[0]?.end();
    await until(() => server.requests.length === 4);
    answers[1]?.end();
    await until(() => server.requests.length === 5);
    assert.deepEqual(paths(server.requests).slice(3), ['/3', '/4']);
  });
});

async function startInstallation() {
  await using starting = new AsyncDisposableStack();
  const database = starting.use(
    await createTestDatabase([
      { schema: BUS_SCHEMA, migrationsDir: BUS_MIGRATIONS_DIR },
      { schema: JOBS_SCHEMA, migrationsDir: JOBS_MIGRATIONS_DIR },
    ]),
  );
  const folder = await mkdtemp(join(tmpdir(), 'audiosplit-patience-'));
  starting.defer(() => rm(folder, { recursive: true, force: true }));
  const store = starting.use(await openFileObjectStore({ directory: join(folder, 'objects') }));
  const bus = starting.use(await openTestBus({ databaseUrl: database.url, clock: systemClock }));
  const addresses = new Map<string, RpcAddress>();
  const context: ServiceContext = createTestContext({
    databaseUrl: database.url,
    bus: bus.bus,
    clock: systemClock,
    openStore: async () => store,
    addressOf: (name) => lateAddress(() => addresses.get(name) ?? assert.fail(`there is no service ${name}`)),
  });
  const serve = (name: string, routes: Routes) => addresses.set(name, serveInProcess({ ...context, routes }));
  serve('billing', (router) => router.service(BillingService, { getLimits: () => ({ limits: LIMITS }) }));
  // What is asked at the creation of a job would take one connection more.
  serve('splitter', (router) => router.service(SplitterService, { inspectSource: () => ({}) }));
  const jobsService = starting.use(await startJobs(readJobsConfig({ JOB_REAP_EVERY_SECONDS: '1' }), context));
  serve('jobs', jobsService.routes);
  const config = readSplitterConfig({
    DOWNLOAD_SECRET: SECRET,
    EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
    SCRATCH_DIR: join(folder, 'scratch'),
    SPLITTER_CONCURRENCY: '8',
    DRAIN_GRACE_SECONDS: '0',
    ...(process.env.FFMPEG_PATH === undefined ? {} : { FFMPEG_PATH: process.env.FFMPEG_PATH }),
  });
  const caller = createCaller({ ...context, service: 'gateway' });
  const jobs = caller.client(JobsService, context.addressOf('jobs'));
  const owners = new Map<string, string>();
  const actingFor = (accountId: string) => caller.actingFor({ kind: 'account', accountId, scopes: [] });
  const running = starting.move();

  const create = async (sourceUrl: string, accountId: string) => {
    const request = { sourceUrl, mode: SplitMode.DURATION, segmentDurationSeconds: 3 };
    const { job } = await jobs.createJob({ request }, actingFor(accountId));
    assert.ok(job);
    owners.set(job.id, accountId);
    return job.id;
  };
  const read = async (jobId: string) =>
    (await jobs.getJob({ jobId }, actingFor(owners.get(jobId) ?? ''))).job;
  return {
    startSplitter: (limits: Partial<SourceLimits>) =>
      startSplitter({ ...config, sourceLimits: { ...config.sourceLimits, ...limits } }, context),
    create,
    read,
    async untilFailed(sourceUrl: string) {
      const jobId = await create(sourceUrl, ACCOUNTS.ann);
      await until(async () => (await read(jobId))?.status === JobStatus.FAILED, 'the job fails');
      return { error: (await read(jobId))?.error };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

const LIMITS = {
  planId: 'plan_pro',
  requestsPerMinute: 300,
  concurrentJobs: 20,
  maxFileSizeBytes: 1_000_000_000n,
  monthlyMinutes: 5_000,
  overageAllowed: true,
  revision: 1n,
};
