/**
 * Purges accounts whose grace is over. On the purge event every service deletes its data of the account, this one too
 * (`remove-account.ts`). The event is first published when the grace ends, and repeated over the following days.
 */
import { appendToOutbox } from '@audiosplit/chassis/outbox/outbox';
import { type Pool, withTransaction } from '@audiosplit/chassis/postgres/pool';
import type { AccountDependencies } from '../account-dependencies.ts';
import { accountPurged } from '../events.ts';
import {
  deleteDeletion,
  findDeletion,
  insertPurge,
  listDueDeletions,
  lockAccount,
  lockDuePurge,
  updateAnnouncements,
} from '../store/deletions.ts';
import { nextAnnouncementAt } from './deletion.ts';

const BATCH = 100;

type PurgeDependencies = Pick<AccountDependencies, 'pool' | 'clock' | 'wakeRelay'>;

export async function purgeDueAccounts(
  dependencies: PurgeDependencies,
  stopping?: AbortSignal,
): Promise<void> {
  const { pool, clock, wakeRelay } = dependencies;
  const now = clock();
  while (!stopping?.aborted) {
    const due = await listDueDeletions(pool, now, BATCH);
    for (const { accountId } of due) await endGrace(pool, accountId, now);
    if (due.length < BATCH) break;
  }
  while (!stopping?.aborted && (await announceNextPurge(pool, now))) wakeRelay();
}

async function endGrace(pool: Pool, accountId: string, now: Date): Promise<void> {
  await withTransaction(pool, async (client) => {
    await lockAccount(client, accountId);
    const deletion = await findDeletion(client, accountId);
    // The account was restored meanwhile, or its deletion requested again.
    if (deletion === undefined || deletion.purgeAt > now) return;
    await insertPurge(client, accountId, now);
    await deleteDeletion(client, accountId);
  });
}

/** False if there is none to publish. */
async function announceNextPurge(pool: Pool, now: Date): Promise<boolean> {
  return withTransaction(pool, async (client) => {
    const purge = await lockDuePurge(client, now);
    if (purge === undefined) return false;
    const announced = { ...purge, announcements: purge.announcements + 1 };
    await appendToOutbox(client, [accountPurged(purge.accountId, now)]);
    await updateAnnouncements(client, announced, nextAnnouncementAt(announced));
    return true;
  });
}
