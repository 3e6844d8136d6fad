/**
 * The services of kind `scripted`, without a gateway: one database, one bus, one object store, and a clock
 * that the test moves. There is no splitter; the test plays its part.
 */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventBus } from '@audiosplit/chassis/event-bus/event-bus';
import { BUS_SCHEMA } from '@audiosplit/chassis/event-bus/postgres/postgres';
import { pruneMessages } from '@audiosplit/chassis/event-bus/postgres/store';
import { actingFor } from '@audiosplit/chassis/identity/authorization';
import { openFileObjectStore } from '@audiosplit/chassis/object-store/files';
import { openPool } from '@audiosplit/chassis/postgres/pool';
import type { Env } from '@audiosplit/chassis/process/env';
import type { ServiceContext } from '@audiosplit/chassis/process/service';
import { createPermittedCaller, testKeysOf } from '@audiosplit/chassis/testing/identities';
import { runTask } from '@audiosplit/chassis/testing/run-task';
import { createTestContext, failTest } from '@audiosplit/chassis/testing/service-context';
import { openTestBus } from '@audiosplit/chassis/testing/test-bus';
import { createTestDatabase } from '@audiosplit/chassis/testing/test-database';
import { AccountService } from '@audiosplit/proto/account/v1/account';
import { AuthService } from '@audiosplit/proto/auth/v1/auth';
import { BillingService } from '@audiosplit/proto/billing/v1/billing';
import { BucketAction } from '@audiosplit/proto/jobs/v1/bucket';
import { ConnectionsService } from '@audiosplit/proto/jobs/v1/connections';
import { JobLeaseService, JobsService } from '@audiosplit/proto/jobs/v1/jobs';
import { SplitterService } from '@audiosplit/proto/splitter/v1/splitter';
import { WebhooksService } from '@audiosplit/proto/webhooks/v1/webhooks';
import pg from 'pg';
import { SCHEMAS } from '../../../deploy/embedded/schemas.ts';
import { openServices, startDataServices } from '../../../deploy/embedded/services.ts';
import { startReceiver } from '../servers/receiver.ts';
import { temporaryFolder } from '../temporary-folder.ts';

export type ScriptedServices = Awaited<ReturnType<typeof startScriptedServices>>;

export interface ScriptedServicesOptions {
  /** The bus that the services use; by default the one that the test listens to. */
  readonly busFor?: (bus: EventBus) => EventBus;
  /** A manual clock does not run; the test moves it. */
  readonly clock?: 'manual' | 'system';
  readonly env?: Env;
}

const SECRET = 'a secret of more than thirty-two bytes';

export async function startScriptedServices(options: ScriptedServicesOptions) {
  const { busFor = (bus) => bus, clock: kind = 'manual' } = options;
  await using starting = new AsyncDisposableStack();
  let nowMs = Date.now();
  const clock = () => new Date(kind === 'manual' ? nowMs : Date.now());
  const database = starting.use(await createTestDatabase(SCHEMAS));
  const sql = starting.adopt(new pg.Pool({ connectionString: database.url, max: 2 }), (pool) => pool.end());
  const { path: folder } = starting.use(await temporaryFolder());
  const objectDir = join(folder, 'objects');
  const store = starting.use(await openFileObjectStore({ directory: objectDir }));
  const { bus, tell, published } = starting.use(await openTestBus({ databaseUrl: database.url, clock }));
  const receiver = starting.use(await startReceiver());
  receiver.answerWith(200);

  const ports = createTestContext({
    process: 'gateway',
    databaseUrl: database.url,
    bus: busFor(bus),
    clock,
    openStore: async () => store,
  });
  const services = openServices(starting, { ...ports, databaseUrl: database.url, keysOf: testKeysOf });
  const context: ServiceContext = { ...ports, addressOf: services.addressOf };
  await startDataServices(services, {
    DATABASE_MAX_CONNECTIONS: '8',
    // The lowest costs, for speed.
    ARGON2_MEMORY_KIB: '7168',
    ARGON2_ITERATIONS: '1',
    REGISTRATIONS_PER_HOUR: '0',
    AUTH_SECRET: SECRET,
    WEBHOOKS_SECRET: SECRET,
    DOWNLOAD_SECRET: SECRET,
    PUBLIC_BASE_URL: 'https://audiosplit.example',
    MAIL_DIR: join(folder, 'mail'),
    EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
    ...options.env,
  });
  services.serve('splitter', (router) =>
    router.service(SplitterService, {
      inspectSource: () => ({}),
      checkEndpoint: () => ({}),
      emptyFolder: () => ({}),
      testBucket: () => ({ checks: [{ action: BucketAction.LIST }] }),
    }),
  );

  const caller = createPermittedCaller(clock);
  const running = starting.move();
  return {
    /** For further gateways and splitters of the installation. */
    context,
    serve: services.serve,
    folder,
    databaseUrl: database.url,
    authSecret: SECRET,
    downloadSecret: SECRET,
    sql,
    store,
    tell,
    published,
    hookUrl: `${receiver.url}/hook`,
    auth: caller.client(AuthService, context.addressOf('auth')),
    account: caller.client(AccountService, context.addressOf('account')),
    billing: caller.client(BillingService, context.addressOf('billing')),
    jobs: caller.client(JobsService, context.addressOf('jobs')),
    connections: caller.client(ConnectionsService, context.addressOf('jobs')),
    webhooks: caller.client(WebhooksService, context.addressOf('webhooks')),
    leases: caller.client(JobLeaseService, context.addressOf('jobs')),
    actingFor: (accountId: string) =>
      actingFor({ accountId, scopes: ['splits:read', 'splits:write', 'keys:manage'] }),
    now: clock,
    advance(ms: number) {
      nowMs += ms;
    },
    /** Returns the paths of all files in the object store. */
    async storedFiles(): Promise<string[]> {
      const entries = await readdir(objectDir, { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    },
    /** Deletes messages of the bus that are older than their retention. */
    async pruneBus(): Promise<void> {
      const pool = openPool({ url: database.url, schema: BUS_SCHEMA, maxConnections: 1, onError: failTest });
      await pruneMessages(pool, 100_000).finally(() => pool.end());
    },
    /** Runs a service's periodic task at once, and waits until it is done. */
    runTask: (schema: string, name: string) => runTask(sql, schema, name),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
