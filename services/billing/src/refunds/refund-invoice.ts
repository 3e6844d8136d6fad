import { InvalidParamsError, NotFoundError, UnavailableError } from '@audiosplit/chassis/errors';
import { newId } from '@audiosplit/chassis/ids';
import { withTransaction } from '@audiosplit/chassis/postgres/pool';
import type { BillingDependencies } from '../billing-dependencies.ts';
import { PaymentFailedError } from '../errors.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { formatMoney } from '../plans/money.ts';
import { lockAccount } from '../store/accounts.ts';
import { readInvoice } from '../store/invoices.ts';
import { findChargeOfInvoice, insertRefund, readRefundOfRequest, sumRefunds } from '../store/refunds.ts';
import type { Refund } from './refund.ts';
import { settleRefund } from './settle-refund.ts';

interface RefundOrder {
  readonly invoiceId: string;
  /** Undefined: everything that is left. */
  readonly amountCents: number | undefined;
  /** Mailed to the account's holder, and shown with the invoice. */
  readonly reason: string;
  /** Equal for repeats of the request, which return the same refund. */
  readonly requestKey: string;
}

const MAX_TEXT_LENGTH = 1_000;

/**
 * Refunds a paid invoice, or a part of it, to the card that has paid it. The invoice stays paid. While the
 * provider does not answer, the refund is pending and is requested again.
 *
 * Throws InvalidParamsError, NotFoundError, or PaymentFailedError if the provider refuses it.
 */
export async function refundInvoice(
  dependencies: BillingDependencies,
  accountId: string,
  order: RefundOrder,
): Promise<Refund> {
  checkText('reason', order.reason);
  checkText('requestKey', order.requestKey);
  const refund = await withTransaction(dependencies.pool, async (client): Promise<Refund> => {
    // Refunds run one after another, so that together they never exceed what was paid.
    await lockAccount(client, accountId);
    const earlier = await readRefundOfRequest(client, accountId, order.requestKey);
    if (earlier !== undefined) return checkRepeat(order, earlier);
    const invoice = await readInvoice(client, order.invoiceId);
    if (invoice?.accountId !== accountId) throw new NotFoundError('An invoice');
    const amountCents = amountOf(order, invoice, await sumRefunds(client, invoice.id));
    const providerChargeId = await findChargeOfInvoice(client, invoice);
    if (providerChargeId === undefined) throw new Error(`invoice ${invoice.id} was paid by no charge`);
    const createdAt = dependencies.clock();
    const refund: Refund = {
      id: newId('rfd', createdAt),
      accountId,
      invoiceId: invoice.id,
      state: 'pending',
      amountCents,
      currency: invoice.currency,
      reason: order.reason,
      requestKey: order.requestKey,
      providerChargeId,
      providerRefundId: undefined,
      providerAnswers: 0,
      createdAt,
    };
    await insertRefund(client, refund);
    return refund;
  });
  return settleRefund(dependencies, refund).catch((error: unknown) => {
    if (error instanceof UnavailableError) return refund;
    throw error;
  });
}

/** Throws InvalidParamsError, PaymentFailedError. */
function checkRepeat({ amountCents = 0 }: RefundOrder, earlier: Refund): Refund {
  const isRefused = earlier.state === 'failed' && earlier.providerRefundId === undefined;
  if (isRefused) throw new PaymentFailedError('The payment provider has refused the refund.');
  if (amountCents !== 0 && amountCents !== earlier.amountCents) {
    const made = formatMoney(earlier.amountCents, earlier.currency);
    throw new InvalidParamsError('amount', `the request has already refunded ${made}; check the invoice.`);
  }
  return earlier;
}

function amountOf({ amountCents }: RefundOrder, invoice: Invoice, refundedCents: number): number {
  const { number, status, currency } = invoice;
  if (status !== 'paid') {
    throw new InvalidParamsError('invoiceId', `${number} is ${status}; only what was paid can be refunded.`);
  }
  const leftCents = invoice.amountCents - refundedCents;
  if (leftCents === 0) throw new InvalidParamsError('invoiceId', `all of ${number} is refunded already.`);
  const wanted = amountCents ?? leftCents;
  if (!Number.isSafeInteger(wanted) || wanted < 1 || wanted > leftCents) {
    const range = `${formatMoney(1, currency)} to ${formatMoney(leftCents, currency)}`;
    throw new InvalidParamsError('amount', `give an amount from ${range}, which is what is left.`);
  }
  return wanted;
}

function checkText(field: string, text: string): void {
  if (text === '' || text.length > MAX_TEXT_LENGTH) {
    throw new InvalidParamsError(field, `give 1 to ${MAX_TEXT_LENGTH} characters.`);
  }
}
