import { messageOf, UnavailableError } from '@audiosplit/chassis/errors';
import { subscribeToEvents } from '@audiosplit/chassis/event-bus/events';
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
import { createExportLink } from './export/export-link.ts';
import { makeDueExports } from './export/make-exports.ts';
import { createFolderMailer } from './mail/folder.ts';
import type { Mailer } from './mail/mailer.ts';
import { sendDueMails } from './mail/queued-mail.ts';
import { createSmtpMailer } from './mail/smtp.ts';
import { prune } from './prune.ts';
import { createAccountRoutes } from './rpc.ts';
import { ACCOUNT_SCHEMA } from './schema.ts';
import { findAccount } from './store/accounts.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** A large account's export takes its time; more at once would only share the same database. */
const MAX_EXPORTS_UNDER_WAY = 2;
/** Whatever exports take up, as many tasks again can run. */
const CONCURRENT_TASKS = 2 * MAX_EXPORTS_UNDER_WAY;
/** An answer waits for it that is true already, and whose caller does not wait long. */
const CLOSING_TIMEOUT_MS = SECOND_MS;
/** Billing asks for a charge that has no answer once a minute. */
const CHARGE_SETTLES_WITHIN_S = 60;

export async function startAccount(config: AccountConfig, context: ServiceContext): Promise<RunningService> {
  const { bus, log, fatal, clock, internalSecret, openStore, addressOf } = context;
  await using starting = new AsyncDisposableStack();
  const pool = starting.adopt(context.openPool(ACCOUNT_SCHEMA, config.maxDatabaseConnections), (pool) =>
    pool.end(),
  );
  const mailer = starting.use(openMailer(config.mail));
  starting.use(exposePool(pool, ACCOUNT_SCHEMA));
  starting.use(exposeOutbox(pool, ACCOUNT_SCHEMA));
  const relay = starting.use(startOutboxRelay({ pool, bus, log }));

  const caller = createCaller({ service: 'account', internalSecret, clock });
  const auth = caller.client(AuthService, addressOf('auth'));
  const billing = caller.client(BillingService, addressOf('billing'));
  const jobs = caller.client(JobsService, addressOf('jobs'));
  const webhooks = caller.client(WebhooksService, addressOf('webhooks'));
  /** For the moment before its registration has reached this service. */
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

  // Tasks left from before run while the work that they plant with is still starting: they wait for it, and do so
  // before they hold a connection, of which the start needs one.
  const started = Promise.withResolvers<ScheduledWork>();
  const dependencies: AccountDependencies = {
    pool,
    clock,
    wakeRelay: () => relay.wake(),
    async hurry(db, task: Task) {
      const work = await started.promise;
      await work.plant(db, task, {}, { key: task });
    },
    findHolder: async (accountId) => (await findAccount(pool, accountId)) ?? (await askAuth(accountId)),
  };
  const exportMaker = {
    ...dependencies,
    sources: { caller, auth, billing, jobs, webhooks },
    openStore,
    linkTo: createExportLink(config.downloads),
    log,
  };
  let exportsUnderWay = 0;
  const makeExports = async (stopping: AbortSignal) => {
    await started.promise;
    if (exportsUnderWay === MAX_EXPORTS_UNDER_WAY) return;
    exportsUnderWay += 1;
    await makeDueExports({ ...exportMaker, stopping }).finally(() => {
      exportsUnderWay -= 1;
    });
  };
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
      handler: (event) => handleAccountEvent({ pool, openStore }, event, clock()),
      onCrash: fatal,
    }),
  );

  const running = starting.move();
  return {
    routes: createAccountRoutes({
      ...dependencies,
      internalSecret,
      async hasSubscription(accountId) {
        const asAccount = caller.actingFor({ kind: 'account', accountId, scopes: [] });
        const { subscription, chargePending } = await billing.getBillingInfo({}, asAccount);
        // It may yet turn out to have been paid, and what is paid for has to be told or given back.
        if (subscription === undefined && chargePending) {
          throw new UnavailableError('a charge of the account has no answer yet', CHARGE_SETTLES_WITHIN_S);
        }
        return subscription !== undefined;
      },
      async announceClosing({ value }) {
        const event = fromBinary(EventSchema, value);
        // While auth is away no gateway lets a key in; the bus tells it once it is back.
        await auth.closeAccount({ event }, { timeoutMs: CLOSING_TIMEOUT_MS }).catch((error: unknown) => {
          log.warn({ accountId: event.accountId }, `auth was not told at once: ${messageOf(error)}`);
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
