/**
 * Counts a finished job, and prices its minutes by the terms at the time of its completion: an upgrade
 * between the completion and the event does not change them. Runs in a transaction. Returns the usage with the job.
 */
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import { effectivePlan } from '../account-state.ts';
import { lockAccountAndRead } from '../store/accounts.ts';
import { readTermsOfJob } from '../store/ended-terms.ts';
import { readRunningSubscription } from '../store/subscriptions.ts';
import { insertJobUsage, type JobUsage } from '../store/usage.ts';
import { type CurrentUsage, readCurrentUsage } from './current-usage.ts';
import { endStretch, readPeriodUsage } from './period-usage.ts';

export async function countJob(
  db: Queryable,
  job: Omit<JobUsage, 'countedAt'>,
  realTime: Date,
): Promise<CurrentUsage> {
  const { accountId, finishedAt } = job;
  // Under the lock, a period that is being closed either includes this job or is closed before it.
  const [account, { countedAt, terms }] = await lockAccountAndRead(db, accountId, () =>
    readTermsOfJob(db, accountId, finishedAt),
  );
  const count = () => insertJobUsage(db, { ...job, countedAt });
  const readCurrent = () => readCurrentUsage(db, accountId, realTime);
  const subscription = terms && (await readRunningSubscription(db, accountId));
  if (terms === undefined || subscription === undefined) {
    // Sent together, in one round trip: the second statement sees what the first has done.
    const [, current] = await Promise.all([count(), readCurrent()]);
    return current;
  }
  const plan = effectivePlan(account, subscription);
  await endStretch(db, subscription, await readPeriodUsage(db, subscription, plan));
  await count();
  const earlier = {
    monthlyMinutes: terms.includedMinutes,
    overageMillicentsPerMinute: terms.millicentsPerMinute,
  };
  await endStretch(db, subscription, await readPeriodUsage(db, subscription, earlier));
  return readCurrent();
}
