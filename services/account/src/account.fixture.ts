/**
 * The account service through its API, with its own database, bus, object store and mail server. The other services are
 * stubs that answer with the contents of `others`.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NotFoundError } from '@audiosplit/chassis/errors';
import { BUS_MIGRATIONS_DIR, BUS_SCHEMA } from '@audiosplit/chassis/event-bus/postgres/postgres';
import { actingFor, type ForAccount, requireAccount } from '@audiosplit/chassis/identity/authorization';
import { openFileObjectStore } from '@audiosplit/chassis/object-store/files';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import { openPool, type Pool } from '@audiosplit/chassis/postgres/pool';
import type { RunningService, ServiceContext } from '@audiosplit/chassis/process/service';
import { type Routes, serveInProcess } from '@audiosplit/chassis/rpc/server';
import { createPermittedCaller } from '@audiosplit/chassis/testing/identities';
import { runTask } from '@audiosplit/chassis/testing/run-task';
import { createTestContext, failTest } from '@audiosplit/chassis/testing/service-context';
import { openTestBus, type TestBus } from '@audiosplit/chassis/testing/test-bus';
import { createTestDatabase } from '@audiosplit/chassis/testing/test-database';
import { until } from '@audiosplit/chassis/testing/until';
import {
  type AccountSchema,
  type ApiKeySchema,
  AuthService,
  type SignedInSessionSchema,
} from '@audiosplit/proto/auth/v1/auth';
import {
  BillingService,
  type InvoiceSchema,
  type SubscriptionSchema,
} from '@audiosplit/proto/billing/v1/billing';
import { type ConnectionSchema, ConnectionsService } from '@audiosplit/proto/jobs/v1/connections';
import { type JobSchema, JobsService } from '@audiosplit/proto/jobs/v1/jobs';
import {
  type DeliverySchema,
  type EndpointSchema,
  WebhooksService,
} from '@audiosplit/proto/webhooks/v1/webhooks';
import type { DescMessage, MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type AccountClient, createAccountClient } from './client.ts';
import { readAccountConfig } from './config.ts';
import { type ReceivedMail, readMail } from './mail/received-mail.fixture.ts';
import { startSmtpServer } from './mail/smtp-server.fixture.ts';
import { ACCOUNT_MIGRATIONS_DIR, ACCOUNT_SCHEMA } from './schema.ts';
import { startAccount } from './service.ts';

type Init<D extends DescMessage> = Exclude<MessageInitShape<D>, { $typeName: string }>;

/** The data of the other services, for the calling account unless stated otherwise. */
interface Others {
  readonly identities: Map<string, Init<typeof AccountSchema>>;
  apiKeys: readonly Init<typeof ApiKeySchema>[];
  sessions: readonly Init<typeof SignedInSessionSchema>[];
  /** One page each. */
  jobs: readonly (readonly Init<typeof JobSchema>[])[];
  connections: readonly Init<typeof ConnectionSchema>[];
  deliveries: readonly Init<typeof DeliverySchema>[];
  endpoint: Init<typeof EndpointSchema> | undefined;
  invoices: readonly Init<typeof InvoiceSchema>[];
  subscription: Init<typeof SubscriptionSchema> | undefined;
  chargePending: boolean;
  /** Called with the method and the account of each call by the service. */
  onCall: (method: string, accountId: string) => void | Promise<void>;
}

export interface AccountFixture extends Pick<TestBus, 'tell' | 'published'>, AsyncDisposable {
  readonly context: ServiceContext;
  readonly service: RunningService;
  /** Called as the gateway. */
  readonly accounts: AccountClient;
  readonly others: Others;
  readonly store: ObjectStore;
  /** Connects with the rights of the service. */
  readonly sql: Pool;
  actingFor(accountId: string): ForAccount;
  now(): Date;
  advance(ms: number): void;
  /** Runs a periodic task at once, and waits until it is idle. */
  runTask(name: string): Promise<void>;
  /** Waits for `count` mails to this address, and returns them oldest first. */
  mailTo(address: string, count: number): Promise<readonly ReceivedMail[]>;
  /** Starts another process of the service. It is stopped before the first one. */
  startReplica(): Promise<RunningService>;
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

export async function startAccountFixture(): Promise<AccountFixture> {
  await using starting = new AsyncDisposableStack();
  let nowMs = Date.UTC(2026, 2, 14, 9, 26, 53);
  const clock = () => new Date(nowMs);
  const database = starting.use(
    await createTestDatabase([
      { schema: ACCOUNT_SCHEMA, migrationsDir: ACCOUNT_MIGRATIONS_DIR },
      { schema: BUS_SCHEMA, migrationsDir: BUS_MIGRATIONS_DIR },
    ]),
  );
  const sql = starting.adopt(
    openPool({ url: database.url, schema: ACCOUNT_SCHEMA, maxConnections: 2, onError: failTest }),
    (pool) => pool.end(),
  );
  const { bus, tell, published } = starting.use(await openTestBus({ databaseUrl: database.url, clock }));
  const objectDir = await mkdtemp(join(tmpdir(), 'audiosplit-account-'));
  starting.defer(() => rm(objectDir, { recursive: true }));
  const store = starting.use(await openFileObjectStore({ directory: objectDir }));
  const smtp = starting.use(await startSmtpServer());
  const others: Others = {
    identities: new Map(),
    apiKeys: [],
    sessions: [],
    jobs: [],
    connections: [],
    deliveries: [],
    endpoint: undefined,
    invoices: [],
    subscription: undefined,
    chargePending: false,
    onCall: () => undefined,
  };
  const context = createTestContext({
    process: 'account',
    databaseUrl: database.url,
    bus,
    clock,
    openStore: async () => store,
    addressOf: (name) =>
      serveInProcess({
        ...createTestContext({ process: 'account', databaseUrl: '', bus, clock }),
        routes: standInFor(name, others, clock),
      }),
  });
  const config = readAccountConfig({
    SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    MAIL_FROM: 'audiosplit <no-reply@audiosplit.example>',
    PUBLIC_BASE_URL: 'https://audiosplit.example',
  });
  const service = starting.use(await startAccount(config, context));
  const gateway = createPermittedCaller(clock);
  const running = starting.move();
  return {
    context,
    service,
    accounts: createAccountClient(gateway, serveInProcess({ ...context, routes: service.routes })),
    others,
    store,
    sql,
    tell,
    published,
    actingFor: (accountId) => actingFor({ accountId, scopes: [] }),
    now: clock,
    advance(ms) {
      nowMs += ms;
    },
    runTask: (name) => runTask(sql, ACCOUNT_SCHEMA, name),
    async mailTo(address, count) {
      const matching = () => smtp.messages.filter(({ to }) => to.includes(address));
      await until(() => matching().length >= count, `${count} mails to ${address}`);
      return matching().map(({ raw }) => readMail(raw));
    },
    async startReplica() {
      return running.use(await startAccount(config, context));
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function standInFor(name: string, others: Others, clock: () => Date): Routes {
  const page = <T>(items: readonly T[], { page, limit }: { page: number; limit: number }) =>
    items.slice((page - 1) * limit, page * limit);
  return (router) => {
    switch (name) {
      case 'auth':
        return router.service(AuthService, {
          async getIdentity({ accountId }) {
            const account = others.identities.get(accountId);
            if (account === undefined) throw new NotFoundError('The account');
            return { account };
          },
          async closeAccount({ event }) {
            await others.onCall('closeAccount', event?.accountId ?? '');
            return {};
          },
          async createSignInLink({ accountId }) {
            await others.onCall('createSignInLink', accountId);
            if (!others.identities.has(accountId)) throw new NotFoundError('The account');
            return {
              token: 'asl_the-token',
              expiresAt: timestampFromDate(new Date(clock().getTime() + HOUR_MS)),
            };
          },
          async createMailedLink({ accountId, purpose, email }) {
            await others.onCall(`createMailedLink ${purpose} ${email}`, accountId);
            if (!others.identities.has(accountId)) throw new NotFoundError('The account');
            return {
              token: `the-token-to-${purpose}`,
              expiresAt: timestampFromDate(new Date(clock().getTime() + HOUR_MS)),
            };
          },
          async listSessions(_, context) {
            await others.onCall('listSessions', requireAccount(context).accountId);
            return { sessions: [...others.sessions] };
          },
          async listApiKeys(request, context) {
            await others.onCall('listApiKeys', requireAccount(context).accountId);
            return { apiKeys: [...page(others.apiKeys, request)], total: BigInt(others.apiKeys.length) };
          },
        });
      case 'billing':
        return router.service(BillingService, {
          async getBillingInfo(_, context) {
            await others.onCall('getBillingInfo', requireAccount(context).accountId);
            const { subscription, chargePending } = others;
            const plan = { id: 'plan_pro' };
            return { plan, chargePending, ...(subscription === undefined ? {} : { subscription }) };
          },
          async getUsage({ period }, context) {
            await others.onCall(`getUsage ${period}`, requireAccount(context).accountId);
            const [year = 0, month = 0] = (period === 'current' ? clock().toISOString() : period)
              .split('-')
              .map(Number);
            return {
              periodStart: timestampFromDate(new Date(Date.UTC(year, month - 1))),
              periodEnd: timestampFromDate(new Date(Date.UTC(year, month))),
              minutesProcessed: 7n,
              currency: 'usd',
            };
          },
          async listInvoices(request, context) {
            await others.onCall('listInvoices', requireAccount(context).accountId);
            return { invoices: [...page(others.invoices, request)], total: BigInt(others.invoices.length) };
          },
        });
      case 'jobs':
        router.service(ConnectionsService, {
          async listConnections(_, context) {
            await others.onCall('listConnections', requireAccount(context).accountId);
            return { connections: [...others.connections] };
          },
        });
        return router.service(JobsService, {
          async walkJobs({ pageToken }, context) {
            await others.onCall('walkJobs', requireAccount(context).accountId);
            const n = Number(pageToken);
            const isLast = n + 1 >= others.jobs.length;
            return { jobs: [...(others.jobs[n] ?? [])], nextPageToken: isLast ? '' : String(n + 1) };
          },
        });
      case 'webhooks':
        return router.service(WebhooksService, {
          async walkDeliveries(_, context) {
            await others.onCall('walkDeliveries', requireAccount(context).accountId);
            return { deliveries: [...others.deliveries] };
          },
          async getEndpoint(_, context) {
            await others.onCall('getEndpoint', requireAccount(context).accountId);
            if (others.endpoint === undefined) throw new NotFoundError('An endpoint');
            return { endpoint: others.endpoint };
          },
        });
      default:
        throw new Error(`the account service does not call ${name}`);
    }
  };
}
