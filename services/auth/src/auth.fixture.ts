/** Auth as its callers see it, on a database and a bus of the test's own, with a billing service that the test plays. */
import { setTimeout as delay } from 'node:timers/promises';
import type { EventBus } from '@audiosplit/chassis/event-bus/event-bus';
import { subscribeToEvents, toOutboxMessage } from '@audiosplit/chassis/event-bus/events';
import { BUS_MIGRATIONS_DIR, BUS_SCHEMA, openPostgresEventBus } from '@audiosplit/chassis/event-bus/postgres';
import { newId } from '@audiosplit/chassis/ids';
import { silentLogger } from '@audiosplit/chassis/log';
import { openPool, type Pool } from '@audiosplit/chassis/postgres/pool';
import { type Caller, createCaller, type RpcAddress } from '@audiosplit/chassis/rpc/client';
import { serveInProcess } from '@audiosplit/chassis/rpc/server';
import type { RunningService } from '@audiosplit/chassis/service';
import { createTestDatabase } from '@audiosplit/chassis/testing/test-database';
import { BillingService } from '@audiosplit/proto/billing/v1/billing';
import { type AccountLimits, type Event, EventSchema } from '@audiosplit/proto/events/v1/events';
import { TOPIC_DECLARATIONS, TOPIC_OF, TOPICS } from '@audiosplit/proto/topics';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { type AuthClient, createAuthClient } from './client.ts';
import type { AuthConfig } from './config.ts';
import { AUTH_MIGRATIONS_DIR, AUTH_SCHEMA } from './schema.ts';
import { SCOPES } from './scopes.ts';
import { startAuth } from './service.ts';

type EventInit = Exclude<MessageInitShape<typeof EventSchema>, Event>;
type Payload = Extract<NonNullable<EventInit['payload']>, { case: string }>;

export interface AuthFixture extends AsyncDisposable {
  /** Called as the gateway. */
  readonly auth: AuthClient;
  readonly address: RpcAddress;
  readonly service: RunningService;
  readonly pool: Pool;
  callerNamed(service: string): Caller;
  actingFor(accountId: string, scopes?: readonly string[]): { readonly headers: Record<string, string> };
  now(): Date;
  advance(ms: number): void;
  /** What the next question to billing gives; undefined: billing is away. */
  billingLimits: AccountLimits | undefined;
  billingQuestions: number;
  /** Puts an event on the bus as another service would; `id` repeats one. */
  tell(accountId: string, payload: Payload, id?: string): Promise<void>;
  /** Events of this kind that auth has published for an account; waits until there are `count`. */
  published(kind: Payload['case'], accountId: string, count: number): Promise<Event[]>;
}

export const INTERNAL_SECRET = 'an internal secret of more than 32 bytes';
export const PASSWORD = 'correct horse battery';

export const CONFIG: AuthConfig = {
  secret: 'a secret of auth with more than 32 bytes',
  issuer: 'https://issuer.example',
  audience: 'an-audience',
  // Costs argon2's least, as the tests are about everything else.
  passwordHashing: { memoryKib: 8, iterations: 1 },
  maxDatabaseConnections: 10,
};

export async function startAuthFixture(config: AuthConfig = CONFIG): Promise<AuthFixture> {
  await using starting = new AsyncDisposableStack();
  let nowMs = Date.UTC(2026, 2, 14, 9, 26, 53);
  const clock = () => new Date(nowMs);
  const log = silentLogger();
  const database = starting.use(
    await createTestDatabase([
      { schema: AUTH_SCHEMA, migrationsDir: AUTH_MIGRATIONS_DIR },
      { schema: BUS_SCHEMA, migrationsDir: BUS_MIGRATIONS_DIR },
    ]),
  );
  const bus: EventBus = starting.use(
    await openPostgresEventBus({ url: database.url, topics: TOPIC_DECLARATIONS, log, pollMs: 50 }),
  );
  const events: Event[] = [];
  await subscribeToEvents({
    bus,
    group: 'test',
    topics: [TOPICS.accounts, TOPICS.apiKeys],
    schema: EventSchema,
    handler: async (event) => {
      events.push(event);
    },
    onCrash: failOnCrash,
  });
  const serving = { internalSecret: INTERNAL_SECRET, log, clock };
  const billingAddress = serveInProcess({
    ...serving,
    routes: (router) =>
      router.service(BillingService, {
        getLimits() {
          fixture.billingQuestions += 1;
          if (fixture.billingLimits === undefined) throw new ConnectError('away', Code.Unavailable);
          return { limits: fixture.billingLimits };
        },
      }),
  });
  const service = starting.use(
    await startAuth(config, {
      ...serving,
      databaseUrl: database.url,
      bus,
      openStore: () => Promise.reject(new Error('auth stores no objects')),
      addressOf: () => billingAddress,
      fatal: failOnCrash,
    }),
  );
  const pool = starting.adopt(
    openPool({ url: database.url, schema: AUTH_SCHEMA, maxConnections: 2, onError: failOnCrash }),
    (pool) => pool.end(),
  );
  const address = serveInProcess({ ...serving, routes: service.routes });
  const callerNamed = (name: string) =>
    createCaller({ service: name, internalSecret: INTERNAL_SECRET, clock });
  const gateway = callerNamed('gateway');
  const running = starting.move();

  const fixture: AuthFixture = {
    auth: createAuthClient(gateway, address),
    address,
    service,
    pool,
    callerNamed,
    actingFor: (accountId, scopes = SCOPES) => gateway.actingFor({ kind: 'account', accountId, scopes }),
    now: clock,
    advance(ms) {
      nowMs += ms;
    },
    billingLimits: undefined,
    billingQuestions: 0,
    async tell(accountId, payload, id = newId('evt')) {
      const event = create(EventSchema, { id, accountId, payload });
      const message = toOutboxMessage(EventSchema, event, TOPIC_OF[payload.case], accountId);
      await bus.publish([{ ...message, headers: {} }]);
    },
    async published(kind, accountId, count) {
      const matching = () =>
        events.filter((event) => event.payload.case === kind && event.accountId === accountId);
      await until(() => matching().length >= count);
      return matching();
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
  return fixture;
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
