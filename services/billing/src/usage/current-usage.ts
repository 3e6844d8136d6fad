/** An account's plan with the usage of its current period, all of one moment. */
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import { type AccountState, effectivePlan } from '../account-state.ts';
import { readAccountUsage } from '../store/current-usage.ts';
import { runningStretch } from './overage.ts';
import type { PeriodUsage } from './period-usage.ts';
import type { UsagePeriod } from './usage-period.ts';

export interface CurrentUsage extends AccountState {
  readonly period: UsagePeriod;
  readonly usage: PeriodUsage;
  /** Those of the named jobs that have been counted. */
  readonly countedJobIds: readonly string[];
}

export async function readCurrentUsage(
  db: Queryable,
  accountId: string,
  realTime: Date,
  jobIds?: readonly string[],
): Promise<CurrentUsage> {
  const read = await readAccountUsage(db, accountId, realTime, jobIds);
  const { account, subscription, period, totals, earlier, countedJobIds } = read;
  const plan = effectivePlan(account, subscription);
  const running = runningStretch(earlier, plan, totals.sourceDurationMs);
  return { account, subscription, plan, period, usage: { totals, earlier, running }, countedJobIds };
}
