import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Subscription, SubscriptionStatus } from '../subscription/subscription.ts';

export interface SubscriptionRow {
  readonly id: string;
  readonly accountId: string;
  readonly planId: string;
  readonly scheduledPlanId: string | null;
  readonly status: SubscriptionStatus;
  readonly anchorAt: Date;
  readonly periodNumber: number;
  readonly currentPeriodStart: Date;
  readonly currentPeriodEnd: Date;
  readonly baseCents: number;
  readonly cancelAtPeriodEnd: boolean;
  readonly cancelReason: string | null;
  readonly endedAt: Date | null;
}

/** Of a SubscriptionRow. */
export const SUBSCRIPTION_COLUMNS = `id, account_id as "accountId", plan_id as "planId", scheduled_plan_id as "scheduledPlanId", status,
  anchor_at as "anchorAt", period_number as "periodNumber", current_period_start as "currentPeriodStart",
  current_period_end as "currentPeriodEnd", base_cents as "baseCents", cancel_at_period_end as "cancelAtPeriodEnd",
  cancel_reason as "cancelReason", ended_at as "endedAt"`;

/** Undefined on the Free plan. */
export async function readRunningSubscription(
  db: Queryable,
  accountId: string,
): Promise<Subscription | undefined> {
  const { rows } = await db.query<SubscriptionRow>(
    `select ${SUBSCRIPTION_COLUMNS} from subscriptions where account_id = $1 and ended_at is null`,
    [accountId],
  );
  return rows[0] && fromSubscriptionRow(rows[0]);
}

export async function readSubscription(db: Queryable, id: string): Promise<Subscription | undefined> {
  const { rows } = await db.query<SubscriptionRow>(
    `select ${SUBSCRIPTION_COLUMNS} from subscriptions where id = $1`,
    [id],
  );
  return rows[0] && fromSubscriptionRow(rows[0]);
}

export async function insertSubscription(db: Queryable, subscription: Subscription): Promise<void> {
  await db.query(
    `insert into subscriptions (id, account_id, plan_id, status, anchor_at, period_number, current_period_start,
       current_period_end, base_cents)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      subscription.id,
      subscription.accountId,
      subscription.planId,
      subscription.status,
      subscription.anchorAt,
      subscription.periodNumber,
      subscription.currentPeriodStart,
      subscription.currentPeriodEnd,
      subscription.baseCents,
    ],
  );
}

/** Writes all fields that can change. */
export async function updateSubscription(db: Queryable, subscription: Subscription): Promise<void> {
  await db.query(
    `update subscriptions
     set plan_id = $2, scheduled_plan_id = $3, status = $4, period_number = $5, current_period_start = $6,
       current_period_end = $7, base_cents = $8, cancel_at_period_end = $9, cancel_reason = $10, ended_at = $11,
       anchor_at = $12
     where id = $1`,
    [
      subscription.id,
      subscription.planId,
      subscription.scheduledPlanId,
      subscription.status,
      subscription.periodNumber,
      subscription.currentPeriodStart,
      subscription.currentPeriodEnd,
      subscription.baseCents,
      subscription.cancelAtPeriodEnd,
      subscription.cancelReason,
      subscription.endedAt,
      subscription.anchorAt,
    ],
  );
}

export interface EndedPeriod {
  readonly subscriptionId: string;
  readonly accountId: string;
  readonly planId: string;
  readonly start: Date;
  readonly end: Date;
  readonly includedMinutes: number;
  readonly overageMinutes: number;
  readonly baseCents: number;
  readonly overageCents: number;
}

export async function insertEndedPeriod(db: Queryable, period: EndedPeriod): Promise<void> {
  await db.query(
    `insert into ended_periods (subscription_id, account_id, plan_id, period_start, period_end, included_minutes,
       overage_minutes, base_cents, overage_cents)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      period.subscriptionId,
      period.accountId,
      period.planId,
      period.start,
      period.end,
      period.includedMinutes,
      period.overageMinutes,
      period.baseCents,
      period.overageCents,
    ],
  );
}

/** Called when the period continues after all. */
export async function deleteEndedPeriod(db: Queryable, subscriptionId: string, start: Date): Promise<void> {
  await db.query('delete from ended_periods where subscription_id = $1 and period_start = $2', [
    subscriptionId,
    start,
  ]);
}

/** The periods that overlap the given time, latest first. */
export async function listEndedPeriods(
  db: Queryable,
  accountId: string,
  stretch: { readonly start: Date; readonly end: Date },
): Promise<EndedPeriod[]> {
  const { rows } = await db.query<EndedPeriod>(
    `select subscription_id as "subscriptionId", account_id as "accountId", plan_id as "planId",
       period_start as start, period_end as "end", included_minutes as "includedMinutes",
       overage_minutes as "overageMinutes", base_cents as "baseCents", overage_cents as "overageCents"
     from ended_periods where account_id = $1 and period_start < $3 and period_end > $2
     order by period_start desc`,
    [accountId, stretch.start, stretch.end],
  );
  return rows;
}

/**
 * Accounts with a period that has ended, an invoice to charge or an abandoned charge. `now` is the real time; the query
 * adds each account's clock offset.
 */
export async function listDueAccounts(
  db: Queryable,
  now: Date,
  abandonedBefore: Date,
  limit: number,
): Promise<string[]> {
  const { rows } = await db.query<{ accountId: string }>(
    `select account_id as "accountId" from (
       select account_id from subscriptions join accounts using (account_id)
       where ended_at is null and current_period_end <= $1::timestamptz + clock_offset_ms * interval '1 millisecond'
       union
       select account_id from invoices join accounts using (account_id)
       where status = 'open' and next_charge_at <= $1::timestamptz + clock_offset_ms * interval '1 millisecond'
       union
       select account_id from charges where state = 'pending' and created_at <= $2
     ) due limit $3`,
    [now, abandonedBefore, limit],
  );
  return rows.map((row) => row.accountId);
}

export function fromSubscriptionRow(row: SubscriptionRow): Subscription {
  return {
    ...row,
    scheduledPlanId: row.scheduledPlanId ?? undefined,
    cancelReason: row.cancelReason ?? undefined,
    endedAt: row.endedAt ?? undefined,
  };
}
