/**
 * The webhooks service on real Postgres and with real receivers, called through its Connect client. The bus
 * delivers events to the service at once; the clock runs only when the test moves it.
 */

import { randomBytes, randomUUID } from 'node:crypto';
import type { EventBus, SubscribeOptions } from '@audiosplit/chassis/event-bus/event-bus';
import { actingFor } from '@audiosplit/chassis/identity/authorization';
import type { Env } from '@audiosplit/chassis/process/env';
import { silentLogger } from '@audiosplit/chassis/process/log';
import { postgresPorts } from '@audiosplit/chassis/process/postgres-ports';
import type { RunningService } from '@audiosplit/chassis/process/service';
import { hasReason } from '@audiosplit/chassis/rpc/errors';
import { serveInProcess } from '@audiosplit/chassis/rpc/server';
import { createPermittedCaller, testKeysOf } from '@audiosplit/chassis/testing/identities';
import { createTestDatabase } from '@audiosplit/chassis/testing/test-database';
import type { Reason } from '@audiosplit/proto/errors/v1/errors';
import {
  EventSchema,
  type ExportFinishedSchema,
  type SplitStatusChangedSchema,
  type UsageThresholdSchema,
} from '@audiosplit/proto/events/v1/events';
import { TOPIC_OF } from '@audiosplit/proto/topics';
import type { Delivery } from '@audiosplit/proto/webhooks/v1/webhooks';
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import pg from 'pg';
import { createWebhooksClient } from './client.ts';
import { readWebhooksConfig } from './config.ts';
import { startReceiver } from './delivery/receiver.fixture.ts';
import { WEBHOOKS_MIGRATIONS_DIR, WEBHOOKS_SCHEMA } from './schema.ts';
import { startWebhooks, type WebhooksOverrides } from './service.ts';

type StatusChange = Exclude<MessageInitShape<typeof SplitStatusChangedSchema>, { $typeName: string }>;
type ExportEnd = Exclude<MessageInitShape<typeof ExportFinishedSchema>, { $typeName: string }>;
type Threshold = Exclude<MessageInitShape<typeof UsageThresholdSchema>, { $typeName: string }>;
type Payload =
  | { case: 'splitStatusChanged'; value: StatusChange }
  | { case: 'exportFinished'; value: ExportEnd }
  | { case: 'usageThreshold'; value: Threshold }
  | { case: 'accountPurged'; value: object };

export const refusedWith = (reason: Reason) => (error: unknown) => hasReason(error, reason);

export async function startWebhooksFixture(overrides: WebhooksOverrides = {}, env: Env = {}) {
  await using starting = new AsyncDisposableStack();
  let nowMs = Date.now();
  const clock = () => new Date(nowMs);
  const database = starting.use(
    await createTestDatabase([{ schema: WEBHOOKS_SCHEMA, migrationsDir: WEBHOOKS_MIGRATIONS_DIR }]),
  );
  const receiver = starting.use(await startReceiver());
  const { bus, deliver, hearWith } = createDirectBus();
  const common = { keys: testKeysOf('webhooks'), log: silentLogger(), clock };
  const config = readWebhooksConfig({
    EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
    WEBHOOKS_SECRET: randomBytes(32).toString('hex'),
    ...env,
  });
  const start = (clockAheadMs = 0) =>
    startWebhooks(
      config,
      {
        ...common,
        clock: () => new Date(nowMs + clockAheadMs),
        ...postgresPorts({ databaseUrl: database.url, log: common.log, bus }),
        bus,
        openStore: () => Promise.reject(new Error('webhooks stores no objects')),
        addressOf: (name) => {
          throw new Error(`webhooks does not call ${name}`);
        },
        fatal: (error) => {
          throw error;
        },
      },
      { random: () => 0, ...overrides },
    );
  const services: [RunningService, ...RunningService[]] = [await start()];
  starting.defer(async () => {
    for (const service of services) await service[Symbol.asyncDispose]();
  });
  const gateway = createPermittedCaller(clock);
  const clientOf = (service: RunningService) =>
    createWebhooksClient(gateway, serveInProcess({ ...common, routes: service.routes }));
  const first = services[0];
  let webhooks = clientOf(first);
  const sql = starting.adopt(
    new pg.Pool({ connectionString: database.url, max: 2, options: `-c search_path=${WEBHOOKS_SCHEMA}` }),
    (pool) => pool.end(),
  );
  const as = (accountId: string) => actingFor({ accountId, scopes: [] });
  const publish = async (accountId: string, payload: Payload, id = `evt_${randomUUID()}`) => {
    const event = create(EventSchema, { id, occurredAt: timestampFromDate(clock()), accountId, payload });
    await deliver(TOPIC_OF[payload.case], toBinary(EventSchema, event));
  };
  const eventually = async <T>(what: string, look: () => T | undefined | Promise<T | undefined>) => {
    for (let attempt = 0; attempt < 3_000; attempt++) {
      const seen = await look();
      if (seen !== undefined) return seen;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`did not come true within 30 s: ${what}`);
  };
  const deliveriesOf = async (accountId: string) =>
    (await webhooks.listDeliveries({ page: 1, limit: 100 }, as(accountId))).deliveries;
  const running = starting.move();

  return {
    webhooks,
    receiver,
    sql,
    service: first,
    clock,
    as,
    publish,
    eventually,
    deliveriesOf,
    /** Starts another replica; further calls go to it. */
    async startReplica({ clockAheadMs = 0 } = {}) {
      const replica = await start(clockAheadMs);
      services.push(replica);
      webhooks = clientOf(replica);
    },
    /** Further events go to the replica that was started last, or to the first one again. */
    hearWith,
    /** A job's change of status, as the jobs service publishes it. */
    change: (accountId: string, webhookUrl: string, change: Partial<StatusChange> = {}, id?: string) =>
      publish(accountId, { case: 'splitStatusChanged', value: { ...aChange(), webhookUrl, ...change } }, id),
    advanceTo(at: Date) {
      nowMs = at.getTime();
    },
    advance(ms: number) {
      nowMs += ms;
    },
    /** The due times of an account's planned wake-ups, soonest first, without running ones. */
    async wakeUps(accountId: string): Promise<Date[]> {
      const { rows } = await sql.query<{ run_at: Date }>(
        `select run_at from webhooks_scheduled._private_jobs
         where payload ->> 'accountId' = $1 and locked_at is null order by run_at`,
        [accountId],
      );
      return rows.map((row) => row.run_at);
    },
    /** Waits until no wake-up of the account is planned or running. */
    untilQuiet: (accountId: string) =>
      eventually(`no wake-up of ${accountId} is left`, async () => {
        const { rowCount } = await sql.query(
          `select from webhooks_scheduled._private_jobs where payload ->> 'accountId' = $1`,
          [accountId],
        );
        return rowCount === 0 || undefined;
      }),
    /** Waits until no due wake-up of the account is planned or running. */
    untilDone: (accountId: string) =>
      eventually(`no wake-up of ${accountId} is due`, async () => {
        const { rowCount } = await sql.query(
          `select from webhooks_scheduled._private_jobs
           where payload ->> 'accountId' = $1 and (run_at <= now() or locked_at is not null)`,
          [accountId],
        );
        return rowCount === 0 || undefined;
      }),
    async makeWakeUpsDue() {
      await sql.query(
        `update webhooks_scheduled._private_jobs set run_at = now() where payload ->> 'accountId' is not null`,
      );
      await sql.query(`select pg_notify('jobs:insert', '{"r": 0, "count": 1}')`);
    },
    /** Runs the service's periodic work now, and waits until it is done. */
    async runRepeating(name: string) {
      const { rows } = await sql.query<{ id: number }>(
        'update webhooks_scheduled._private_jobs set run_at = now() where key = $1 returning id::int',
        [name],
      );
      await sql.query(`select pg_notify('jobs:insert', '{"r": 0, "count": 1}')`);
      await eventually(`${name} has run`, async () => {
        const { rowCount } = await sql.query('select from webhooks_scheduled._private_jobs where id = $1', [
          rows[0]?.id,
        ]);
        return rowCount === 0 || undefined;
      });
    },
    /** Waits for the account's only delivery to have this many attempts, or this status. */
    delivery(accountId: string, wanted: { attempts?: number; status?: string }): Promise<Delivery> {
      return eventually(`a delivery of ${accountId} with ${JSON.stringify(wanted)}`, async () => {
        const [found] = await deliveriesOf(accountId);
        if (found === undefined) return undefined;
        const isSo =
          found.attempts.length === (wanted.attempts ?? found.attempts.length) &&
          found.status === (wanted.status ?? found.status);
        return isSo ? found : undefined;
      });
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

export type WebhooksFixture = Awaited<ReturnType<typeof startWebhooksFixture>>;

let jobs = 0;

function aChange(): StatusChange {
  return {
    jobId: `job_${++jobs}`,
    status: 'processing',
    splitMode: 'duration',
    segmentDurationSeconds: 60,
    createdAt: timestampFromDate(new Date('2026-03-01T12:00:00.250Z')),
  };
}

/** The time until the next attempt, counted from the last one. */
export function pauseOf(delivery: Delivery): number {
  const last = delivery.attempts.at(-1)?.at;
  if (last === undefined || delivery.nextAttemptAt === undefined) throw new Error('nothing to come');
  return timestampDate(delivery.nextAttemptAt).getTime() - timestampDate(last).getTime();
}

function createDirectBus() {
  const subscriptions: SubscribeOptions[] = [];
  const bus: EventBus = {
    publish: () => Promise.reject(new Error('webhooks publishes nothing')),
    async subscribe(options) {
      subscriptions.push(options);
      return { pause() {}, resume() {}, async [Symbol.asyncDispose]() {} };
    },
    async check() {},
    async [Symbol.asyncDispose]() {},
  };
  let replica: 'first' | 'last' = 'first';
  /** Delivers to one member of the group, as a real bus does. */
  const deliver = async (topic: string, value: Uint8Array) => {
    const members = subscriptions.filter(({ topics }) => topics.includes(topic));
    const member = members.at(replica === 'first' ? 0 : -1);
    const { signal } = new AbortController();
    await member?.handler({ topic, key: 'key', value, headers: {}, delivery: 1 }, signal);
  };
  const hearWith = (wanted: typeof replica) => {
    replica = wanted;
  };
  return { bus, deliver, hearWith };
}
