/** The billing service: its own parts, put together as service.ts does, on simulated ports. */
import { advanceAccount } from '@audiosplit/billing/advance-account';
import type { BillingDependencies } from '@audiosplit/billing/billing-dependencies';
import { advanceDueAccounts } from '@audiosplit/billing/due-accounts';
import { handleEvent } from '@audiosplit/billing/events';
import { createInvoiceFiles } from '@audiosplit/billing/invoices/invoice-files';
import { forgetCustomer, forgetCustomers } from '@audiosplit/billing/payment/customer-removals';
import { detachRemoved, detachRemovedOf } from '@audiosplit/billing/payment/payment-method-removals';
import { createBillingRoutes } from '@audiosplit/billing/rpc';
import { BILLING_SCHEMA } from '@audiosplit/billing/schema';
import { subscribeToEvents } from '@audiosplit/chassis/event-bus/events';
import { startOutboxRelay } from '@audiosplit/chassis/outbox/relay';
import { EventSchema } from '@audiosplit/proto/events/v1/events';
import { TOPICS } from '@audiosplit/proto/topics';
import { breakConsumer, breakDatabase, breakPayments } from './flaws.ts';
import type { Installation } from './installation.ts';
import { crash } from './jobs-process.ts';
import { repeat } from './repeating-work.ts';
import { createSimulatedPool } from './simulated-pool.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import type { Tables } from './watched-tables.ts';

const RELAY_POLL_MS = 240_000;
const ADVANCE_EVERY_MS = 60_000;
const REMOVE_EVERY_MS = 90_000;
const DRAW_EVERY_MS = 90_000;

export async function startBillingProcess(
  installation: Installation,
  process: SimulatedProcess,
): Promise<void> {
  const { log, clock, internalSecret, store, world, tables } = installation;
  const pool = breakDatabase(createSimulatedPool(installation, BILLING_SCHEMA), installation.flaw);
  const bus = installation.bus.connect(process);
  const relay = startOutboxRelay({ pool, bus, log, pollMs: RELAY_POLL_MS });
  const openStore = async () => store;
  const dependencies: BillingDependencies = {
    pool,
    clock,
    provider: breakPayments(installation.payments.provider, world, installation.flaw),
    wakeRelay: () => relay.wake(),
    queueAdvance: (accountId) => soon(advanceAccount(dependencies, accountId)),
    queueDetach: (accountId) => soon(detachRemovedOf(dependencies, accountId, log)),
    queueForget: (customerId) => soon(forgetCustomer(dependencies, customerId)),
  };
  const soon = (work: Promise<void>) =>
    void work.catch((error: unknown) => world.record(`left for the next run: ${String(error)}`));
  const invoiceFiles = createInvoiceFiles({
    pool,
    openStore,
    log,
    seller: ['Audiosplit'],
    draw: async ({ invoice }) => Buffer.from(`${invoice.number} ${invoice.status}`),
  });
  repeat(installation, {
    name: 'advance',
    everyMs: ADVANCE_EVERY_MS,
    run: () => advanceDueAccounts(dependencies, log),
    isDue: () => isAnyAccountDue(tables, world.nowMs()),
  });
  repeat(installation, {
    name: 'detach',
    everyMs: REMOVE_EVERY_MS,
    run: () => detachRemoved(dependencies, log),
    isDue: () => tables.methodRemovals.size > 0,
  });
  repeat(installation, {
    name: 'forget',
    everyMs: REMOVE_EVERY_MS,
    run: () => forgetCustomers(dependencies, log),
    isDue: () => tables.customerRemovals.size > 0,
  });
  repeat(installation, {
    name: 'draw',
    everyMs: DRAW_EVERY_MS,
    run: () => invoiceFiles.refreshAll(),
    isDue: () => tables.invoices.values().some(({ revision, drawnRevision }) => drawnRevision < revision),
  });
  await subscribeToEvents({
    bus,
    group: 'billing',
    topics: [TOPICS.splits, TOPICS.accounts],
    schema: EventSchema,
    handler: (event) =>
      handleEvent(
        { pool, openStore, queueForget: dependencies.queueForget, log },
        breakConsumer(event, world, installation.flaw),
        clock(),
      ),
    onCrash: crash,
  });
  installation.network.serve(
    'billing',
    process,
    createBillingRoutes({ ...dependencies, log, invoiceFiles, internalSecret }),
  );
}

function isAnyAccountDue({ charges, subscriptions, invoices }: Tables, nowMs: number): boolean {
  return (
    charges.values().some(({ state }) => state === 'pending') ||
    subscriptions.values().some(({ hasEnded, periodEndMs }) => !hasEnded && periodEndMs <= nowMs) ||
    invoices.values().some(({ nextChargeAtMs }) => nextChargeAtMs !== null && nextChargeAtMs <= nowMs)
  );
}
