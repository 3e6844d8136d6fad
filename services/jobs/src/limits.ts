/**
 * The jobs service's own copy of what billing allows each account. It follows billing's events, and asks
 * billing for accounts that it has not heard of.
 */
import { type Pool, type Queryable, withTransaction } from '@audiosplit/chassis/postgres/pool';
import { isPurged } from '@audiosplit/chassis/purged-accounts';
import { dispatchWaitingJobs } from './dispatch.ts';
import type { AccountLimits } from './job.ts';
import { lockAccountQueue } from './store/account-queue.ts';
import { readLimits, saveLimits } from './store/limits.ts';

export type FetchLimits = (accountId: string) => Promise<AccountLimits>;

/** Reads through to billing for an account that is not known here yet. */
export async function limitsOf(
  db: Queryable,
  fetchLimits: FetchLimits,
  accountId: string,
): Promise<AccountLimits> {
  const known = await readLimits(db, accountId);
  if (known !== undefined) return known;
  const fetched = await fetchLimits(accountId);
  await saveLimits(db, accountId, fetched);
  return fetched;
}

/** A raised cap lets waiting jobs go at once. Nothing is kept of an account that has been purged. */
export async function changeLimits(pool: Pool, accountId: string, limits: AccountLimits): Promise<void> {
  await withTransaction(pool, async (client) => {
    if (await isPurged(client, accountId)) return;
    const queue = await lockAccountQueue(client, accountId);
    await saveLimits(client, accountId, limits);
    const current = await readLimits(client, accountId);
    await dispatchWaitingJobs(client, accountId, queue, (current ?? limits).concurrentJobs);
  });
}
