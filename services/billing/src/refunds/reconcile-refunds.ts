import { newId } from '@audiosplit/chassis/ids';
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Logger } from '@audiosplit/chassis/process/log';
import type { BillingDependencies } from '../billing-dependencies.ts';
import type { Invoice } from '../invoices/invoice.ts';
import type { ProviderEvents, ProviderRefund } from '../payment/payment-provider.ts';
import { toCallError } from '../payment/provider-failure.ts';
import { findInvoiceOfCharge, findRefund, insertRefund } from '../store/refunds.ts';
import type { Refund } from './refund.ts';
import { writeRefund } from './settle-refund.ts';

/** The reason of a refund that was made in the provider's own console. */
const MADE_THERE = 'Refunded through the payment provider.';

/**
 * Updates the refunds of a charge from the provider's data, which also contain refunds made there. May be
 * repeated at any time.
 */
export async function reconcileRefunds(
  dependencies: BillingDependencies,
  events: Pick<ProviderEvents, 'refundsOf'>,
  providerChargeId: string,
  log: Logger,
): Promise<void> {
  const invoice = await findInvoiceOfCharge(dependencies.pool, providerChargeId);
  if (invoice === undefined) {
    log.warn({ providerChargeId }, 'a charge was refunded that has paid no invoice here');
    return;
  }
  const refunds = await events.refundsOf(providerChargeId).catch((error: unknown) => {
    throw toCallError(error);
  });
  for (const there of refunds) {
    await writeRefund(dependencies, {
      accountId: invoice.accountId,
      find: async (db) =>
        (await findRefund(db, { id: there.idempotencyKey, providerRefundId: there.providerRefundId })) ??
        insertMadeThere(db, invoice, providerChargeId, there),
      answer: { state: there.state, providerRefundId: there.providerRefundId },
    });
  }
}

async function insertMadeThere(
  db: Queryable,
  { id: invoiceId, accountId }: Pick<Invoice, 'id' | 'accountId'>,
  providerChargeId: string,
  { amountCents, currency, createdAt }: ProviderRefund,
): Promise<Refund> {
  const refund: Refund = {
    id: newId('rfd', createdAt),
    accountId,
    invoiceId,
    state: 'pending',
    amountCents,
    currency,
    reason: MADE_THERE,
    requestKey: undefined,
    providerChargeId,
    providerRefundId: undefined,
    providerAnswers: 0,
    createdAt,
  };
  await insertRefund(db, refund);
  return refund;
}
