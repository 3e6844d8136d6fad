import { subscribeToEvents } from '@audiosplit/chassis/event-bus/events';
import { pruneConsumedEvents } from '@audiosplit/chassis/outbox/outbox';
import { openServicePool } from '@audiosplit/chassis/postgres/pool';
import { createCaller } from '@audiosplit/chassis/rpc/client';
import { hasReason } from '@audiosplit/chassis/rpc/errors';
import { createHealth } from '@audiosplit/chassis/rpc/health';
import { startScheduledWork } from '@audiosplit/chassis/scheduled-work/scheduled-work';
import type { RunningService, ServiceContext } from '@audiosplit/chassis/service';
import { AccountService } from '@audiosplit/proto/account/v1/account';
import { AuthService } from '@audiosplit/proto/auth/v1/auth';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { EventSchema } from '@audiosplit/proto/events/v1/events';
import { TOPICS } from '@audiosplit/proto/topics';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Account } from './account.ts';
import type { AccountConfig } from './config.ts';
import { handleAccountEvent } from './events.ts';
import { createAccountRoutes } from './rpc.ts';
import { ACCOUNT_SCHEMA } from './schema.ts';

const HOUR_MS = 3_600_000;

export async function startAccount(config: AccountConfig, context: ServiceContext): Promise<RunningService> {
  const { bus, log, fatal } = context;
  await using starting = new AsyncDisposableStack();
  const pool = starting.adopt(
    openServicePool(context, ACCOUNT_SCHEMA, config.maxDatabaseConnections),
    (pool) => pool.end(),
  );
  starting.use(
    await subscribeToEvents({
      bus,
      group: 'account',
      topics: [TOPICS.accounts],
      schema: EventSchema,
      handler: (event) => handleAccountEvent(pool, event),
      onCrash: fatal,
    }),
  );
  starting.use(
    await startScheduledWork({
      onCrash: context.fatal,
      pool,
      schema: ACCOUNT_SCHEMA,
      log,
      repeating: [{ name: 'prune', everyMs: HOUR_MS, run: () => pruneConsumedEvents(pool) }],
    }),
  );

  const caller = createCaller({
    service: 'account',
    internalSecret: context.internalSecret,
    clock: context.clock,
  });
  const auth = caller.client(AuthService, context.addressOf('auth'));
  const askAuth = async (accountId: string): Promise<Account | undefined> => {
    try {
      const { account } = await auth.getIdentity({ accountId });
      return account?.createdAt && { ...account, createdAt: timestampDate(account.createdAt) };
    } catch (error) {
      if (hasReason(error, Reason.NOT_FOUND)) return undefined;
      throw error;
    }
  };

  const running = starting.move();
  return {
    routes: createAccountRoutes({ pool, askAuth }),
    health: createHealth([AccountService], {
      postgres: () => pool.query('select 1'),
      bus: () => bus.check(),
    }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
