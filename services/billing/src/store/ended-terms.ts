import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Subscription } from '../subscription/subscription.ts';
import type { OverageStretch } from '../usage/overage.ts';

export type Terms = Pick<OverageStretch, 'includedMinutes' | 'millicentsPerMinute'>;

type RunningPeriod = Pick<Subscription, 'id' | 'accountId' | 'currentPeriodStart'>;

/** Records that the terms applied up to `endedAt`, by the account's clock. */
export async function insertEndedTerms(
  db: Queryable,
  { id, accountId, currentPeriodStart }: RunningPeriod,
  { includedMinutes, millicentsPerMinute }: Terms,
  endedAt: Date,
): Promise<void> {
  await db.query(
    `insert into ended_terms (subscription_id, period_start, ended_at, account_id, included_minutes,
       overage_millicents_per_minute)
     values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
    [id, currentPeriodStart, endedAt, accountId, includedMinutes, millicentsPerMinute],
  );
}

/** The terms that applied at that instant of the account's current period. Undefined: the present terms. */
export async function readTermsAt(db: Queryable, accountId: string, at: Date): Promise<Terms | undefined> {
  const { rows } = await db.query<Terms>(
    `select terms.included_minutes as "includedMinutes",
       terms.overage_millicents_per_minute as "millicentsPerMinute"
     from subscriptions join ended_terms terms
       on terms.subscription_id = subscriptions.id and terms.period_start = current_period_start
     where subscriptions.account_id = $1 and subscriptions.ended_at is null and terms.ended_at > $2
     order by terms.ended_at limit 1`,
    [accountId, at],
  );
  return rows[0];
}
