/** The account service as its callers see it, on a database and a bus of the test's own. */
import { NotFoundError } from '@audiosplit/chassis/errors';
import { BUS_MIGRATIONS_DIR, BUS_SCHEMA } from '@audiosplit/chassis/event-bus/postgres';
import { createCaller } from '@audiosplit/chassis/rpc/client';
import { serveInProcess } from '@audiosplit/chassis/rpc/server';
import type { RunningService, ServiceContext } from '@audiosplit/chassis/service';
import { createTestContext } from '@audiosplit/chassis/testing/service-context';
import { openTestBus, type TestBus } from '@audiosplit/chassis/testing/test-bus';
import { createTestDatabase } from '@audiosplit/chassis/testing/test-database';
import { type AccountSchema, AuthService } from '@audiosplit/proto/auth/v1/auth';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { type AccountClient, createAccountClient } from './client.ts';
import { ACCOUNT_MIGRATIONS_DIR, ACCOUNT_SCHEMA } from './schema.ts';
import { startAccount } from './service.ts';

export interface AccountFixture extends Pick<TestBus, 'tell'>, AsyncDisposable {
  readonly context: ServiceContext;
  readonly service: RunningService;
  /** Called as the gateway. */
  readonly accounts: AccountClient;
  /** What the auth service, played by the test, knows of accounts. */
  readonly knownToAuth: Map<string, MessageInitShape<typeof AccountSchema>>;
  actingFor(accountId: string): { readonly headers: Record<string, string> };
}

export async function startAccountFixture(): Promise<AccountFixture> {
  await using starting = new AsyncDisposableStack();
  const now = new Date('2026-03-14T09:26:53Z');
  const clock = () => now;
  const database = starting.use(
    await createTestDatabase([
      { schema: ACCOUNT_SCHEMA, migrationsDir: ACCOUNT_MIGRATIONS_DIR },
      { schema: BUS_SCHEMA, migrationsDir: BUS_MIGRATIONS_DIR },
    ]),
  );
  const { bus, tell } = starting.use(await openTestBus({ databaseUrl: database.url, clock }));
  const known = new Map<string, MessageInitShape<typeof AccountSchema>>();
  const auth = serveInProcess({
    ...createTestContext({ databaseUrl: database.url, bus, clock }),
    routes: (router) =>
      router.service(AuthService, {
        getIdentity({ accountId }) {
          const account = known.get(accountId);
          if (account === undefined) throw new NotFoundError('The account');
          return { account };
        },
      }),
  });
  const context = createTestContext({ databaseUrl: database.url, bus, clock, addressOf: () => auth });
  const service = starting.use(await startAccount({ maxDatabaseConnections: 10 }, context));
  const gateway = createCaller({ ...context, service: 'gateway' });
  const running = starting.move();
  return {
    context,
    service,
    accounts: createAccountClient(gateway, serveInProcess({ ...context, routes: service.routes })),
    actingFor: (accountId) => gateway.actingFor({ kind: 'account', accountId, scopes: [] }),
    knownToAuth: known,
    tell,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
