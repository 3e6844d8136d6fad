import { newId } from '@audiosplit/chassis/ids';
import { withTransaction } from '@audiosplit/chassis/postgres/pool';
import type { AccountDependencies } from '../account-dependencies.ts';
import { AccountPendingDeletionError, ExportTooFrequentError } from '../errors.ts';
import { findDeletion, isPurged, lockAccount } from '../store/deletions.ts';
import { findLatestExport, insertExport } from '../store/exports.ts';
import { beginExport, type Export, type ExportWish, INTERVAL_MS } from './export.ts';

/** Throws ExportTooFrequentError, AccountPendingDeletionError. */
export async function createExport(
  { pool, clock, hurry }: AccountDependencies,
  wish: ExportWish,
): Promise<Export> {
  return withTransaction(pool, async (client) => {
    await lockAccount(client, wish.accountId);
    const isEnding = (await findDeletion(client, wish.accountId)) ?? (await isPurged(client, wish.accountId));
    if (isEnding) throw new AccountPendingDeletionError();
    const now = clock();
    const latest = await findLatestExport(client, wish.accountId);
    if (latest !== undefined) checkInterval(latest, now);
    const begun = beginExport(newId('exp', now), wish, now);
    await insertExport(client, begun);
    await hurry(client, 'make-exports');
    return begun;
  });
}

function checkInterval({ status, createdAt }: Export, now: Date): void {
  const waitMs = createdAt.getTime() + INTERVAL_MS - now.getTime();
  const isRunning = status === 'processing';
  // One that still runs after a day is about to end one way or the other.
  if (waitMs > 0 || isRunning)
    throw new ExportTooFrequentError(isRunning, Math.max(60, Math.ceil(waitMs / 1000)));
}
