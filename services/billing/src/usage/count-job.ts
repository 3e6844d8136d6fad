/**
 * Counts a finished job, and prices its minutes by the terms at the time of its completion: an upgrade
 * between the completion and the event does not change them. Runs in a transaction.
 */
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import { accountTime, effectivePlan } from '../account-state.ts';
import { lockAccount } from '../store/accounts.ts';
import { readTermsAt } from '../store/ended-terms.ts';
import { readRunningSubscription } from '../store/subscriptions.ts';
import { insertJobUsage, type JobUsage } from '../store/usage.ts';
import { endStretch, readPeriodUsage } from './period-usage.ts';

export async function countJob(db: Queryable, job: Omit<JobUsage, 'countedAt'>): Promise<void> {
  // Under the lock, a period that is being closed either includes this job or is closed before it.
  const account = await lockAccount(db, job.accountId);
  const finishedAt = accountTime(account, job.finishedAt);
  const { usageClosedUntil } = account;
  const isLate = usageClosedUntil !== undefined && usageClosedUntil > finishedAt;
  const countedAt = isLate ? usageClosedUntil : finishedAt;
  const count = () => insertJobUsage(db, { ...job, countedAt });
  const terms = await readTermsAt(db, job.accountId, countedAt);
  const subscription = terms && (await readRunningSubscription(db, job.accountId));
  if (terms === undefined || subscription === undefined) return count();
  const plan = effectivePlan(account, subscription);
  await endStretch(db, subscription, await readPeriodUsage(db, subscription, plan));
  await count();
  const earlier = {
    monthlyMinutes: terms.includedMinutes,
    overageMillicentsPerMinute: terms.millicentsPerMinute,
  };
  await endStretch(db, subscription, await readPeriodUsage(db, subscription, earlier));
}
