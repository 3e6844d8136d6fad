import { onlyRow, type Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Charge, ChargeOutcome } from '../payment/charge.ts';

interface ChargeRow {
  readonly id: string;
  readonly accountId: string;
  readonly state: 'pending' | 'succeeded' | 'declined';
  readonly amountCents: number;
  readonly currency: string;
  readonly purpose: 'subscribe' | 'upgrade' | 'invoice';
  readonly planId: string | null;
  readonly fromPlanId: string | null;
  readonly prorationCents: number | null;
  readonly requestKey: string | null;
  readonly subscriptionId: string;
  readonly invoiceId: string | null;
  readonly customerId: string;
  readonly methodId: string;
  readonly requestedAt: Date;
  readonly createdAt: Date;
  readonly declineMessage: string | null;
  readonly providerAnswers: number;
}

const COLUMNS = `id, account_id as "accountId", state, amount_cents as "amountCents", currency, purpose,
  plan_id as "planId", from_plan_id as "fromPlanId", proration_cents as "prorationCents",
  request_key as "requestKey", subscription_id as "subscriptionId", invoice_id as "invoiceId",
  provider_customer_id as "customerId", provider_method_id as "methodId", requested_at as "requestedAt",
  created_at as "createdAt", decline_message as "declineMessage", provider_answers as "providerAnswers"`;

/** Violates charges_one_pending if the account has another pending charge. */
export async function insertCharge(db: Queryable, charge: Charge): Promise<void> {
  const { purpose } = charge;
  await db.query(
    `insert into charges (id, account_id, state, amount_cents, currency, purpose, plan_id, subscription_id,
       invoice_id, provider_customer_id, provider_method_id, requested_at, created_at, from_plan_id, request_key,
       proration_cents)
     values ($1, $2, 'pending', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
    [
      charge.id,
      charge.accountId,
      charge.amountCents,
      charge.currency,
      purpose.kind,
      purpose.kind === 'invoice' ? null : purpose.planId,
      purpose.subscriptionId,
      purpose.kind === 'invoice' ? purpose.invoiceId : null,
      charge.method.customerId,
      charge.method.methodId,
      charge.requestedAt,
      charge.createdAt,
      purpose.kind === 'upgrade' ? purpose.fromPlanId : null,
      charge.requestKey,
      purpose.kind === 'upgrade' ? purpose.prorationCents : null,
    ],
  );
}

export async function readPendingCharge(db: Queryable, accountId: string): Promise<Charge | undefined> {
  const { rows } = await db.query<ChargeRow>(
    `select ${COLUMNS} from charges where account_id = $1 and state = 'pending'`,
    [accountId],
  );
  return rows[0] && fromRow(rows[0]);
}

export async function readCharge(db: Queryable, id: string): Promise<Charge | undefined> {
  const { rows } = await db.query<ChargeRow>(`select ${COLUMNS} from charges where id = $1`, [id]);
  return rows[0] && fromRow(rows[0]);
}

/** The charge that an earlier attempt of the same request created after `since`. */
export async function readChargeOfRequest(
  db: Queryable,
  accountId: string,
  requestKey: string,
  since: Date,
): Promise<Charge | undefined> {
  const { rows } = await db.query<ChargeRow>(
    `select ${COLUMNS} from charges where account_id = $1 and request_key = $2 and created_at > $3
     order by created_at desc limit 1`,
    [accountId, requestKey, since],
  );
  return rows[0] && fromRow(rows[0]);
}

/** The outcome of a charge, as far as it is known here. */
export async function readChargeState(db: Queryable, id: string): Promise<ChargeOutcome | 'pending'> {
  const result = await db.query<Pick<ChargeRow, 'state' | 'declineMessage'>>(
    'select state, decline_message as "declineMessage" from charges where id = $1',
    [id],
  );
  const { state, declineMessage } = onlyRow(result);
  switch (state) {
    case 'pending':
      return 'pending';
    case 'succeeded':
      return { kind: 'succeeded' };
    case 'declined':
      return { kind: 'declined', publicMessage: declineMessage ?? '' };
    default:
      return state satisfies never;
  }
}

/** Counts a response that left the charge pending, unless another process has counted it. */
export async function countChargeAnswer(
  db: Queryable,
  { id, providerAnswers }: Pick<Charge, 'id' | 'providerAnswers'>,
): Promise<void> {
  await db.query(
    `update charges set provider_answers = provider_answers + 1
     where id = $1 and provider_answers = $2 and state = 'pending'`,
    [id, providerAnswers],
  );
}

export async function markSucceeded(db: Queryable, id: string, providerChargeId: string): Promise<void> {
  await db.query("update charges set state = 'succeeded', provider_charge_id = $2 where id = $1", [
    id,
    providerChargeId,
  ]);
}

export async function markDeclined(db: Queryable, id: string, publicMessage: string): Promise<void> {
  await db.query("update charges set state = 'declined', decline_message = $2 where id = $1", [
    id,
    publicMessage,
  ]);
}

function fromRow(row: ChargeRow): Charge {
  const { id, accountId, amountCents, currency, customerId, methodId, requestedAt, createdAt } = row;
  return {
    id,
    accountId,
    amountCents,
    currency,
    method: { customerId, methodId },
    purpose: purposeOf(row),
    requestedAt,
    createdAt,
    requestKey: row.requestKey ?? undefined,
    providerAnswers: row.providerAnswers,
  };
}

function purposeOf(row: ChargeRow): Charge['purpose'] {
  const { purpose: kind, planId, fromPlanId, subscriptionId, invoiceId } = row;
  if (kind === 'invoice' && invoiceId !== null) return { kind, subscriptionId, invoiceId };
  if (kind === 'subscribe' && planId !== null) return { kind, subscriptionId, planId };
  if (kind === 'upgrade' && planId !== null && fromPlanId !== null) {
    return {
      kind,
      subscriptionId,
      planId,
      fromPlanId,
      prorationCents: row.prorationCents ?? row.amountCents,
    };
  }
  throw new Error(`charge ${row.id} has no valid purpose`);
}
