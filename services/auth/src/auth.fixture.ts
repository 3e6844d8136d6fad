/** Auth through its API, with its own database and bus, and a stub of billing. */

import { BUS_MIGRATIONS_DIR, BUS_SCHEMA } from '@audiosplit/chassis/event-bus/postgres/postgres';
import { actingFor, type ForAccount } from '@audiosplit/chassis/identity/authorization';
import { openPool, type Pool } from '@audiosplit/chassis/postgres/pool';
import type { RunningService, ServiceContext } from '@audiosplit/chassis/process/service';
import type { RpcAddress } from '@audiosplit/chassis/rpc/client';
import { type Routes, serveInProcess } from '@audiosplit/chassis/rpc/server';
import { createPermittedCaller } from '@audiosplit/chassis/testing/identities';
import { createTestContext, failTest } from '@audiosplit/chassis/testing/service-context';
import { openTestBus, type TestBus } from '@audiosplit/chassis/testing/test-bus';
import { createTestDatabase } from '@audiosplit/chassis/testing/test-database';
import { BillingService } from '@audiosplit/proto/billing/v1/billing';
import { type AccountLimits, AccountLimitsSchema } from '@audiosplit/proto/events/v1/events';
import { create } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { SCOPES } from './api-keys/scopes.ts';
import { type AuthClient, createAuthClient } from './client.ts';
import type { AuthConfig } from './config.ts';
import { AUTH_MIGRATIONS_DIR, AUTH_SCHEMA } from './schema.ts';
import { startAuth } from './service.ts';

export interface AuthFixture extends Pick<TestBus, 'tell' | 'published'>, AsyncDisposable {
  readonly context: ServiceContext;
  readonly service: RunningService;
  readonly address: RpcAddress;
  /** Called as the gateway. */
  readonly auth: AuthClient;
  readonly pool: Pool;
  actingFor(accountId: string, scopes?: readonly string[]): ForAccount;
  now(): Date;
  advance(ms: number): void;
  /** The limits that billing returns, at first those of the Free plan. Undefined: billing is down. */
  billingLimits: AccountLimits | undefined;
  billingQuestions: number;
}

export const PASSWORD = 'correct horse battery';

export const CONFIG: AuthConfig = {
  secret: 'a secret of auth with more than 32 bytes',
  issuer: 'https://issuer.example',
  audience: 'an-audience',
  // The lowest costs of argon2, for speed.
  passwordHashing: { memoryKib: 8, iterations: 1, concurrency: 4 },
  signInBounds: {
    wrongPasswordsPerPair: 10,
    wrongPasswordsPerCaller: 100,
    wrongPasswordsPerAddress: 100,
    registrationsPerHour: 5,
    emailChangesPerHour: 5,
    wrongCodesPerAccount: 10,
  },
  requireVerifiedEmail: true,
  maxDatabaseConnections: 10,
};

export async function startAuthFixture(config: AuthConfig = CONFIG): Promise<AuthFixture> {
  await using starting = new AsyncDisposableStack();
  let nowMs = Date.UTC(2026, 2, 14, 9, 26, 53);
  const clock = () => new Date(nowMs);
  const database = starting.use(
    await createTestDatabase([
      { schema: AUTH_SCHEMA, migrationsDir: AUTH_MIGRATIONS_DIR },
      { schema: BUS_SCHEMA, migrationsDir: BUS_MIGRATIONS_DIR },
    ]),
  );
  const { bus, tell, published } = starting.use(await openTestBus({ databaseUrl: database.url, clock }));
  const billing: Routes = (router) =>
    router.service(BillingService, {
      getLimits() {
        fixture.billingQuestions += 1;
        if (fixture.billingLimits === undefined) throw new ConnectError('away', Code.Unavailable);
        return { limits: fixture.billingLimits };
      },
    });
  const context: ServiceContext = createTestContext({
    process: 'auth',
    databaseUrl: database.url,
    bus,
    clock,
    addressOf: () => serveInProcess({ ...context, routes: billing }),
  });
  const service = starting.use(await startAuth(config, context));
  const pool = starting.adopt(
    openPool({ url: database.url, schema: AUTH_SCHEMA, maxConnections: 2, onError: failTest }),
    (pool) => pool.end(),
  );
  const address = serveInProcess({ ...context, routes: service.routes });
  const gateway = createPermittedCaller(clock);
  const running = starting.move();

  const fixture: AuthFixture = {
    context,
    service,
    address,
    auth: createAuthClient(gateway, address),
    pool,
    actingFor: (accountId, scopes = SCOPES) => actingFor({ accountId, scopes }),
    now: clock,
    advance(ms) {
      nowMs += ms;
    },
    billingLimits: create(AccountLimitsSchema, { planId: 'plan_free', requestsPerMinute: 10 }),
    billingQuestions: 0,
    tell,
    published,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
  return fixture;
}
