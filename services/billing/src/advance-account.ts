/**
 * Brings an account up to date: settles pending charges, ends periods and charges open invoices, each as of the time at
 * which it was due, in that order. Every change of an account starts with this, so that it works on current state.
 */

import { newId } from '@audiosplit/chassis/ids';
import { withTransaction } from '@audiosplit/chassis/postgres/pool';
import { accountTime } from './account-state.ts';
import type { BillingDependencies } from './billing-dependencies.ts';
import { planNextTry, settleCharge, voidInvoice } from './payment/settle-charge.ts';
import { lockAccount } from './store/accounts.ts';
import { insertCharge, readPendingCharge } from './store/charges.ts';
import { readNextDueInvoice } from './store/invoices.ts';
import { readPaymentMethod } from './store/payment-methods.ts';
import { readRunningSubscription } from './store/subscriptions.ts';
import { renew } from './subscription/period-end.ts';

/** Throws UnavailableError if the provider does not answer. */
export async function advanceAccount(dependencies: BillingDependencies, accountId: string): Promise<void> {
  for (;;) {
    const pending = await readPendingCharge(dependencies.pool, accountId);
    if (pending !== undefined) await settleCharge(dependencies, pending);
    else if (!(await takeNextStep(dependencies, accountId))) return;
  }
}

/** False when nothing is due. */
async function takeNextStep(
  { pool, provider, clock, wakeRelay }: BillingDependencies,
  accountId: string,
): Promise<boolean> {
  const stepped = await withTransaction(pool, async (db) => {
    const account = await lockAccount(db, accountId);
    if ((await readPendingCharge(db, accountId)) !== undefined) return true;
    const realTime = clock();
    const locked = { db, account, realTime };
    const now = accountTime(account, realTime);
    const subscription = await readRunningSubscription(db, accountId);
    const invoice = await readNextDueInvoice(db, accountId, now);
    const periodEnd = subscription?.currentPeriodEnd;
    const dueAt = invoice?.nextChargeAt;
    if (subscription !== undefined && periodEnd !== undefined && periodEnd <= now) {
      if (dueAt === undefined || periodEnd <= dueAt) {
        await renew(locked, subscription);
        return true;
      }
    }
    if (invoice === undefined || dueAt === undefined) return false;
    if (invoice.amountCents < provider.minimumChargeCents) {
      await voidInvoice(db, invoice);
      return true;
    }
    const method = await readPaymentMethod(db, accountId);
    if (method === undefined) {
      await planNextTry(locked, invoice.id, dueAt);
      return true;
    }
    await insertCharge(db, {
      id: newId('chg', realTime),
      accountId,
      amountCents: invoice.amountCents,
      currency: invoice.currency,
      method,
      purpose: { kind: 'invoice', subscriptionId: invoice.subscriptionId, invoiceId: invoice.id },
      requestedAt: dueAt,
      createdAt: realTime,
      requestKey: undefined,
      providerAnswers: 0,
    });
    return true;
  });
  if (stepped) wakeRelay();
  return stepped;
}
