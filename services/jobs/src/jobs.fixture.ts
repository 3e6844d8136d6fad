/**
 * The jobs service on real Postgres, called through its Connect clients. Billing and the splitter's
 * inspection are small stubs behind their proto contract; the bus records events.
 */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@audiosplit/chassis/clock';
import { InvalidParamsError, UnavailableError } from '@audiosplit/chassis/errors';
import type { EventBus, OutgoingMessage, SubscribeOptions } from '@audiosplit/chassis/event-bus/event-bus';
import { actingFor } from '@audiosplit/chassis/identity/authorization';
import { openFileObjectStore } from '@audiosplit/chassis/object-store/files';
import { openPool } from '@audiosplit/chassis/postgres/pool';
import { silentLogger } from '@audiosplit/chassis/process/log';
import type { ServiceContext } from '@audiosplit/chassis/process/service';
import { type Routes, serveInProcess } from '@audiosplit/chassis/rpc/server';
import { createPermittedCaller } from '@audiosplit/chassis/testing/identities';
import { runTask } from '@audiosplit/chassis/testing/run-task';
import { createTestContext } from '@audiosplit/chassis/testing/service-context';
import { createTestDatabase } from '@audiosplit/chassis/testing/test-database';
import { BillingService } from '@audiosplit/proto/billing/v1/billing';
import { fromCutFields } from '@audiosplit/proto/cut';
import { AccountLimitsSchema, type Event, EventSchema } from '@audiosplit/proto/events/v1/events';
import { type Bucket, BucketAction } from '@audiosplit/proto/jobs/v1/bucket';
import { OutputFormat } from '@audiosplit/proto/jobs/v1/jobs';
import {
  type DrawWaveformRequest,
  SplitterService,
  WaveformOutcome,
} from '@audiosplit/proto/splitter/v1/splitter';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import pg from 'pg';
import { createConnectionsClient, createJobsClient, createLeaseClient } from './client.ts';
import { readJobsConfig } from './config.ts';
import { JOBS_MIGRATIONS_DIR, JOBS_SCHEMA } from './schema.ts';
import { startJobs } from './service.ts';

export interface FixtureOptions {
  readonly concurrentJobs?: number;
  readonly overageAllowed?: boolean;
  readonly quotaLeftMs?: number;
  readonly sourceSizeBytes?: number;
  /** By default too rare to interfere: tests of the reaper call it themselves. */
  readonly reapEverySeconds?: number;
}

export async function startJobsFixture(options: FixtureOptions = {}) {
  const stack = new AsyncDisposableStack();
  const database = stack.use(
    await createTestDatabase([{ schema: JOBS_SCHEMA, migrationsDir: JOBS_MIGRATIONS_DIR }]),
  );
  const folder = await mkdtemp(join(tmpdir(), 'audiosplit-jobs-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const store = stack.use(await openFileObjectStore({ directory: folder }));
  const bus = createRecordingBus();
  const billing = {
    /** The limits of every account. */
    limits: create(AccountLimitsSchema, {
      planId: 'plan_free',
      requestsPerMinute: 10,
      concurrentJobs: options.concurrentJobs ?? 2,
      maxFileSizeBytes: 100n * 1024n * 1024n,
      monthlyMinutes: 60,
      overageAllowed: options.overageAllowed ?? true,
      spendLimitReached: false,
      revision: 1n,
    }),
    /** The quota of every account, before the counted jobs are subtracted. */
    quotaLeftMs: options.quotaLeftMs ?? 3_600_000,
    /** Remaining until the spend limit. */
    spendableMs: undefined as number | undefined,
    /** Completed jobs that billing has received, with their usage. */
    counted: new Map<string, number>(),
    /** False: responds as releases without reservations do. */
    saysWhatIsCounted: true,
    /** Billing responds with the quota once it resolves. */
    beforeQuota: async () => {},
    tellsLimits: true,
    /** Billing responds with the limits once it resolves. */
    beforeLimits: async () => {},
  };
  const drawing = {
    asked: [] as DrawWaveformRequest[],
    /** A test may replace it. */
    async answer(
      _request: DrawWaveformRequest,
      _signal: AbortSignal,
    ): Promise<{ outcome: WaveformOutcome; waveform?: Uint8Array<ArrayBuffer> }> {
      return { outcome: WaveformOutcome.DRAWN, waveform: new Uint8Array([1, 2, 3]) };
    },
  };
  const tested: Bucket[] = [];
  const emptied = { folders: [] as string[], isAway: false };
  const standIns: Record<string, Routes> = {
    billing: (router) =>
      router.service(BillingService, {
        async getLimits() {
          await billing.beforeLimits();
          if (!billing.tellsLimits) throw new UnavailableError(new Error('billing is away'));
          return { limits: billing.limits };
        },
        async getQuota({ jobIds }) {
          await billing.beforeQuota();
          const { counted, spendableMs } = billing;
          const usedMs = [...counted.values()].reduce((sum, ms) => sum + ms, 0);
          return {
            remainingMs: BigInt(Math.max(0, billing.quotaLeftMs - usedMs)),
            overageAllowed: billing.limits.overageAllowed,
            ...(spendableMs === undefined ? {} : { spendableMs: BigInt(Math.max(0, spendableMs - usedMs)) }),
            ...(billing.saysWhatIsCounted
              ? { counted: { jobIds: jobIds.filter((jobId) => counted.has(jobId)) } }
              : {}),
          };
        },
      }),
    splitter: (router) =>
      router.service(SplitterService, {
        drawWaveform(request, { signal }) {
          drawing.asked.push(request);
          return drawing.answer(request, signal);
        },
        checkEndpoint({ endpoint }) {
          if (endpoint.includes('forbidden'))
            throw new InvalidParamsError('endpoint', 'is not a public address');
          return {};
        },
        emptyFolder({ folder }) {
          if (emptied.isAway) throw new Error('the store is away');
          emptied.folders.push(folder);
          return {};
        },
        testBucket({ bucket }) {
          if (bucket !== undefined) tested.push(bucket);
          return { checks: [{ action: BucketAction.LIST }, { action: BucketAction.WRITE, fault: 'No.' }] };
        },
        inspectSource({ sourceUrl }) {
          if (sourceUrl.includes('forbidden'))
            throw new InvalidParamsError('sourceUrl', 'is not a public address');
          if (sourceUrl.includes('breaks')) throw new Error('the inspection broke');
          return options.sourceSizeBytes === undefined ? {} : { sizeBytes: BigInt(options.sourceSizeBytes) };
        },
      }),
  };
  const context: ServiceContext = createTestContext({
    process: 'jobs',
    databaseUrl: database.url,
    bus,
    clock: systemClock,
    openStore: async () => store,
    addressOf: (name) => serveInProcess({ ...context, routes: standIns[name] ?? unknownService(name) }),
  });
  const service = stack.use(
    await startJobs(
      readJobsConfig({ JOB_REAP_EVERY_SECONDS: String(options.reapEverySeconds ?? 60) }),
      context,
    ),
  );
  const address = serveInProcess({ ...context, routes: service.routes });
  const caller = createPermittedCaller(systemClock);
  const sql = stack.adopt(
    new pg.Pool({ connectionString: database.url, max: 2, options: '-c search_path=jobs' }),
    (pool) => pool.end(),
  );
  const jobs = createJobsClient(caller, address);
  const as = (accountId: string) => actingFor({ accountId, scopes: [] });
  const onError = (error: Error) => silentLogger().error(error);
  const pool = stack.adopt(
    openPool({ url: database.url, schema: JOBS_SCHEMA, maxConnections: 3, onError }),
    (opened) => opened.end(),
  );
  return {
    context,
    service,
    store,
    bus,
    /** A test may change it; no event is published. */
    billing,
    /** The waveforms that splitters were requested to compute, and their responses. */
    drawing,
    /** Buckets that splitters were requested to test. */
    tested,
    /** Folders that splitters were requested to empty. */
    emptied,
    sql,
    databaseUrl: database.url,
    /** The service's own pool, for functions that tests call directly. */
    pool,
    jobs,
    connections: createConnectionsClient(caller, address),
    leases: createLeaseClient(caller, address),
    gatewayCaller: caller,
    address,
    as,
    create: async (accountId: string, split = aSplit()) =>
      (await jobs.createJob(split, as(accountId))).job?.id ?? '',
    async read(accountId: string, jobId: string) {
      const { job } = await jobs.getJob({ jobId }, as(accountId));
      assert.ok(job);
      return job;
    },
    /** Runs a part of the service's periodic work at once, and waits until it is done. */
    runTask: (name: string) => runTask(sql, JOBS_SCHEMA, name),
    events: () => bus.published.map((message) => fromBinary(EventSchema, message.value)),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

export type JobsFixture = Awaited<ReturnType<typeof startJobsFixture>>;

export function aSplit(url = 'https://example.com/episode.mp3') {
  return { request: { sourceUrl: url, cut: fromCutFields({ splitMode: 'duration', segmentDuration: 60 }) } };
}

/** The names of the events in the order of publication, as `requested job_…`. */
export function describeEvents(events: readonly Event[]): string[] {
  return events.map(({ payload }) => {
    switch (payload.case) {
      case 'splitRequested':
        return `requested ${payload.value.jobId}`;
      case 'splitStatusChanged':
        return `${payload.value.status} ${payload.value.jobId}`;
      case 'splitDeleted':
        return `deleted ${payload.value.jobId}`;
      default:
        return payload.case ?? 'empty';
    }
  });
}

export interface RecordingBus extends EventBus {
  readonly published: OutgoingMessage[];
  /** Delivers an event to the subscribers of its topic. */
  deliver(topic: string, event: Parameters<typeof create<typeof EventSchema>>[1]): Promise<void>;
  failing: boolean;
}

function createRecordingBus(): RecordingBus {
  const subscriptions: SubscribeOptions[] = [];
  const bus: RecordingBus = {
    published: [],
    failing: false,
    async publish(messages) {
      if (bus.failing) throw new Error('the bus is away');
      bus.published.push(...messages);
    },
    async subscribe(options) {
      subscriptions.push(options);
      return { pause() {}, resume() {}, async [Symbol.asyncDispose]() {} };
    },
    async deliver(topic, event) {
      const value = toBinary(EventSchema, create(EventSchema, event));
      for (const { topics, handler } of subscriptions) {
        if (!topics.includes(topic)) continue;
        await handler({ topic, key: 'key', value, headers: {}, delivery: 1 }, new AbortController().signal);
      }
    },
    async check() {},
    async [Symbol.asyncDispose]() {},
  };
  return bus;
}

function unknownService(name: string): never {
  throw new Error(`the jobs service does not call ${name}`);
}

/** A worker's report of a finished job with two segments. */
export function anOutcome(jobId: string, fence: bigint) {
  return {
    outputFormat: OutputFormat.MP3,
    sourceFileName: 'episode.mp3',
    sourceDurationMs: 61_000n,
    sourceSizeBytes: 1_000n,
    segments: [0, 1].map((index) => ({
      index,
      objectKey: `jobs/${jobId}/${fence}/${index}.mp3`,
      fileName: `episode-${index}.mp3`,
      contentType: 'audio/mpeg',
      startMs: BigInt(index * 60_000),
      durationMs: index === 0 ? 60_000n : 1_000n,
      sizeBytes: 500n,
    })),
  };
}
