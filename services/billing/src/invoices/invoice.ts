/** Invoices: their fields, numbers and the place of their PDF in the object store. */
import { newId } from '@audiosplit/chassis/ids';
import type { BillingProfile } from '../store/accounts.ts';
import type { UsagePeriod } from '../usage/usage-period.ts';

export type InvoiceStatus = 'draft' | 'open' | 'paid' | 'uncollectible' | 'void';

export interface Invoice {
  readonly id: string;
  readonly accountId: string;
  readonly subscriptionId: string;
  readonly number: string;
  readonly status: InvoiceStatus;
  readonly amountCents: number;
  readonly currency: string;
  readonly periodStart: Date;
  readonly periodEnd: Date;
  readonly issuedAt: Date;
  readonly paidAt: Date | undefined;
  /** Attempts to charge it so far. */
  readonly chargeAttempts: number;
  /** When an open invoice is charged next. */
  readonly nextChargeAt: Date | undefined;
  /** Grows with every change of the status. `drawnRevision` is that of the PDF. */
  readonly revision: number;
  readonly drawnRevision: number;
  /** The profile that was in force when the invoice was issued. */
  readonly billedTo: BillingProfile;
}

export interface InvoiceLine {
  readonly description: string;
  readonly amountCents: number;
}

/** `INV-202603-000042`: the month of issue (UTC) and a running number of the whole installation. */
function invoiceNumber(issuedAt: Date, runningNumber: number): string {
  const month = issuedAt.toISOString().slice(0, 7).replace('-', '');
  return `INV-${month}-${String(runningNumber).padStart(6, '0')}`;
}

/** The key of its PDF. Each revision has its own, so that a late upload does not overwrite a newer PDF. */
export function invoiceObjectKey({
  accountId,
  id,
  revision,
}: Pick<Invoice, 'accountId' | 'id' | 'revision'>): string {
  return `${invoiceObjectPrefix(accountId)}${id}-${revision}.pdf`;
}

/** The prefix of all invoices of an account. */
export function invoiceObjectPrefix(accountId: string): string {
  return `accounts/${accountId}/invoices/`;
}

interface NewInvoice {
  readonly accountId: string;
  readonly subscriptionId: string;
  readonly runningNumber: number;
  readonly lines: readonly InvoiceLine[];
  readonly currency: string;
  readonly period: UsagePeriod;
  readonly issuedAt: Date;
  readonly payment: 'paid' | 'open';
  readonly billedTo: BillingProfile;
}

/** The amount is the sum of the lines. */
export function createInvoice(invoice: NewInvoice): Invoice {
  const { accountId, subscriptionId, currency, issuedAt, period, billedTo } = invoice;
  const isPaid = invoice.payment === 'paid';
  return {
    id: newId('inv', issuedAt),
    accountId,
    subscriptionId,
    number: invoiceNumber(issuedAt, invoice.runningNumber),
    status: invoice.payment,
    amountCents: invoice.lines.reduce((sum, line) => sum + line.amountCents, 0),
    currency,
    periodStart: period.start,
    periodEnd: period.end,
    issuedAt,
    paidAt: isPaid ? issuedAt : undefined,
    chargeAttempts: isPaid ? 1 : 0,
    nextChargeAt: isPaid ? undefined : issuedAt,
    revision: 1,
    drawnRevision: 0,
    billedTo,
  };
}
