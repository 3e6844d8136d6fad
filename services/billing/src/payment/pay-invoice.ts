import { NotFoundError } from '@audiosplit/chassis/errors';
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { BillingDependencies } from '../billing-dependencies.ts';
import { InvoiceAlreadyPaidError, InvoiceNotPayableError } from '../errors.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { readInvoice } from '../store/invoices.ts';
import { decide, planCharge, settleOrThrow } from '../subscription/decide.ts';

/**
 * Charges an invoice that is open or was given up, at its holder's request. Of concurrent requests one
 * charges, and all return the paid invoice.
 *
 * Throws NotFoundError, InvoiceAlreadyPaidError, InvoiceNotPayableError, PaymentMethodRequiredError,
 * PaymentFailedError.
 */
export async function payInvoice(
  dependencies: BillingDependencies,
  accountId: string,
  invoiceId: string,
): Promise<Invoice> {
  const { pool } = dependencies;
  requirePayable(await invoiceOf(pool, accountId, invoiceId));
  const decision = await decide<Invoice>(dependencies, accountId, async (locked) => {
    const invoice = await invoiceOf(locked.db, accountId, invoiceId);
    // It was due, or another request has paid it meanwhile.
    if (invoice.status === 'paid') return { kind: 'done', result: invoice };
    requirePayable(invoice);
    const { amountCents, subscriptionId } = invoice;
    const purpose = { kind: 'invoice', subscriptionId, invoiceId } as const;
    return { kind: 'charge', charge: await planCharge(locked, amountCents, invoice, purpose) };
  });
  if (decision.kind === 'done') return decision.result;
  await settleOrThrow(dependencies, decision.charge);
  // If the subscription continues with a new period, that is charged at once.
  dependencies.queueAdvance(accountId);
  return invoiceOf(pool, accountId, invoiceId);
}

async function invoiceOf(db: Queryable, accountId: string, invoiceId: string): Promise<Invoice> {
  const invoice = await readInvoice(db, invoiceId);
  if (invoice?.accountId !== accountId) throw new NotFoundError('An invoice');
  return invoice;
}

function requirePayable({ number, status }: Invoice): void {
  if (status === 'paid') throw new InvoiceAlreadyPaidError(number);
  if (status === 'draft' || status === 'void') throw new InvoiceNotPayableError(number, status);
}
