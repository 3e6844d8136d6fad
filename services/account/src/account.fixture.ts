/** The account service as its callers see it, on a database and a bus of the test's own. */
import { setTimeout as delay } from 'node:timers/promises';
import { toOutboxMessage } from '@audiosplit/chassis/event-bus/events';
import { BUS_MIGRATIONS_DIR, BUS_SCHEMA, openPostgresEventBus } from '@audiosplit/chassis/event-bus/postgres';
import { newId } from '@audiosplit/chassis/ids';
import { silentLogger } from '@audiosplit/chassis/log';
import { createCaller } from '@audiosplit/chassis/rpc/client';
import { serveInProcess } from '@audiosplit/chassis/rpc/server';
import type { RunningService } from '@audiosplit/chassis/service';
import { createTestDatabase } from '@audiosplit/chassis/testing/test-database';
import { type Event, EventSchema } from '@audiosplit/proto/events/v1/events';
import { TOPIC_DECLARATIONS, TOPIC_OF } from '@audiosplit/proto/topics';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type AccountClient, createAccountClient } from './client.ts';
import { ACCOUNT_MIGRATIONS_DIR, ACCOUNT_SCHEMA } from './schema.ts';
import { startAccount } from './service.ts';

type EventInit = Exclude<MessageInitShape<typeof EventSchema>, Event>;
type Payload = Extract<NonNullable<EventInit['payload']>, { case: string }>;

export interface AccountFixture extends AsyncDisposable {
  readonly service: RunningService;
  /** Called as the gateway. */
  readonly accounts: AccountClient;
  actingFor(accountId: string): { readonly headers: Record<string, string> };
  now(): Date;
  /** Puts an event on the bus as another service would; `id` repeats one. */
  tell(accountId: string, payload: Payload, id?: string): Promise<void>;
}

export const INTERNAL_SECRET = 'an internal secret of more than 32 bytes';

export async function startAccountFixture(): Promise<AccountFixture> {
  await using starting = new AsyncDisposableStack();
  const now = new Date('2026-03-14T09:26:53Z');
  const clock = () => now;
  const log = silentLogger();
  const database = starting.use(
    await createTestDatabase([
      { schema: ACCOUNT_SCHEMA, migrationsDir: ACCOUNT_MIGRATIONS_DIR },
      { schema: BUS_SCHEMA, migrationsDir: BUS_MIGRATIONS_DIR },
    ]),
  );
  const bus = starting.use(
    await openPostgresEventBus({ url: database.url, topics: TOPIC_DECLARATIONS, log, pollMs: 50 }),
  );
  const serving = { internalSecret: INTERNAL_SECRET, log, clock };
  const service = starting.use(
    await startAccount(
      { maxDatabaseConnections: 10 },
      {
        ...serving,
        databaseUrl: database.url,
        bus,
        openStore: () => Promise.reject(new Error('the account service stores no objects yet')),
        addressOf: (name) => {
          throw new Error(`the account service does not call ${name}`);
        },
        fatal: (error) => {
          throw error;
        },
      },
    ),
  );
  const gateway = createCaller({ service: 'gateway', internalSecret: INTERNAL_SECRET, clock });
  const running = starting.move();
  return {
    service,
    accounts: createAccountClient(gateway, serveInProcess({ ...serving, routes: service.routes })),
    actingFor: (accountId) => gateway.actingFor({ kind: 'account', accountId, scopes: [] }),
    now: clock,
    async tell(accountId, payload, id = newId('evt')) {
      const occurredAt = timestampFromDate(now);
      const event = create(EventSchema, { id, accountId, occurredAt, payload });
      const message = toOutboxMessage(EventSchema, event, TOPIC_OF[payload.case], accountId);
      await bus.publish([{ ...message, headers: {} }]);
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Waits for what an event brings about. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 5_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('it did not come about within 5 s');
    await delay(10);
  }
}
