import { onlyRow, type Queryable } from '@audiosplit/chassis/postgres/pool';
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

export interface TermsOfJob {
  /** On the account's clock: when it finished, or for a late job the end of the usage that is closed. */
  readonly countedAt: Date;
  /** Undefined: the present terms. */
  readonly terms: Terms | undefined;
}

/** For a job that finished at that real time: when it counts, and the terms of the current period that applied then. */
export async function readTermsOfJob(
  db: Queryable,
  accountId: string,
  finishedAt: Date,
): Promise<TermsOfJob> {
  const { countedAt, ...terms } = onlyRow(
    await db.query<{ readonly countedAt: Date } & (Terms | { readonly [Column in keyof Terms]: null })>(
      READ_TERMS_OF_JOB,
      [accountId, finishedAt],
    ),
  );
  return { countedAt, terms: terms.includedMinutes === null ? undefined : terms };
}

const READ_TERMS_OF_JOB = `select counted_at as "countedAt", included_minutes as "includedMinutes",
    overage_millicents_per_minute as "millicentsPerMinute"
  from (
    select greatest(usage_closed_until,
      $2::timestamptz + coalesce(clock_offset_ms, 0) * interval '1 millisecond') as counted_at
    from (values (1)) as one_row_at_least left join accounts on account_id = $1
  ) job left join lateral (
    select terms.included_minutes, terms.overage_millicents_per_minute
    from subscriptions join ended_terms terms
      on terms.subscription_id = subscriptions.id and terms.period_start = current_period_start
    where subscriptions.account_id = $1 and subscriptions.ended_at is null and terms.ended_at > counted_at
    order by terms.ended_at limit 1
  ) terms on true`;
