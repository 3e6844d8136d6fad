import { onlyRow, type Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Invoice, InvoiceLine, InvoiceStatus } from '../invoices/invoice.ts';
import { CHARGED_FOR_MS } from '../subscription/subscription.ts';

interface InvoiceRow {
  readonly id: string;
  readonly accountId: string;
  readonly number: string;
  readonly status: InvoiceStatus;
  readonly amountCents: number;
  readonly currency: string;
  readonly periodStart: Date;
  readonly periodEnd: Date;
  readonly issuedAt: Date;
  readonly paidAt: Date | null;
  readonly chargeAttempts: number;
  readonly nextChargeAt: Date | null;
  readonly subscriptionId: string;
  readonly revision: number;
  readonly drawnRevision: number;
  readonly companyName: string | null;
  readonly taxId: string | null;
}

const COLUMNS = `id, account_id as "accountId", number, status, amount_cents as "amountCents", currency,
  period_start as "periodStart", period_end as "periodEnd", issued_at as "issuedAt", paid_at as "paidAt",
  charge_attempts as "chargeAttempts", next_charge_at as "nextChargeAt", subscription_id as "subscriptionId",
  revision, drawn_revision as "drawnRevision", company_name as "companyName", tax_id as "taxId"`;

/** Locks the counter until the transaction ends, so that a number rolled back is used by the next invoice. */
export async function takeInvoiceNumber(db: Queryable): Promise<number> {
  const result = await db.query<{ number: number }>(
    'update invoice_counter set last_number = last_number + 1 returning last_number as number',
  );
  return onlyRow(result).number;
}

export async function insertInvoice(
  db: Queryable,
  invoice: Invoice,
  lines: readonly InvoiceLine[],
): Promise<void> {
  await db.query(
    `insert into invoices (id, account_id, number, status, amount_cents, currency, period_start, period_end,
       issued_at, paid_at, charge_attempts, next_charge_at, subscription_id, company_name, tax_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
    [
      invoice.id,
      invoice.accountId,
      invoice.number,
      invoice.status,
      invoice.amountCents,
      invoice.currency,
      invoice.periodStart,
      invoice.periodEnd,
      invoice.issuedAt,
      invoice.paidAt,
      invoice.chargeAttempts,
      invoice.nextChargeAt,
      invoice.subscriptionId,
      invoice.billedTo.companyName,
      invoice.billedTo.taxId,
    ],
  );
  for (const [position, line] of lines.entries()) {
    await db.query(
      'insert into invoice_lines (invoice_id, position, description, amount_cents) values ($1, $2, $3, $4)',
      [invoice.id, position, line.description, line.amountCents],
    );
  }
}

/** Updates an invoice. A changed status makes its PDF out of date. */
export async function updateInvoice(
  db: Queryable,
  invoice: Pick<Invoice, 'id' | 'status' | 'paidAt' | 'chargeAttempts' | 'nextChargeAt'>,
): Promise<void> {
  await db.query(
    `update invoices
     set status = $2, paid_at = $3, charge_attempts = $4, next_charge_at = $5,
       revision = revision + (case when status = $2 then 0 else 1 end)
     where id = $1`,
    [invoice.id, invoice.status, invoice.paidAt, invoice.chargeAttempts, invoice.nextChargeAt],
  );
}

/** Makes its PDF out of date. */
export async function raiseInvoiceRevision(db: Queryable, id: string): Promise<void> {
  await db.query('update invoices set revision = revision + 1 where id = $1', [id]);
}

export async function readInvoice(db: Queryable, id: string): Promise<Invoice | undefined> {
  const { rows } = await db.query<InvoiceRow>(`select ${COLUMNS} from invoices where id = $1`, [id]);
  return rows[0] && fromRow(rows[0]);
}

export async function readInvoiceLines(db: Queryable, id: string): Promise<readonly InvoiceLine[]> {
  return (await listInvoiceLines(db, [id])).get(id) ?? [];
}

/** By invoice id, each invoice's lines in order. */
export async function listInvoiceLines(
  db: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly InvoiceLine[]>> {
  if (ids.length === 0) return new Map();
  const { rows } = await db.query<InvoiceLine & { readonly invoiceId: string }>(
    `select invoice_id as "invoiceId", description, amount_cents as "amountCents" from invoice_lines
     where invoice_id = any($1) order by invoice_id, position`,
    [ids],
  );
  return Map.groupBy(rows, ({ invoiceId }) => invoiceId);
}

/** The open invoice that is due first. */
export async function readNextDueInvoice(
  db: Queryable,
  accountId: string,
  now: Date,
): Promise<Invoice | undefined> {
  const { rows } = await db.query<InvoiceRow>(
    `select ${COLUMNS} from invoices where account_id = $1 and status = 'open' and next_charge_at <= $2
     order by next_charge_at, number limit 1`,
    [accountId, now],
  );
  return rows[0] && fromRow(rows[0]);
}

/** Makes all open invoices due now, because there is a new card. */
export async function makeOpenInvoicesDue(db: Queryable, accountId: string, now: Date): Promise<void> {
  await db.query("update invoices set next_charge_at = $2 where account_id = $1 and status = 'open'", [
    accountId,
    now,
  ]);
}

/**
 * Whether an invoice was given up, should have been, or could not be charged when its subscription had ended. `now` is on
 * the account's clock.
 */
export async function hasDebt(db: Queryable, accountId: string, now: Date): Promise<boolean> {
  const result = await db.query<{ hasDebt: boolean }>(
    `select exists (
       select from invoices join subscriptions on subscriptions.id = subscription_id
       where invoices.account_id = $1 and (invoices.status = 'uncollectible' or invoices.status = 'open'
         and (issued_at <= $2 or (ended_at is not null and charge_attempts > 0)))
     ) as "hasDebt"`,
    [accountId, new Date(now.getTime() - CHARGED_FOR_MS)],
  );
  return onlyRow(result).hasDebt;
}

/** Open, or given up. */
export async function countUnpaidInvoices(db: Queryable, subscriptionId: string): Promise<number> {
  const result = await db.query<{ unpaid: number }>(
    "select count(*) as unpaid from invoices where subscription_id = $1 and status in ('open', 'uncollectible')",
    [subscriptionId],
  );
  return onlyRow(result).unpaid;
}

export async function countOpenInvoices(db: Queryable, subscriptionId: string): Promise<number> {
  const result = await db.query<{ open: number }>(
    "select count(*) as open from invoices where subscription_id = $1 and status = 'open'",
    [subscriptionId],
  );
  return onlyRow(result).open;
}

/** Newest first. */
export async function listInvoices(
  db: Queryable,
  accountId: string,
  { page, limit }: { readonly page: number; readonly limit: number },
): Promise<{ readonly invoices: Invoice[]; readonly total: number }> {
  const [{ rows }, counted] = await Promise.all([
    db.query<InvoiceRow>(
      `select ${COLUMNS} from invoices where account_id = $1
       order by issued_at desc, number desc limit $2 offset $3`,
      [accountId, limit, (page - 1) * limit],
    ),
    db.query<{ total: number }>('select count(*) as total from invoices where account_id = $1', [accountId]),
  ]);
  return { invoices: rows.map(fromRow), total: onlyRow(counted).total };
}

/** Sorted by id, after `afterId`. */
export async function listUndrawnInvoices(db: Queryable, afterId: string, limit: number): Promise<Invoice[]> {
  const { rows } = await db.query<InvoiceRow>(
    `select ${COLUMNS} from invoices where drawn_revision < revision and id > $1 order by id limit $2`,
    [afterId, limit],
  );
  return rows.map(fromRow);
}

/** False if the invoice no longer exists. */
export async function markDrawn(db: Queryable, id: string, revision: number): Promise<boolean> {
  const { rowCount } = await db.query(
    'update invoices set drawn_revision = greatest(drawn_revision, $2) where id = $1',
    [id, revision],
  );
  return rowCount === 1;
}

function fromRow({ companyName, taxId, ...row }: InvoiceRow): Invoice {
  return {
    ...row,
    paidAt: row.paidAt ?? undefined,
    nextChargeAt: row.nextChargeAt ?? undefined,
    billedTo: { companyName: companyName ?? undefined, taxId: taxId ?? undefined },
  };
}
