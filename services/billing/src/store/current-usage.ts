/**
 * An account with the usage of its current period. It is a single statement, so that all of it is of one moment
 * without a transaction.
 */
import { onlyRow, type Queryable } from '@audiosplit/chassis/postgres/pool';
import type { OverageStretch } from '../usage/overage.ts';
import type { UsageTotals } from '../usage/usage.ts';
import type { UsagePeriod } from '../usage/usage-period.ts';
import {
  ACCOUNT_STATE,
  type AccountAndSubscription,
  type AccountStateRow,
  fromAccountStateRow,
} from './account-states.ts';
import { type StretchRow, stretchesOf, toStretches } from './overage.ts';
import { totalsBetween } from './usage.ts';

export interface AccountUsage extends AccountAndSubscription {
  /**
   * The subscription's. On the Free plan the calendar month (UTC), or the rest of it after a subscription that
   * ended in it.
   */
  readonly period: UsagePeriod;
  readonly totals: UsageTotals;
  /** Of the period, in order. */
  readonly earlier: readonly OverageStretch[];
  /** Those of the named jobs that have been counted. */
  readonly countedJobIds: readonly string[];
}

const READ = `with state as (${ACCOUNT_STATE}), month as (
    select date_trunc('month', now, 'UTC') as start, date_trunc('month', now, 'UTC') + interval '1 month' as "end"
    from (
      select $2::timestamptz + coalesce("clockOffsetMs", 0) * interval '1 millisecond' as now from state
    ) clock
  ), period as (
    select coalesce("currentPeriodEnd", month."end") as "end",
      coalesce("currentPeriodStart",
        greatest(month.start, case when "usageClosedUntil" < month."end" then "usageClosedUntil" end)) as start
    from state cross join month
  )
  select state.*, period.start as "periodStart", period."end" as "periodEnd", totals.*,
    coalesce((
      select json_agg(stretch) from (${stretchesOf('state.id', 'state."currentPeriodStart"')}) stretch
    ), '[]') as earlier,
    array(select job_id from job_usage where account_id = $1 and job_id = any($3)) as "countedJobIds"
  from state cross join period cross join lateral (${totalsBetween('period.start', 'period."end"')}) totals`;

/** `realTime` is that of the caller's clock; the account's own clock may be ahead of it. */
export async function readAccountUsage(
  db: Queryable,
  accountId: string,
  realTime: Date,
  jobIds: readonly string[] = [],
): Promise<AccountUsage> {
  const row = onlyRow(
    await db.query<
      AccountStateRow &
        UsageTotals & {
          readonly periodStart: Date;
          readonly periodEnd: Date;
          readonly earlier: readonly StretchRow[];
          readonly countedJobIds: readonly string[];
        }
    >(READ, [accountId, realTime, jobIds]),
  );
  const { sourceDurationMs, jobsCompleted, jobsFailed, jobsCanceled, countedJobIds } = row;
  return {
    ...fromAccountStateRow(accountId, row),
    period: { start: row.periodStart, end: row.periodEnd },
    totals: { sourceDurationMs, jobsCompleted, jobsFailed, jobsCanceled },
    earlier: toStretches(row.earlier),
    countedJobIds,
  };
}
