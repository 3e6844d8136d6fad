/** Billing: plans, subscriptions, usage, invoices and payments. Wires the service together. */

import { subscribeToEvents } from '@audiosplit/chassis/event-bus/events';
import { responseSecretOf } from '@audiosplit/chassis/identity/keys';
import { exposeOutbox, exposePool } from '@audiosplit/chassis/observability/database-metrics';
import { startOutboxRelay } from '@audiosplit/chassis/outbox/relay';
import { checkPostgres } from '@audiosplit/chassis/postgres/check-postgres';
import type { RunningService, ServiceContext } from '@audiosplit/chassis/process/service';
import { createHealth } from '@audiosplit/chassis/rpc/health';
import { BillingService } from '@audiosplit/proto/billing/v1/billing';
import { BillingOperatorService } from '@audiosplit/proto/billing/v1/operators';
import { EventSchema } from '@audiosplit/proto/events/v1/events';
import { TOPICS } from '@audiosplit/proto/topics';
import { advanceAccount } from './advance-account.ts';
import type { BillingDependencies } from './billing-dependencies.ts';
import type { BillingConfig } from './config.ts';
import { advanceDueAccounts } from './due-accounts.ts';
import { handleEvent } from './events.ts';
import { createInvoiceFiles, type InvoiceFilesOptions } from './invoices/invoice-files.ts';
import { forgetCustomer, forgetCustomers } from './payment/customer-removals.ts';
import { openPaymentProvider } from './payment/open-payment-provider.ts';
import { detachRemoved, detachRemovedOf } from './payment/payment-method-removals.ts';
import type { PaymentProvider } from './payment/payment-provider.ts';
import { prune } from './prune.ts';
import { settleRefunds } from './refunds/settle-refund.ts';
import { createBillingRoutes } from './rpc.ts';
import { BILLING_SCHEMA } from './schema.ts';

/** A renewal or a charge is at most this late. */
const ADVANCE_EVERY_MS = 60_000;
const DRAW_EVERY_MS = 60_000;
/** Retries removals at the provider that failed. */
const DETACH_EVERY_MS = 60_000;
const FORGET_EVERY_MS = 60_000;
/** Retries refunds that the provider has not answered. */
const REFUND_EVERY_MS = 60_000;
const PRUNE_EVERY_MS = 3_600_000;

export interface BillingOverrides {
  readonly provider?: PaymentProvider;
  /** Default: draws a PDF. */
  readonly drawInvoice?: InvoiceFilesOptions['draw'];
  /** Default: one second. */
  readonly relayPollMs?: number;
}

export async function startBilling(
  config: BillingConfig,
  context: ServiceContext,
  overrides: BillingOverrides = {},
): Promise<RunningService> {
  const { bus, log, clock, fatal } = context;
  await using starting = new AsyncDisposableStack();
  const pool = starting.adopt(context.openPool(BILLING_SCHEMA, config.maxDatabaseConnections), (pool) =>
    pool.end(),
  );
  const provider = overrides.provider ?? openPaymentProvider(config.payment, clock);
  starting.use(exposePool(pool, BILLING_SCHEMA));
  starting.use(exposeOutbox(pool, BILLING_SCHEMA));
  const relay = starting.use(startOutboxRelay({ pool, bus, log, pollMs: overrides.relayPollMs }));

  const wakeRelay = () => relay.wake();
  const inFlight = new Set<Promise<unknown>>();
  const inBackground = (work: Promise<void>, failureMessage: string, about = {}) => {
    const running = work
      .catch((error: unknown) => log.warn({ err: error, ...about }, failureMessage))
      .finally(() => inFlight.delete(running));
    inFlight.add(running);
  };
  const queueAdvance = (accountId: string) =>
    inBackground(
      advanceAccount(dependencies, accountId),
      'an account could not be advanced, the next run retries it',
      { accountId },
    );
  const queueDetach = (accountId: string) =>
    inBackground(
      detachRemovedOf(dependencies, accountId, log),
      'removed payment methods could not be detached, the next run retries them',
      {
        accountId,
      },
    );
  const queueForget = (customerId: string) =>
    inBackground(
      forgetCustomer(dependencies, customerId),
      'a customer could not be deleted at the provider, the next run retries it',
      {
        customerId,
      },
    );
  starting.defer(async () => void (await Promise.all(inFlight)));
  const dependencies: BillingDependencies = {
    pool,
    clock,
    wakeRelay,
    provider,
    queueAdvance,
    queueDetach,
    queueForget,
  };
  starting.use(
    await subscribeToEvents({
      bus,
      group: 'billing',
      topics: [TOPICS.splits, TOPICS.accounts],
      schema: EventSchema,
      handler: (event) =>
        handleEvent({ pool, openStore: context.openStore, queueForget, wakeRelay, log }, event, clock()),
      onCrash: fatal,
    }),
  );
  const invoiceFiles = createInvoiceFiles({
    pool,
    openStore: context.openStore,
    seller: config.invoiceSeller,
    log,
    draw: overrides.drawInvoice,
  });
  starting.use(
    await context.schedule({
      pool,
      schema: BILLING_SCHEMA,
      log,
      onCrash: fatal,
      repeating: [
        {
          name: 'advance-accounts',
          everyMs: ADVANCE_EVERY_MS,
          run: (stopping) => advanceDueAccounts(dependencies, log, stopping),
        },
        {
          name: 'detach-payment-methods',
          everyMs: DETACH_EVERY_MS,
          run: (stopping) => detachRemoved(dependencies, log, stopping),
        },
        {
          name: 'forget-customers',
          everyMs: FORGET_EVERY_MS,
          run: (stopping) => forgetCustomers(dependencies, log, stopping),
        },
        {
          name: 'settle-refunds',
          everyMs: REFUND_EVERY_MS,
          run: (stopping) => settleRefunds(dependencies, log, stopping),
        },
        {
          name: 'draw-invoices',
          everyMs: DRAW_EVERY_MS,
          run: (stopping) => invoiceFiles.refreshAll(stopping),
        },
        { name: 'prune', everyMs: PRUNE_EVERY_MS, run: () => prune(pool, clock()) },
      ],
    }),
  );

  const running = starting.move();
  return {
    routes: createBillingRoutes({
      ...dependencies,
      log,
      invoiceFiles,
      responseSecret: responseSecretOf(context.keys),
    }),
    health: createHealth([BillingService, BillingOperatorService], {
      postgres: () => checkPostgres(pool),
    }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
