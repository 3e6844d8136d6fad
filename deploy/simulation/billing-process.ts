/** The billing service: its own parts, put together as service.ts does, on simulated ports. */
import { advanceAccount } from '@audiosplit/billing/advance-account';
import type { BillingDependencies } from '@audiosplit/billing/billing-dependencies';
import { advanceDueAccounts } from '@audiosplit/billing/due-accounts';
import { handleEvent } from '@audiosplit/billing/events';
import { createBillingRoutes } from '@audiosplit/billing/rpc';
import { BILLING_SCHEMA } from '@audiosplit/billing/schema';
import { subscribeToEvents } from '@audiosplit/chassis/event-bus/events';
import { startOutboxRelay } from '@audiosplit/chassis/outbox/relay';
import { EventSchema } from '@audiosplit/proto/events/v1/events';
import { TOPICS } from '@audiosplit/proto/topics';
import { breakConsumer } from './flaws.ts';
import type { Installation } from './installation.ts';
import { crash } from './jobs-process.ts';
import { repeat } from './repeating-work.ts';
import { createSimulatedPool } from './simulated-pool.ts';
import type { SimulatedProcess } from './simulated-process.ts';

const RELAY_POLL_MS = 60_000;
const ADVANCE_EVERY_MS = 60_000;

export async function startBillingProcess(
  installation: Installation,
  process: SimulatedProcess,
): Promise<void> {
  const { log, clock, internalSecret, store, world } = installation;
  const pool = createSimulatedPool(installation, BILLING_SCHEMA);
  const bus = installation.bus.connect(process);
  const relay = startOutboxRelay({ pool, bus, log, pollMs: RELAY_POLL_MS });
  const openStore = async () => store;
  const dependencies: BillingDependencies = {
    pool,
    clock,
    provider: installation.payments.provider,
    wakeRelay: () => relay.wake(),
    advanceSoon: (accountId) =>
      void advanceAccount(dependencies, accountId).catch((error: unknown) =>
        world.record(`an account waits for the next run: ${String(error)}`),
      ),
    detachSoon: () => {},
    forgetSoon: () => {},
  };
  repeat(installation, 'advance', ADVANCE_EVERY_MS, () => advanceDueAccounts(dependencies, log));
  await subscribeToEvents({
    bus,
    group: 'billing',
    topics: [TOPICS.splits, TOPICS.accounts],
    schema: EventSchema,
    handler: (event) =>
      handleEvent(
        { pool, openStore, forgetSoon() {}, log },
        breakConsumer(event, world, installation.flaw),
        clock(),
      ),
    onCrash: crash,
  });
  const invoiceFiles = { refresh: async () => {}, refreshAll: async () => {} };
  installation.network.serve(
    'billing',
    process,
    createBillingRoutes({ ...dependencies, log, invoiceFiles, internalSecret }),
  );
}
