/**
 * A copy of the limits that billing sets for each account. It is updated by billing's events, and by a
 * request to billing for unknown accounts. Because an event may arrive after its change is in force, billing
 * is also queried before a request is refused on the basis of the copy. The highest revision counts, in
 * whatever way and order it arrives.
 */

import { type Pool, withTransaction } from '@audiosplit/chassis/postgres/pool';
import type { Logger } from '@audiosplit/chassis/process/log';
import { isPurged } from '@audiosplit/chassis/purged-accounts';
import type { AccountLimits } from '../job.ts';
import { dispatchNext, resumeAwaiting } from '../queue/dispatch.ts';
import { readLimits, saveLimits } from '../store/limits.ts';
import { lockAccountQueue } from '../store/queue/account-queue.ts';

export interface KnownLimits {
  /** Queries billing if the account is unknown; rejects if billing does not answer. */
  of(accountId: string): Promise<AccountLimits>;
  /**
   * Always queries billing. If it does not answer, the known limits apply, which are read from the database
   * unless given.
   */
  latestOf(accountId: string, known?: AccountLimits): Promise<AccountLimits>;
}

export interface KnownLimitsOptions {
  readonly pool: Pool;
  readonly log: Logger;
  readonly fetchLimits: (accountId: string) => Promise<AccountLimits>;
}

export function createKnownLimits({ pool, log, fetchLimits }: KnownLimitsOptions): KnownLimits {
  async function fetchAndSave(accountId: string, known: AccountLimits | undefined): Promise<AccountLimits> {
    const fetched = await fetchLimits(accountId);
    if (known !== undefined && known.revision >= fetched.revision && !isFuller(fetched, known)) return known;
    await saveLimits(pool, accountId, fetched);
    return fetched;
  }

  return {
    async of(accountId) {
      return (await readLimits(pool, accountId)) ?? fetchAndSave(accountId, undefined);
    },
    async latestOf(accountId, given) {
      const known = given ?? (await readLimits(pool, accountId));
      if (known === undefined) return fetchAndSave(accountId, undefined);
      return fetchAndSave(accountId, known).catch((error: unknown) => {
        log.warn({ err: error, accountId }, 'billing does not answer; the known limits are used');
        return known;
      });
    },
  };
}

/** An earlier release has saved no limit of the output. */
function isFuller(fetched: AccountLimits, known: AccountLimits): boolean {
  return (
    fetched.revision === known.revision &&
    fetched.maxOutputBytes !== undefined &&
    known.maxOutputBytes === undefined
  );
}

/**
 * A raised cap dispatches waiting jobs at once, and there may be more minutes. Nothing is saved for a purged
 * account.
 */
export async function changeLimits(pool: Pool, accountId: string, limits: AccountLimits): Promise<void> {
  await withTransaction(pool, async (client) => {
    const locked = await lockAccountQueue(client, accountId);
    // Under the lock: a purge that ends later waits for it, and deletes the row saved here.
    if (await isPurged(client, accountId)) return;
    await saveLimits(client, accountId, limits);
    const current = await readLimits(client, accountId);
    const queue = await resumeAwaiting(client, accountId, locked);
    const { concurrentJobs } = current ?? limits;
    await dispatchNext(client, accountId, { ...queue, concurrentJobs });
  });
}
