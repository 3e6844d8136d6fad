import { onlyRow, type Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Invoice } from '../invoices/invoice.ts';
import type { Refund } from '../refunds/refund.ts';

type RefundRow = Omit<Refund, 'requestKey' | 'providerRefundId'> & {
  readonly requestKey: string | null;
  readonly providerRefundId: string | null;
};

const COLUMNS = `id, account_id as "accountId", invoice_id as "invoiceId", state, amount_cents as "amountCents", currency,
  reason, request_key as "requestKey", provider_charge_id as "providerChargeId",
  provider_refund_id as "providerRefundId", provider_answers as "providerAnswers", created_at as "createdAt"`;

export async function insertRefund(db: Queryable, refund: Refund): Promise<void> {
  await db.query(
    `insert into refunds (id, account_id, invoice_id, state, amount_cents, currency, reason, request_key,
       provider_charge_id, provider_refund_id, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      refund.id,
      refund.accountId,
      refund.invoiceId,
      refund.state,
      refund.amountCents,
      refund.currency,
      refund.reason,
      refund.requestKey ?? null,
      refund.providerChargeId,
      refund.providerRefundId ?? null,
      refund.createdAt,
    ],
  );
}

export async function readRefund(db: Queryable, id: string): Promise<Refund | undefined> {
  const { rows } = await db.query<RefundRow>(`select ${COLUMNS} from refunds where id = $1`, [id]);
  return rows[0] && fromRow(rows[0]);
}

/** By our id, or by the provider's. */
export async function findRefund(
  db: Queryable,
  { id, providerRefundId }: { readonly id: string | undefined; readonly providerRefundId: string },
): Promise<Refund | undefined> {
  const { rows } = await db.query<RefundRow>(
    `select ${COLUMNS} from refunds where id = $1 or provider_refund_id = $2`,
    [id ?? null, providerRefundId],
  );
  return rows[0] && fromRow(rows[0]);
}

/** The refund that an earlier attempt of the same request made. */
export async function readRefundOfRequest(
  db: Queryable,
  accountId: string,
  requestKey: string,
): Promise<Refund | undefined> {
  const { rows } = await db.query<RefundRow>(
    `select ${COLUMNS} from refunds where account_id = $1 and request_key = $2`,
    [accountId, requestKey],
  );
  return rows[0] && fromRow(rows[0]);
}

export async function updateRefund(
  db: Queryable,
  id: string,
  { state, providerRefundId }: Pick<Refund, 'state' | 'providerRefundId'>,
): Promise<void> {
  await db.query('update refunds set state = $2, provider_refund_id = $3 where id = $1', [
    id,
    state,
    providerRefundId ?? null,
  ]);
}

/** Counts a response that left the refund pending, unless another process has counted it. */
export async function countRefundAnswer(
  db: Queryable,
  { id, providerAnswers }: Pick<Refund, 'id' | 'providerAnswers'>,
): Promise<void> {
  await db.query(
    `update refunds set provider_answers = provider_answers + 1
     where id = $1 and provider_answers = $2 and state = 'pending'`,
    [id, providerAnswers],
  );
}

/** By invoice id, oldest first. Omits refunds that the provider refused. */
export async function listRefunds(
  db: Queryable,
  invoiceIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Refund[]>> {
  if (invoiceIds.length === 0) return new Map();
  const { rows } = await db.query<RefundRow>(
    `select ${COLUMNS} from refunds
     where invoice_id = any($1) and not (state = 'failed' and provider_refund_id is null)
     order by invoice_id, position`,
    [invoiceIds],
  );
  return Map.groupBy(rows.map(fromRow), ({ invoiceId }) => invoiceId);
}

/** Pending ones included. */
export async function sumRefunds(db: Queryable, invoiceId: string): Promise<number> {
  const result = await db.query<{ cents: number }>(
    `select coalesce(sum(amount_cents), 0)::bigint as cents from refunds where invoice_id = $1 and state <> 'failed'`,
    [invoiceId],
  );
  return onlyRow(result).cents;
}

/** Refunds that the provider has not answered, oldest first. */
export async function listUnansweredRefunds(
  db: Queryable,
  createdBefore: Date,
  limit: number,
): Promise<Refund[]> {
  const { rows } = await db.query<RefundRow>(
    `select ${COLUMNS} from refunds
     where state = 'pending' and provider_refund_id is null and created_at <= $1 order by created_at limit $2`,
    [createdBefore, limit],
  );
  return rows.map(fromRow);
}

/**
 * Charges of a new subscription and of an upgrade are older than their invoice, which is issued with the date
 * of their request.
 */
const OF_INVOICE = `charges.state = 'succeeded' and charges.account_id = invoices.account_id
  and (charges.invoice_id = invoices.id or (charges.invoice_id is null
    and charges.subscription_id = invoices.subscription_id and charges.requested_at = invoices.issued_at
    and charges.amount_cents = invoices.amount_cents))`;

/** The provider's id of the charge that has paid an invoice. */
export async function findChargeOfInvoice(
  db: Queryable,
  { id }: Pick<Invoice, 'id'>,
): Promise<string | undefined> {
  const { rows } = await db.query<{ chargeId: string }>(
    `select provider_charge_id as "chargeId" from invoices join charges on ${OF_INVOICE}
     where invoices.id = $1 and provider_charge_id is not null limit 1`,
    [id],
  );
  return rows[0]?.chargeId;
}

/** The invoice that a charge has paid, by the provider's id of the charge. */
export async function findInvoiceOfCharge(
  db: Queryable,
  providerChargeId: string,
): Promise<Pick<Invoice, 'id' | 'accountId'> | undefined> {
  const { rows } = await db.query<Pick<Invoice, 'id' | 'accountId'>>(
    `select invoices.id, invoices.account_id as "accountId" from charges join invoices on ${OF_INVOICE}
     where provider_charge_id = $1 limit 1`,
    [providerChargeId],
  );
  return rows[0];
}

function fromRow(row: RefundRow): Refund {
  return {
    ...row,
    requestKey: row.requestKey ?? undefined,
    providerRefundId: row.providerRefundId ?? undefined,
  };
}
