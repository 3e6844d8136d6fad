/** Account: profiles, deletion, data exports and mail to account holders. Wires the service together. */

import { messageOf, UnavailableError } from '@audiosplit/chassis/errors';
import { subscribeToEvents } from '@audiosplit/chassis/event-bus/events';
import { actingFor } from '@audiosplit/chassis/identity/authorization';
import { responseSecretOf } from '@audiosplit/chassis/identity/keys';
import { exposeOutbox, exposePool } from '@audiosplit/chassis/observability/database-metrics';
import { startOutboxRelay } from '@audiosplit/chassis/outbox/relay';
import { checkPostgres } from '@audiosplit/chassis/postgres/check-postgres';
import type { ScheduledWork } from '@audiosplit/chassis/process/scheduled-work';
import type { RunningService, ServiceContext } from '@audiosplit/chassis/process/service';
import { createCaller } from '@audiosplit/chassis/rpc/client';
import { hasReason } from '@audiosplit/chassis/rpc/errors';
import { createHealth } from '@audiosplit/chassis/rpc/health';
import { AccountService } from '@audiosplit/proto/account/v1/account';
import { AuthService } from '@audiosplit/proto/auth/v1/auth';
import { BillingService } from '@audiosplit/proto/billing/v1/billing';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { EventSchema } from '@audiosplit/proto/events/v1/events';
import { ConnectionsService } from '@audiosplit/proto/jobs/v1/connections';
import { JobsService } from '@audiosplit/proto/jobs/v1/jobs';
import { TOPICS } from '@audiosplit/proto/topics';
import { WebhooksService } from '@audiosplit/proto/webhooks/v1/webhooks';
import { fromBinary } from '@bufbuild/protobuf';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Account } from './account.ts';
import type { AccountDependencies, Task } from './account-dependencies.ts';
import type { AccountConfig, MailConfig } from './config.ts';
import { purgeDueAccounts } from './deletion/purge-accounts.ts';
import { handleAccountEvent } from './events.ts';
import { expireExports } from './export/expire-exports.ts';
import { makeDueExports } from './export/make-exports.ts';
import { createFolderMailer } from './mail/folder.ts';
import type { Mailer } from './mail/mailer.ts';
import { createMailQueue, sendDueMails } from './mail/queued-mail.ts';
import { createSmtpMailer } from './mail/smtp.ts';
import { prune } from './prune.ts';
import { createAccountRoutes } from './rpc.ts';
import { ACCOUNT_SCHEMA } from './schema.ts';
import { findAccount } from './store/accounts.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** More at once would only compete for the same database. */
const MAX_EXPORTS_IN_FLIGHT = 2;
/** Leaves as many slots for other tasks as exports can take. */
const CONCURRENT_TASKS = 2 * MAX_EXPORTS_IN_FLIGHT;
/** Timeout for telling auth that the account is closed. The change is committed by then; the client is waiting. */
const CLOSING_TIMEOUT_MS = SECOND_MS;
/** Billing retries a pending charge once a minute. */
const CHARGE_SETTLES_WITHIN_S = 60;

export async function startAccount(config: AccountConfig, context: ServiceContext): Promise<RunningService> {
  const { bus, log, fatal, clock, keys, openStore, addressOf } = context;
  await using starting = new AsyncDisposableStack();
  const pool = starting.adopt(context.openPool(ACCOUNT_SCHEMA, config.maxDatabaseConnections), (pool) =>
    pool.end(),
  );
  const mailer = starting.use(openMailer(config.mail));
  starting.use(exposePool(pool, ACCOUNT_SCHEMA));
  starting.use(exposeOutbox(pool, ACCOUNT_SCHEMA));
  const relay = starting.use(startOutboxRelay({ pool, bus, log }));

  const caller = createCaller({ keys, clock });
  const auth = caller.client(AuthService, addressOf('auth'));
  const billing = caller.client(BillingService, addressOf('billing'));
  const jobs = caller.client(JobsService, addressOf('jobs'));
  const connections = caller.client(ConnectionsService, addressOf('jobs'));
  const webhooks = caller.client(WebhooksService, addressOf('webhooks'));
  /** Used until the registration event has reached this service. */
  const askAuth = async (accountId: string): Promise<Account | undefined> => {
    try {
      const { account } = await auth.getIdentity({ accountId });
      if (account?.createdAt === undefined) return undefined;
      const { id, email, name } = account;
      return { id, email, name, createdAt: timestampDate(account.createdAt) };
    } catch (error) {
      if (hasReason(error, Reason.NOT_FOUND)) return undefined;
      throw error;
    }
  };

  // Tasks left by an earlier process can start before `work` is assigned. They wait for it here, before they take a
  // database connection, because the start itself needs one.
  const started = Promise.withResolvers<ScheduledWork>();
  const queueTask: AccountDependencies['queueTask'] = async (db, task: Task) => {
    const work = await started.promise;
    await work.schedule(db, task, {}, { key: task });
  };
  const dependencies: AccountDependencies = {
    pool,
    clock,
    wakeRelay: () => relay.wake(),
    queueTask,
    queueMail: createMailQueue({
      publicBaseUrl: config.publicBaseUrl,
      sendSoon: (db) => queueTask(db, 'send-mails'),
    }),
    findHolder: async (accountId) => (await findAccount(pool, accountId)) ?? (await askAuth(accountId)),
  };
  const exportMaker = {
    ...dependencies,
    sources: { auth, billing, jobs, connections, webhooks },
    openStore,
    log,
  };
  let exportsInFlight = 0;
  const makeExports = async (stopping: AbortSignal) => {
    await started.promise;
    if (exportsInFlight === MAX_EXPORTS_IN_FLIGHT) return;
    exportsInFlight += 1;
    await makeDueExports({ ...exportMaker, stopping }).finally(() => {
      exportsInFlight -= 1;
    });
  };
  const eventDependencies = { ...dependencies, openStore, auth };
  const mailSender = { pool, mailer, clock, log };

  const work = await context.schedule({
    pool,
    schema: ACCOUNT_SCHEMA,
    log,
    onCrash: fatal,
    concurrency: CONCURRENT_TASKS,
    repeating: [
      { name: 'make-exports', everyMs: 10 * SECOND_MS, run: makeExports },
      {
        name: 'send-mails',
        everyMs: 30 * SECOND_MS,
        run: (stopping) => sendDueMails({ ...mailSender, stopping }),
      },
      {
        name: 'purge-accounts',
        everyMs: MINUTE_MS,
        run: (stopping) => purgeDueAccounts(dependencies, stopping),
      },
      {
        name: 'expire-exports',
        everyMs: 10 * MINUTE_MS,
        run: (stopping) => expireExports(pool, openStore, clock(), stopping),
      },
      { name: 'prune', everyMs: HOUR_MS, run: () => prune(pool, clock()) },
    ],
  });
  started.resolve(work);
  starting.use(work);
  starting.use(
    await subscribeToEvents({
      bus,
      group: 'account',
      topics: [TOPICS.accounts],
      schema: EventSchema,
      handler: (event) => handleAccountEvent(eventDependencies, event, clock()),
      onCrash: fatal,
    }),
  );

  const running = starting.move();
  return {
    routes: createAccountRoutes({
      ...dependencies,
      responseSecret: responseSecretOf(keys),
      async hasSubscription(accountId) {
        const asAccount = actingFor({ accountId, scopes: [] });
        const { subscription, chargePending } = await billing.getBillingInfo({}, asAccount);
        // The charge may succeed and start a subscription, which must not be deleted unseen.
        if (subscription === undefined && chargePending) {
          throw new UnavailableError('a charge of the account is pending', CHARGE_SETTLES_WITHIN_S);
        }
        return subscription !== undefined;
      },
      async announceClosing({ value }) {
        const event = fromBinary(EventSchema, value);
        // While auth is down the gateway accepts no key, and the bus delivers the event once auth is back.
        await auth.closeAccount({ event }, { timeoutMs: CLOSING_TIMEOUT_MS }).catch((error: unknown) => {
          log.warn(
            { accountId: event.accountId },
            `auth could not be notified of the closing directly: ${messageOf(error)}`,
          );
        });
      },
    }),
    health: createHealth([AccountService], {
      postgres: () => checkPostgres(pool),
    }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function openMailer(config: MailConfig): Mailer {
  switch (config.kind) {
    case 'smtp':
      return createSmtpMailer(config);
    case 'folder':
      return createFolderMailer(config);
    default:
      return config satisfies never;
  }
}
