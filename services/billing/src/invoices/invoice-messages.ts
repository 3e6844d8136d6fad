import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Invoice as InvoiceMessage } from '@audiosplit/proto/billing/v1/billing';
import { toProtoInvoice } from '../proto-mapping.ts';
import { listInvoiceLines } from '../store/invoices.ts';
import { listRefunds } from '../store/refunds.ts';
import type { Invoice } from './invoice.ts';

/** With their refunds, and with their lines if requested. */
export async function toProtoInvoices(
  db: Queryable,
  invoices: readonly Invoice[],
  withLines = false,
): Promise<InvoiceMessage[]> {
  const ids = invoices.map(({ id }) => id);
  const [lines, refunds] = await Promise.all([
    listInvoiceLines(db, withLines ? ids : []),
    listRefunds(db, ids),
  ]);
  return invoices.map((invoice) =>
    toProtoInvoice(invoice, { lines: lines.get(invoice.id), refunds: refunds.get(invoice.id) }),
  );
}
