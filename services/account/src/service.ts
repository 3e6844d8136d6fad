import { subscribeToEvents } from '@audiosplit/chassis/event-bus/events';
import { pruneConsumedEvents } from '@audiosplit/chassis/outbox/outbox';
import { openPool } from '@audiosplit/chassis/postgres/pool';
import { createHealth } from '@audiosplit/chassis/rpc/health';
import { startScheduledWork } from '@audiosplit/chassis/scheduled-work/scheduled-work';
import type { RunningService, ServiceContext } from '@audiosplit/chassis/service';
import { AccountService } from '@audiosplit/proto/account/v1/account';
import { EventSchema } from '@audiosplit/proto/events/v1/events';
import { TOPICS } from '@audiosplit/proto/topics';
import type { AccountConfig } from './config.ts';
import { handleAccountEvent } from './events.ts';
import { createAccountRoutes } from './rpc.ts';
import { ACCOUNT_SCHEMA } from './schema.ts';

const HOUR_MS = 3_600_000;

export async function startAccount(config: AccountConfig, context: ServiceContext): Promise<RunningService> {
  const { databaseUrl, bus, log, fatal } = context;
  await using starting = new AsyncDisposableStack();
  const pool = starting.adopt(
    openPool({
      url: databaseUrl,
      schema: ACCOUNT_SCHEMA,
      maxConnections: config.maxDatabaseConnections,
      onError: (error) => log.warn({ err: error }, 'an idle database connection broke'),
    }),
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

  const running = starting.move();
  return {
    routes: createAccountRoutes(pool),
    health: createHealth([AccountService], {
      postgres: () => pool.query('select 1'),
      bus: () => bus.check(),
    }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
