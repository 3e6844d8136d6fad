import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import { formatRate } from '../plans/money.ts';
import { readAccount } from '../store/accounts.ts';
import { insertInvoice, takeInvoiceNumber } from '../store/invoices.ts';
import type { Subscription } from '../subscription/subscription.ts';
import type { PricedOverage } from '../usage/overage.ts';
import type { UsagePeriod } from '../usage/usage-period.ts';
import { createInvoice, type Invoice, type InvoiceLine } from './invoice.ts';

/** Issues an invoice with the lines above 0, or none if there are no such lines. Runs in a transaction. */
export async function issueInvoice(
  db: Queryable,
  subscription: Pick<Subscription, 'id' | 'accountId'>,
  invoice: {
    readonly lines: readonly InvoiceLine[];
    readonly currency: string;
    readonly period: UsagePeriod;
    readonly issuedAt: Date;
    readonly payment: 'paid' | 'open';
  },
): Promise<Invoice | undefined> {
  const lines = invoice.lines.filter((line) => line.amountCents > 0);
  if (lines.length === 0) return undefined;
  const issued = createInvoice({
    ...invoice,
    lines,
    accountId: subscription.accountId,
    subscriptionId: subscription.id,
    billedTo: (await readAccount(db, subscription.accountId)).profile,
    runningNumber: await takeInvoiceNumber(db),
  });
  await insertInvoice(db, issued, lines);
  return issued;
}

export function planLine(planName: string, { start, end }: UsagePeriod, amountCents: number): InvoiceLine {
  return { description: `${planName} plan, ${formatDay(start)} to ${formatDay(end)}`, amountCents };
}

/** One line per price. */
export function overageLines(
  overage: readonly PricedOverage[],
  { start, end }: UsagePeriod,
  currency: string,
): InvoiceLine[] {
  return overage.map(({ minutes, includedMinutes, millicentsPerMinute, cents }) => {
    const counted = `${minutes} ${minutes === 1 ? 'minute' : 'minutes'} beyond the ${includedMinutes} included`;
    const rate = `at ${formatRate(millicentsPerMinute, currency)} each`;
    return {
      description: `${counted} ${rate}, ${formatDay(start)} to ${formatDay(end)}`,
      amountCents: cents,
    };
  });
}

export function upgradeLine(from: string, to: string, until: Date, amountCents: number): InvoiceLine {
  return { description: `Move from ${from} to ${to}, until ${formatDay(until)}`, amountCents };
}

/** For display, in UTC: `14 March 2026`. */
export function formatDay(date: Date): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(date);
}
