/** One job on several splitters: the real services, the real engine, real sound. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '@audiosplit/chassis/clock';
import { BUS_MIGRATIONS_DIR, BUS_SCHEMA } from '@audiosplit/chassis/event-bus/postgres/postgres';
import { openFileObjectStore } from '@audiosplit/chassis/object-store/files';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import type { ServiceContext } from '@audiosplit/chassis/process/service';
import { createCaller, lateAddress, type RpcAddress } from '@audiosplit/chassis/rpc/client';
import { type Routes, serveInProcess } from '@audiosplit/chassis/rpc/server';
import { runTask } from '@audiosplit/chassis/testing/run-task';
import { createTestContext } from '@audiosplit/chassis/testing/service-context';
import { openTestBus } from '@audiosplit/chassis/testing/test-bus';
import { createTestDatabase } from '@audiosplit/chassis/testing/test-database';
import { until } from '@audiosplit/chassis/testing/until';
import { readJobsConfig } from '@audiosplit/jobs/config';
import { JOBS_MIGRATIONS_DIR, JOBS_SCHEMA } from '@audiosplit/jobs/schema';
import { startJobs } from '@audiosplit/jobs/service';
import { BillingService } from '@audiosplit/proto/billing/v1/billing';
import { JobStatus, JobsService, OutputFormat, SplitMode } from '@audiosplit/proto/jobs/v1/jobs';
import { readSplitterConfig } from '@audiosplit/splitter/config';
import {
  type AudioSamples,
  createAudioSamples,
  sound,
} from '@audiosplit/splitter/media/testing/audio-samples';
import { startSplitter } from '@audiosplit/splitter/service';
import pg from 'pg';

const SECRET = 'a secret of more than thirty-two bytes';
const SOURCE_SECONDS = 95;
/** Small enough for a source of a minute and a half to be worth dividing into several parts. */
const DIVISION = { minWorkSeconds: 0, partWorkSeconds: 0.2 };
const SPLITTERS = 2;

let samples: AudioSamples;
let installation: Awaited<ReturnType<typeof startInstallation>>;

before(async () => {
  samples = await createAudioSamples();
  installation = await startInstallation();
});
after(async () => {
  await installation[Symbol.asyncDispose]();
  await samples[Symbol.asyncDispose]();
});

describe('one job on several splitters', () => {
  test('gives the very segments that one splitter gives, and leaves nothing else behind', async () => {
    const whole = await installation.complete(OutputFormat.MP3, { dividing: false });
    const divided = await installation.complete(OutputFormat.MP3, { dividing: true });
    assert.equal(await installation.wasDivided(whole.id), false);
    assert.equal(await installation.wasDivided(divided.id), true);
    const described = ({ segments }: typeof whole) =>
      segments.map(({ index, fileName, contentType, startMs, durationMs, sizeBytes }) => ({
        ...{ index, fileName, contentType, startMs, durationMs, sizeBytes },
      }));
    assert.deepEqual(described(divided), described(whole));
    assert.deepEqual(await installation.hashesOf(divided), await installation.hashesOf(whole));
    assert.ok(installation.haveAllWorked());
    assert.equal(divided.sourceDurationMs, whole.sourceDurationMs);
    assert.equal(divided.sourceSizeBytes, whole.sourceSizeBytes);
    await installation.sweep();
    const keys = await Array.fromAsync(installation.store.list(`jobs/${divided.id}/`), ({ key }) => key);
    assert.deepEqual(keys.sort(), divided.segments.map(({ objectKey }) => objectKey).sort());
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
  const folder = await mkdtemp(join(tmpdir(), 'audiosplit-parts-'));
  starting.defer(() => rm(folder, { recursive: true, force: true }));
  const store = starting.use(await openFileObjectStore({ directory: join(folder, 'objects') }));
  const path = await samples.make('talk.wav', sound(16_000, SOURCE_SECONDS, 'mono'), '-c:a', 'pcm_s16le');
  const source = starting.use(await serveFile(path));
  const bus = starting.use(await openTestBus({ databaseUrl: database.url, clock: systemClock }));
  const addresses = new Map<string, RpcAddress>();
  const context: ServiceContext = createTestContext({
    databaseUrl: database.url,
    bus: bus.bus,
    clock: systemClock,
    openStore: async () => waitingForAll(store),
    addressOf: (name) => lateAddress(() => addressNamed(addresses, name)),
  });
  const serve = (name: string, routes: Routes) => addresses.set(name, serveInProcess({ ...context, routes }));
  serve('billing', (router) => router.service(BillingService, { getLimits: () => ({ limits: LIMITS }) }));
  const jobsService = starting.use(
    await startJobs(readJobsConfig({ JOB_REAP_EVERY_SECONDS: '60' }), context),
  );
  serve('jobs', jobsService.routes);
  const sql = starting.adopt(
    new pg.Pool({ connectionString: database.url, max: 1, options: '-c search_path=jobs' }),
    (pool) => pool.end(),
  );
  let haveAllWorked = false;
  /** No part goes on before every splitter has one. */
  function waitingForAll(inner: ObjectStore): ObjectStore {
    return {
      put: (key, body, options) => inner.put(key, body, options),
      async get(key, range) {
        if (key.endsWith('/source/pieces')) await until(everySplitterWorks, 'every splitter has a part');
        return inner.get(key, range);
      },
      head: (key) => inner.head(key),
      list: (prefix) => inner.list(prefix),
      delete: (keys) => inner.delete(keys),
      deletePrefix: (prefix) => inner.deletePrefix(prefix),
      check: () => inner.check(),
      [Symbol.asyncDispose]: async () => undefined,
    };
  }
  async function everySplitterWorks(): Promise<boolean> {
    if (haveAllWorked) return true;
    const { rows } = await sql.query<{ workers: number }>(
      'select count(distinct worker_id)::int as workers from job_parts',
    );
    haveAllWorked ||= rows[0]?.workers === SPLITTERS;
    return haveAllWorked;
  }
  const caller = createCaller({ ...context, service: 'gateway' });
  const jobs = caller.client(JobsService, context.addressOf('jobs'));
  const asCaller = caller.actingFor({ kind: 'account', accountId: 'acc_1', scopes: [] });

  const startSplitters = async (dividing: boolean) => {
    await using stack = new AsyncDisposableStack();
    for (let n = 0; n < (dividing ? SPLITTERS : 1); n++) {
      const env = {
        DOWNLOAD_SECRET: SECRET,
        EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
        SCRATCH_DIR: join(folder, `scratch-${n}`),
        SPLITTER_CONCURRENCY: '1',
        ...(process.env.FFMPEG_PATH === undefined ? {} : { FFMPEG_PATH: process.env.FFMPEG_PATH }),
      };
      const config = { ...readSplitterConfig(env), division: dividing ? DIVISION : undefined };
      const splitter = stack.use(await startSplitter(config, context));
      if (n === 0) serve('splitter', splitter.routes);
    }
    return stack.move();
  };
  const running = starting.move();
  return {
    store,
    async complete(outputFormat: OutputFormat, { dividing }: { readonly dividing: boolean }) {
      await using _splitters = await startSplitters(dividing);
      const request = {
        sourceUrl: `${source.url}/talk.wav`,
        mode: SplitMode.DURATION,
        segmentDurationSeconds: 3,
        outputFormat,
      };
      const { job: created } = await jobs.createJob({ request }, asCaller);
      const jobId = created?.id ?? '';
      const read = async () => (await jobs.getJob({ jobId }, asCaller)).job;
      await until(async () => (await read())?.status === JobStatus.COMPLETED, 'the job completes');
      const job = await read();
      assert.ok(job);
      return job;
    },
    async wasDivided(jobId: string): Promise<boolean> {
      const { rows } = await sql.query<{ is_divided: boolean }>('select is_divided from jobs where id = $1', [
        jobId,
      ]);
      return rows[0]?.is_divided === true;
    },
    haveAllWorked: () => haveAllWorked,
    async hashesOf({ segments }: { readonly segments: readonly { readonly objectKey: string }[] }) {
      return Promise.all(segments.map(({ objectKey }) => hashOf(store, objectKey)));
    },
    async sweep() {
      await sql.query("update doomed_prefixes set delete_after = now() - interval '1 second'");
      await runTask(sql, JOBS_SCHEMA, 'sweep-objects');
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

function addressNamed(addresses: ReadonlyMap<string, RpcAddress>, name: string): RpcAddress {
  const address = addresses.get(name);
  if (address === undefined) throw new Error(`there is no service ${name}`);
  return address;
}

async function hashOf(store: ObjectStore, key: string): Promise<string> {
  const { body } = await store.get(key);
  return createHash('sha256')
    .update(await buffer(body))
    .digest('hex');
}

async function serveFile(path: string): Promise<AsyncDisposable & { readonly url: string }> {
  const { size } = await stat(path);
  const server = createServer((_request, response) => {
    response.setHeader('content-length', size);
    createReadStream(path).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
