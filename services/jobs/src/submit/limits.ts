/**
 * The jobs service's own copy of what billing allows each account. It follows billing's events, and asks billing for
 * accounts that it has not heard of. As an event may still be on its way when the change it tells of holds already,
 * billing is also asked where the copy alone would turn somebody away. Of all that is heard of an account the highest
 * revision counts, whichever way and in whatever order it came.
 */

import { type Pool, withTransaction } from '@audiosplit/chassis/postgres/pool';
import type { Logger } from '@audiosplit/chassis/process/log';
import { isPurged } from '@audiosplit/chassis/purged-accounts';
import type { AccountLimits } from '../job.ts';
import { dispatchWaitingJobs } from '../queue/dispatch.ts';
import { lockAccountQueue } from '../store/account-queue.ts';
import { readLimits, saveLimits } from '../store/limits.ts';

export interface KnownLimits {
  /** Asks billing for an account that is not known here yet, and rejects if it does not answer. */
  of(accountId: string): Promise<AccountLimits>;
  /** Asks billing in any case. What is known holds while it does not answer. */
  latestOf(accountId: string): Promise<AccountLimits>;
}

export interface KnownLimitsOptions {
  readonly pool: Pool;
  readonly log: Logger;
  readonly fetchLimits: (accountId: string) => Promise<AccountLimits>;
}

export function createKnownLimits({ pool, log, fetchLimits }: KnownLimitsOptions): KnownLimits {
  async function fetchAndSave(accountId: string, known: AccountLimits | undefined): Promise<AccountLimits> {
    const fetched = await fetchLimits(accountId);
    if (known !== undefined && known.revision >= fetched.revision) return known;
    await saveLimits(pool, accountId, fetched);
    return fetched;
  }

  return {
    async of(accountId) {
      return (await readLimits(pool, accountId)) ?? fetchAndSave(accountId, undefined);
    },
    async latestOf(accountId) {
      const known = await readLimits(pool, accountId);
      if (known === undefined) return fetchAndSave(accountId, undefined);
      return fetchAndSave(accountId, known).catch((error: unknown) => {
        log.warn({ err: error, accountId }, 'billing does not tell the limits; those known before are used');
        return known;
      });
    },
  };
}

/** A raised cap lets waiting jobs go at once. Nothing is kept of an account that has been purged. */
export async function changeLimits(pool: Pool, accountId: string, limits: AccountLimits): Promise<void> {
  await withTransaction(pool, async (client) => {
    const queue = await lockAccountQueue(client, accountId);
    // Under the lock: the end of a purge waits for it, and takes along what has been saved.
    if (await isPurged(client, accountId)) return;
    await saveLimits(client, accountId, limits);
    const current = await readLimits(client, accountId);
    await dispatchWaitingJobs(client, accountId, queue, (current ?? limits).concurrentJobs);
  });
}
