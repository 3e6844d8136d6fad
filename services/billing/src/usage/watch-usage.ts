/**
 * Effects of an account's usage: events at 80 and 100 percent of its minutes and of its spend limit, and the
 * refusal of new jobs by other services at the limit. Runs in the transaction that changes usage, limit or
 * plan, with the account's row locked.
 */
import { appendToOutbox } from '@audiosplit/chassis/outbox/outbox';
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import { announceLimits } from '../limits/limits-change.ts';
import { usageThresholdReached } from '../outgoing-events.ts';
import { updateSpendLimitReached } from '../store/accounts.ts';
import { insertThreshold, type UsageThreshold } from '../store/usage-thresholds.ts';
import { type CurrentUsage, readCurrentUsage } from './current-usage.ts';
import { sumOverage } from './overage.ts';
import { overageOf } from './period-usage.ts';
import { spendableUnder, spendLimitCents } from './spend-limit.ts';
import type { UsagePeriod } from './usage-period.ts';

const PERCENTS = [80, 100] as const;

interface Level {
  readonly metric: UsageThreshold['metric'];
  readonly used: number;
  readonly limit: number;
}

export async function watchUsage(db: Queryable, accountId: string, realTime: Date): Promise<void> {
  await actOnUsage(db, await readCurrentUsage(db, accountId, realTime), realTime);
}

/** `current` has been read in the transaction after its changes. */
export async function actOnUsage(db: Queryable, current: CurrentUsage, realTime: Date): Promise<void> {
  const { account, plan, period } = current;
  const { accountId } = account;
  const { levels, isSpendLimitReached } = levelsOf(current);
  for (const level of levels) await publishThresholds(db, accountId, period, level, realTime);
  if (isSpendLimitReached === account.isSpendLimitReached) return;
  await updateSpendLimitReached(db, accountId, isSpendLimitReached);
  await announceLimits(db, accountId, plan, realTime);
}

function levelsOf({ account, subscription, plan, usage }: CurrentUsage) {
  // Overage under earlier terms does not count against the present allowance.
  const used = usage.running.meteredMinutes - sumMinutes(usage.earlier);
  const levels: Level[] = [{ metric: 'minutes', used, limit: plan.monthlyMinutes }];
  if (subscription === undefined) return { levels, isSpendLimitReached: false };
  const spent = sumOverage(overageOf(usage)).cents;
  const limitCents = spendLimitCents(account, subscription, plan);
  if (limitCents !== undefined) levels.push({ metric: 'spend', used: spent, limit: limitCents });
  const isReached = spendableUnder(limitCents, usage, plan)?.isReached ?? false;
  return { levels, isSpendLimitReached: isReached };
}

async function publishThresholds(
  db: Queryable,
  accountId: string,
  period: UsagePeriod,
  { metric, used, limit }: Level,
  realTime: Date,
): Promise<void> {
  if (limit === 0) return;
  for (const percent of PERCENTS) {
    if (used * 100 < limit * percent) return;
    if (!(await insertThreshold(db, accountId, period.start, { metric, percent }))) continue;
    const reached = { metric, percent, used, limit, period };
    await appendToOutbox(db, [usageThresholdReached(accountId, reached, realTime)]);
  }
}

function sumMinutes(stretches: readonly { readonly overageMinutes: number }[]): number {
  return stretches.reduce((sum, { overageMinutes }) => sum + overageMinutes, 0);
}
