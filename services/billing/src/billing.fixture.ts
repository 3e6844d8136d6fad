/** Billing through its API, with its own database and bus. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUS_MIGRATIONS_DIR, BUS_SCHEMA } from '@audiosplit/chassis/event-bus/postgres/postgres';
import { actingFor, type ForAccount } from '@audiosplit/chassis/identity/authorization';
import { openFileObjectStore } from '@audiosplit/chassis/object-store/files';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import type { RunningService, ServiceContext } from '@audiosplit/chassis/process/service';
import { createCaller } from '@audiosplit/chassis/rpc/client';
import { serveInProcess } from '@audiosplit/chassis/rpc/server';
import { createPermittedCaller, testKeysOf } from '@audiosplit/chassis/testing/identities';
import { createTestContext } from '@audiosplit/chassis/testing/service-context';
import { openTestBus, type TestBus } from '@audiosplit/chassis/testing/test-bus';
import { createTestDatabase } from '@audiosplit/chassis/testing/test-database';
import type { Process } from '@audiosplit/proto/callers';
import { type BillingClient, createBillingClient } from './client.ts';
import { readBillingConfig } from './config.ts';
import { BILLING_MIGRATIONS_DIR, BILLING_SCHEMA } from './schema.ts';
import { type BillingOverrides, startBilling } from './service.ts';

export interface BillingFixture extends Pick<TestBus, 'tell' | 'published'>, AsyncDisposable {
  readonly context: ServiceContext;
  readonly service: RunningService;
  readonly store: ObjectStore;
  /** Calls each method as a process that is allowed to call it. */
  readonly billing: BillingClient;
  clientOf(process: Process): BillingClient;
  actingFor(accountId: string): ForAccount;
  now(): Date;
  setNow(now: Date): void;
}

export async function startBillingFixture(overrides?: BillingOverrides): Promise<BillingFixture> {
  await using starting = new AsyncDisposableStack();
  let now = new Date('2026-03-14T09:26:53Z');
  const clock = () => now;
  const database = starting.use(
    await createTestDatabase([
      { schema: BILLING_SCHEMA, migrationsDir: BILLING_MIGRATIONS_DIR },
      { schema: BUS_SCHEMA, migrationsDir: BUS_MIGRATIONS_DIR },
    ]),
  );
  const { bus, tell, published } = starting.use(await openTestBus({ databaseUrl: database.url, clock }));
  const objectDir = await mkdtemp(join(tmpdir(), 'audiosplit-billing-'));
  starting.defer(() => rm(objectDir, { recursive: true }));
  const store = starting.use(await openFileObjectStore({ directory: objectDir }));
  const openStore = async () => store;
  const context = createTestContext({ process: 'billing', databaseUrl: database.url, bus, clock, openStore });
  const service = starting.use(await startBilling(readBillingConfig({}), context, overrides));
  const address = serveInProcess({ ...context, routes: service.routes });
  const running = starting.move();

  return {
    context,
    service,
    store,
    billing: createBillingClient(createPermittedCaller(clock), address),
    clientOf: (name) => createBillingClient(createCaller({ ...context, keys: testKeysOf(name) }), address),
    actingFor: (accountId) => actingFor({ accountId, scopes: [] }),
    now: clock,
    setNow(next) {
      now = next;
    },
    tell,
    published,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
