import { subscribeToEvents } from '@audiosplit/chassis/event-bus/events';
import { startOutboxRelay } from '@audiosplit/chassis/outbox/relay';
import { openServicePool } from '@audiosplit/chassis/postgres/pool';
import { createHealth } from '@audiosplit/chassis/rpc/health';
import type { RunningService, ServiceContext } from '@audiosplit/chassis/service';
import { BillingService } from '@audiosplit/proto/billing/v1/billing';
import { EventSchema } from '@audiosplit/proto/events/v1/events';
import { TOPICS } from '@audiosplit/proto/topics';
import type { BillingConfig } from './config.ts';
import { handleEvent } from './events.ts';
import { createBillingRoutes } from './rpc.ts';
import { BILLING_SCHEMA } from './schema.ts';

export async function startBilling(config: BillingConfig, context: ServiceContext): Promise<RunningService> {
  const { bus, log, clock, fatal } = context;
  await using starting = new AsyncDisposableStack();
  const pool = starting.adopt(
    openServicePool(context, BILLING_SCHEMA, config.maxDatabaseConnections),
    (pool) => pool.end(),
  );
  const relay = starting.use(startOutboxRelay({ pool, bus, log }));
  starting.use(
    await subscribeToEvents({
      bus,
      group: 'billing',
      topics: [TOPICS.splits, TOPICS.accounts],
      schema: EventSchema,
      handler: (event) => handleEvent(pool, event),
      onCrash: fatal,
    }),
  );

  const running = starting.move();
  return {
    routes: createBillingRoutes({ pool, wakeRelay: () => relay.wake(), clock }),
    health: createHealth([BillingService], {
      postgres: () => pool.query('select 1'),
      bus: () => bus.check(),
    }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
