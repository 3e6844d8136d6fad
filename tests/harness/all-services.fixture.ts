/**
 * All services on one database, one bus and one object store, as in the embedded run, but for the gateway and the
 * splitter, whose parts the test plays, and with a clock that it moves.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { readAccountConfig } from '@audiosplit/account/config';
import { startAccount } from '@audiosplit/account/service';
import { readAuthConfig } from '@audiosplit/auth/config';
import { startAuth } from '@audiosplit/auth/service';
import { readBillingConfig } from '@audiosplit/billing/config';
import { startBilling } from '@audiosplit/billing/service';
import type { EventBus } from '@audiosplit/chassis/event-bus/event-bus';
import { BUS_SCHEMA } from '@audiosplit/chassis/event-bus/postgres/postgres';
import { pruneMessages } from '@audiosplit/chassis/event-bus/postgres/store';
import { openFileObjectStore } from '@audiosplit/chassis/object-store/files';
import { openPool } from '@audiosplit/chassis/postgres/pool';
import type { RunningService, ServiceContext } from '@audiosplit/chassis/process/service';
import { createCaller, lateAddress, type RpcAddress } from '@audiosplit/chassis/rpc/client';
import { type Routes, serveInProcess } from '@audiosplit/chassis/rpc/server';
import { runTask } from '@audiosplit/chassis/testing/run-task';
import { createTestContext, failTest, INTERNAL_SECRET } from '@audiosplit/chassis/testing/service-context';
import { openTestBus } from '@audiosplit/chassis/testing/test-bus';
import { createTestDatabase } from '@audiosplit/chassis/testing/test-database';
import { readJobsConfig } from '@audiosplit/jobs/config';
import { startJobs } from '@audiosplit/jobs/service';
import { AccountService } from '@audiosplit/proto/account/v1/account';
import { AuthService } from '@audiosplit/proto/auth/v1/auth';
import { BillingService } from '@audiosplit/proto/billing/v1/billing';
import { JobLeaseService, JobsService, OutputFormat } from '@audiosplit/proto/jobs/v1/jobs';
import { SplitterService } from '@audiosplit/proto/splitter/v1/splitter';
import { WebhooksService } from '@audiosplit/proto/webhooks/v1/webhooks';
import { readWebhooksConfig } from '@audiosplit/webhooks/config';
import { startWebhooks } from '@audiosplit/webhooks/service';
import pg from 'pg';
import { SCHEMAS } from '../../deploy/embedded/schemas.ts';

export type AllServices = Awaited<ReturnType<typeof startAllServices>>;

const SECRET = 'a secret of more than thirty-two bytes';

export interface AllServicesOptions {
  /** What the services are given for the bus; by default the one that the test listens to. */
  readonly busFor?: (bus: EventBus) => EventBus;
}

export async function startAllServices({ busFor = (bus) => bus }: AllServicesOptions = {}) {
  await using starting = new AsyncDisposableStack();
  let nowMs = Date.now();
  const clock = () => new Date(nowMs);
  const database = starting.use(await createTestDatabase(SCHEMAS));
  const sql = starting.adopt(new pg.Pool({ connectionString: database.url, max: 2 }), (pool) => pool.end());
  const folder = await mkdtemp(join(tmpdir(), 'audiosplit-all-'));
  starting.defer(() => rm(folder, { recursive: true }));
  const objectDir = join(folder, 'objects');
  const store = starting.use(await openFileObjectStore({ directory: objectDir }));
  const { bus, tell, published } = starting.use(await openTestBus({ databaseUrl: database.url, clock }));
  const receiver = starting.use(await startReceiver());

  const addresses = new Map<string, RpcAddress>();
  const context: ServiceContext = createTestContext({
    databaseUrl: database.url,
    bus: busFor(bus),
    clock,
    openStore: async () => store,
    addressOf: (name) =>
      lateAddress(() => {
        const address = addresses.get(name);
        if (address === undefined) throw new Error(`there is no service ${name}`);
        return address;
      }),
  });
  const serve = (name: string, routes: Routes) => addresses.set(name, serveInProcess({ ...context, routes }));
  const env = {
    DATABASE_MAX_CONNECTIONS: '8',
    AUTH_SECRET: SECRET,
    WEBHOOKS_SECRET: SECRET,
    DOWNLOAD_SECRET: SECRET,
    INTERNAL_SECRET,
    PUBLIC_BASE_URL: 'https://audiosplit.example',
    MAIL_DIR: join(folder, 'mail'),
    EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
  };
  const start = async (name: string, starts: () => Promise<RunningService>) => {
    const { routes, health } = starting.use(await starts());
    serve(name, (router) => {
      routes(router);
      health.routes(router);
    });
  };
  await start('billing', () => startBilling(readBillingConfig(env), context));
  await start('auth', () => startAuth(readAuthConfig(env), context));
  await start('account', () => startAccount(readAccountConfig(env), context));
  await start('webhooks', () => startWebhooks(readWebhooksConfig(env), context));
  await start('jobs', () => startJobs(readJobsConfig(env), context));
  serve('splitter', (router) => router.service(SplitterService, { inspectSource: () => ({}) }));

  const gateway = createCaller({ ...context, service: 'gateway' });
  const splitter = createCaller({ ...context, service: 'splitter' });
  const leases = splitter.client(JobLeaseService, context.addressOf('jobs'));
  const running = starting.move();
  return {
    /** What a further gateway of the installation starts with. */
    context,
    databaseUrl: database.url,
    authSecret: SECRET,
    downloadSecret: SECRET,
    sql,
    store,
    tell,
    published,
    hookUrl: receiver.url,
    auth: gateway.client(AuthService, context.addressOf('auth')),
    account: gateway.client(AccountService, context.addressOf('account')),
    billing: gateway.client(BillingService, context.addressOf('billing')),
    jobs: gateway.client(JobsService, context.addressOf('jobs')),
    webhooks: gateway.client(WebhooksService, context.addressOf('webhooks')),
    leases,
    actingFor: (accountId: string) =>
      gateway.actingFor({
        kind: 'account',
        accountId,
        scopes: ['splits:read', 'splits:write', 'keys:manage'],
      }),
    advance(ms: number) {
      nowMs += ms;
    },
    /** Completes a claimed job with one segment, whose object it stores. */
    async completeJob({ jobId, fence }: { jobId: string; fence: bigint }): Promise<void> {
      const objectKey = `jobs/${jobId}/${fence}/a-0.mp3`;
      const contentType = 'audio/mpeg';
      await store.put(objectKey, Readable.from([Buffer.from('mp3')]), { contentType });
      await leases.completeJob({
        jobId,
        fence,
        outputFormat: OutputFormat.MP3,
        sourceFileName: 'a.mp3',
        sourceDurationMs: 60_000n,
        sourceSizeBytes: 3n,
        segments: [{ objectKey, fileName: 'a-0.mp3', contentType, durationMs: 60_000n, sizeBytes: 3n }],
      });
    },
    /** Paths of all files that there are in the object store. */
    async storedFiles(): Promise<string[]> {
      const entries = await readdir(objectDir, { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    },
    /** Has the bus forget what is past its retention. */
    async pruneBus(): Promise<void> {
      const pool = openPool({ url: database.url, schema: BUS_SCHEMA, maxConnections: 1, onError: failTest });
      await pruneMessages(pool, 100_000).finally(() => pool.end());
    },
    /** Has a service do a piece of its periodic work at once, and waits until it is done. */
    runTask: (schema: string, name: string) => runTask(sql, schema, name),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Takes every notification. */
async function startReceiver(): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
