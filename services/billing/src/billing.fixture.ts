/** Billing as its callers see it, on a database and a bus of the test's own. */
import { setTimeout as delay } from 'node:timers/promises';
import { subscribeToEvents, toOutboxMessage } from '@audiosplit/chassis/event-bus/events';
import { BUS_MIGRATIONS_DIR, BUS_SCHEMA, openPostgresEventBus } from '@audiosplit/chassis/event-bus/postgres';
import { newId } from '@audiosplit/chassis/ids';
import { silentLogger } from '@audiosplit/chassis/log';
import { createCaller } from '@audiosplit/chassis/rpc/client';
import { serveInProcess } from '@audiosplit/chassis/rpc/server';
import type { RunningService } from '@audiosplit/chassis/service';
import { createTestDatabase } from '@audiosplit/chassis/testing/test-database';
import { type Event, EventSchema } from '@audiosplit/proto/events/v1/events';
import { TOPIC_DECLARATIONS, TOPIC_OF, TOPICS } from '@audiosplit/proto/topics';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type BillingClient, createBillingClient } from './client.ts';
import { BILLING_MIGRATIONS_DIR, BILLING_SCHEMA } from './schema.ts';
import { startBilling } from './service.ts';

type EventInit = Exclude<MessageInitShape<typeof EventSchema>, Event>;
type Payload = Extract<NonNullable<EventInit['payload']>, { case: string }>;

export interface BillingFixture extends AsyncDisposable {
  readonly service: RunningService;
  clientOf(service: string): BillingClient;
  actingFor(accountId: string): { readonly headers: Record<string, string> };
  now(): Date;
  setNow(now: Date): void;
  /** Puts an event on the bus as another service would; `key` orders it among others. */
  tell(accountId: string, key: string, payload: Payload): Promise<void>;
  /** Changes of limits that billing has published for an account; waits until there are `count`. */
  limitsChanges(accountId: string, count: number): Promise<Event[]>;
}

export const INTERNAL_SECRET = 'an internal secret of more than 32 bytes';

export async function startBillingFixture(): Promise<BillingFixture> {
  await using starting = new AsyncDisposableStack();
  let now = new Date('2026-03-14T09:26:53Z');
  const clock = () => now;
  const log = silentLogger();
  const database = starting.use(
    await createTestDatabase([
      { schema: BILLING_SCHEMA, migrationsDir: BILLING_MIGRATIONS_DIR },
      { schema: BUS_SCHEMA, migrationsDir: BUS_MIGRATIONS_DIR },
    ]),
  );
  const bus = starting.use(
    await openPostgresEventBus({ url: database.url, topics: TOPIC_DECLARATIONS, log, pollMs: 50 }),
  );
  const published: Event[] = [];
  await subscribeToEvents({
    bus,
    group: 'test',
    topics: [TOPICS.accounts],
    schema: EventSchema,
    handler: async (event) => {
      published.push(event);
    },
    onCrash: failOnCrash,
  });
  const serving = { internalSecret: INTERNAL_SECRET, log, clock };
  const service = starting.use(
    await startBilling(
      { maxDatabaseConnections: 10 },
      {
        ...serving,
        databaseUrl: database.url,
        bus,
        openStore: () => Promise.reject(new Error('billing stores no objects yet')),
        addressOf: (name) => {
          throw new Error(`billing does not call ${name}`);
        },
        fatal: failOnCrash,
      },
    ),
  );
  const address = serveInProcess({ ...serving, routes: service.routes });
  const callerNamed = (name: string) =>
    createCaller({ service: name, internalSecret: INTERNAL_SECRET, clock });
  const gateway = callerNamed('gateway');
  const running = starting.move();

  return {
    service,
    clientOf: (name) => createBillingClient(callerNamed(name), address),
    actingFor: (accountId) => gateway.actingFor({ kind: 'account', accountId, scopes: [] }),
    now: clock,
    setNow(next) {
      now = next;
    },
    async tell(accountId, key, payload) {
      const event = create(EventSchema, {
        id: newId('evt'),
        accountId,
        occurredAt: timestampFromDate(now),
        payload,
      });
      const message = toOutboxMessage(EventSchema, event, TOPIC_OF[payload.case], key);
      await bus.publish([{ ...message, headers: {} }]);
    },
    async limitsChanges(accountId, count) {
      const matching = () =>
        published.filter(
          (event) => event.payload.case === 'accountLimitsChanged' && event.accountId === accountId,
        );
      await until(() => matching().length >= count);
      return matching();
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

function failOnCrash(error: Error): never {
  throw error;
}
