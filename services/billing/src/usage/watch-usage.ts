/**
 * Effects of an account's usage: events at 80 and 100 percent of its minutes and of its spend limit, and the
 * refusal of new jobs by other services at the limit. Runs in the transaction that changes usage, limit or
 * plan, with the account's row locked.
 */
import { appendToOutbox } from '@audiosplit/chassis/outbox/outbox';
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import { type AccountState, accountTime, readAccountState } from '../account-state.ts';
import { announceLimits } from '../limits/limits-change.ts';
import { usageThresholdReached } from '../outgoing-events.ts';
import { updateSpendLimitReached } from '../store/accounts.ts';
import { sumUsage } from '../store/usage.ts';
import { insertThresholds, type UsageThreshold } from '../store/usage-thresholds.ts';
import { sumOverage } from './overage.ts';
import { overageOf, readPeriodUsage } from './period-usage.ts';
import { spendableUnder, spendLimitCents } from './spend-limit.ts';
import { billedMinutes } from './usage.ts';
import { currentTerms } from './usage-report.ts';

const PERCENTS = [80, 100] as const;

interface Level {
  readonly metric: UsageThreshold['metric'];
  readonly used: number;
  readonly limit: number;
}

export async function watchUsage(db: Queryable, accountId: string, realTime: Date): Promise<void> {
  const state = await readAccountState(db, accountId);
  const { period, levels, isSpendLimitReached } = await levelsOf(db, state, realTime);
  const reached = await insertThresholds(db, accountId, period.start, reachedOf(levels));
  const events = reached.map((each) => usageThresholdReached(accountId, { ...each, period }, realTime));
  await appendToOutbox(db, events);
  if (isSpendLimitReached === state.account.isSpendLimitReached) return;
  await updateSpendLimitReached(db, accountId, isSpendLimitReached);
  await announceLimits(db, accountId, state.plan, realTime);
}

async function levelsOf(db: Queryable, state: AccountState, realTime: Date) {
  const { account, subscription, plan } = state;
  if (subscription === undefined) {
    const { period } = currentTerms(state, accountTime(account, realTime));
    const { sourceDurationMs } = await sumUsage(db, account.accountId, period);
    const used = billedMinutes(sourceDurationMs);
    const levels: Level[] = [{ metric: 'minutes', used, limit: plan.monthlyMinutes }];
    return { period, levels, isSpendLimitReached: false };
  }
  const usage = await readPeriodUsage(db, subscription, plan);
  // Overage under earlier terms does not count against the present allowance.
  const used = usage.running.meteredMinutes - sumMinutes(usage.earlier);
  const spent = sumOverage(overageOf(usage)).cents;
  const limitCents = spendLimitCents(account, subscription, plan);
  const isReached = spendableUnder(limitCents, usage, plan)?.isReached ?? false;
  const levels: Level[] = [{ metric: 'minutes', used, limit: plan.monthlyMinutes }];
  if (limitCents !== undefined) levels.push({ metric: 'spend', used: spent, limit: limitCents });
  const period = { start: subscription.currentPeriodStart, end: subscription.currentPeriodEnd };
  return { period, levels, isSpendLimitReached: isReached };
}

function reachedOf(levels: readonly Level[]) {
  return levels.flatMap((level) =>
    PERCENTS.filter((percent) => level.limit > 0 && level.used * 100 >= level.limit * percent).map(
      (percent) => ({ ...level, percent }),
    ),
  );
}

function sumMinutes(stretches: readonly { readonly overageMinutes: number }[]): number {
  return stretches.reduce((sum, { overageMinutes }) => sum + overageMinutes, 0);
}
