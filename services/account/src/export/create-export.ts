import { newId } from '@audiosplit/chassis/ids';
import { withTransaction } from '@audiosplit/chassis/postgres/pool';
import type { AccountDependencies } from '../account-dependencies.ts';
import { AccountPendingDeletionError, ExportTooFrequentError } from '../errors.ts';
import { findDeletion, isPurged, lockAccount } from '../store/deletions.ts';
import { findLatestExport, insertExport } from '../store/exports.ts';
import { beginExport, type Export, type ExportRequest, INTERVAL_MS } from './export.ts';

/** Throws ExportTooFrequentError, AccountPendingDeletionError. */
export async function createExport(
  { pool, clock, queueTask }: AccountDependencies,
  request: ExportRequest,
): Promise<Export> {
  return withTransaction(pool, async (client) => {
    await lockAccount(client, request.accountId);
    const isEnding =
      (await findDeletion(client, request.accountId)) ?? (await isPurged(client, request.accountId));
    if (isEnding) throw new AccountPendingDeletionError();
    const now = clock();
    const latest = await findLatestExport(client, request.accountId);
    if (latest !== undefined) checkInterval(latest, now);
    const begun = beginExport(newId('exp', now), request, now);
    await insertExport(client, begun);
    await queueTask(client, 'make-exports');
    return begun;
  });
}

function checkInterval({ status, createdAt }: Export, now: Date): void {
  const waitMs = createdAt.getTime() + INTERVAL_MS - now.getTime();
  const isRunning = status === 'processing';
  // An export that still runs after a day is about to end.
  if (waitMs > 0 || isRunning)
    throw new ExportTooFrequentError(isRunning, Math.max(60, Math.ceil(waitMs / 1000)));
}
