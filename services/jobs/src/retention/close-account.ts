/**
 * How the deletion of an account affects its jobs. When its holder requests it, the account is closed. When they change
 * their mind, it is reopened. In the end it is purged.
 */
import { accountScopePrefix } from '@audiosplit/chassis/idempotency/idempotency-key';
import { forgetAnswers, pruneAnswers } from '@audiosplit/chassis/idempotency/store';
import { appendToOutbox, consumeOnce, pruneConsumedEvents } from '@audiosplit/chassis/outbox/outbox';
import { type Pool, type Queryable, withTransaction } from '@audiosplit/chassis/postgres/pool';
import { forgetPurgedAccounts, insertPurgedAccount, isPurged } from '@audiosplit/chassis/purged-accounts';
import { ABANDONED_OBJECTS_DELAY_MS } from '../finish/finish-job.ts';
import { CANCELED, type JobError, objectPrefixOf, uploadsPrefixOf } from '../job.ts';
import { splitStatusChanged } from '../outgoing-events.ts';
import { deleteJobsOf, deleteQueueAndLimits, failQueuedJobs, setClosed } from '../store/account-removal.ts';
import { changeCounters, type LockedQueue, lockAccountQueue } from '../store/queue/account-queue.ts';
import { scheduleDeletion } from '../store/retention.ts';

const CONSUMER = 'jobs';
const BATCH_SIZE = 500;
/** Twice the retention of the bus: no event can arrive later. */
const PURGE_REMEMBERED_MS = 15 * 86_400_000;

const DROPPED: JobError = {
  code: CANCELED.code,
  message: 'The job was dropped because its account was about to be deleted.',
};

/** An event that closes or reopens an account. */
export interface ClosingChange {
  readonly eventId: string;
  readonly accountId: string;
  readonly occurredAt: Date;
}

export async function closeAccount(pool: Pool, change: ClosingChange): Promise<void> {
  const { accountId } = change;
  await withTransaction(pool, async (client) => {
    const queue = await applyChange(client, change, true);
    if (queue === undefined) return;
    const dropped = await failQueuedJobs(client, accountId, DROPPED);
    await changeCounters(client, accountId, {
      queued: -dropped.length,
      dispatched: -queue.dispatched,
      failed: dropped.length,
    });
    await appendToOutbox(client, dropped.map(splitStatusChanged));
  });
}

export async function reopenAccount(pool: Pool, change: ClosingChange): Promise<void> {
  await withTransaction(pool, (client) => applyChange(client, change, false));
}

/**
 * Returns the locked queue as it was, or undefined if the event has no effect: a repeated or replayed request
 * must not close an account that was restored later, nor drop its newer jobs. A reopening is recorded even if
 * the account is not closed, because the earlier request may still arrive.
 */
async function applyChange(
  db: Queryable,
  { eventId, accountId, occurredAt }: ClosingChange,
  closed: boolean,
): Promise<LockedQueue | undefined> {
  if (!(await consumeOnce(db, CONSUMER, eventId)) || (await isPurged(db, accountId))) return undefined;
  const queue = await lockAccountQueue(db, accountId);
  return (await setClosed(db, accountId, closed, occurredAt)) ? queue : undefined;
}

/**
 * Deletes every job; the sweep deletes segments and uploads. Workers learn from their next call that their job is gone.
 * Repeating it is harmless.
 */
export async function purgeAccount(pool: Pool, accountId: string, now: Date): Promise<void> {
  await withTransaction(pool, (client) => insertPurgedAccount(client, accountId, now));
  while ((await withTransaction(pool, (client) => deleteSomeJobs(client, accountId))) === BATCH_SIZE);
  await withTransaction(pool, async (client) => {
    await deleteQueueAndLimits(client, accountId);
    await forgetAnswers(client, accountScopePrefix(accountId));
    await scheduleDeletion(client, [uploadsPrefixOf(accountId)], 0);
  });
}

async function deleteSomeJobs(db: Queryable, accountId: string): Promise<number> {
  await lockAccountQueue(db, accountId);
  const deleted = await deleteJobsOf(db, accountId, BATCH_SIZE);
  const prefixesOf = (isRunning: boolean) =>
    deleted
      .filter(({ status }) => (status === 'processing') === isRunning)
      .map(({ id }) => objectPrefixOf(id));
  await scheduleDeletion(db, prefixesOf(false), 0);
  await scheduleDeletion(db, prefixesOf(true), ABANDONED_OBJECTS_DELAY_MS);
  return deleted.length;
}

/** Deletes records that no longer have an effect. */
export async function prune(db: Queryable, now: Date): Promise<void> {
  await forgetPurgedAccounts(db, new Date(now.getTime() - PURGE_REMEMBERED_MS));
  await pruneAnswers(db, now);
  await pruneConsumedEvents(db);
}
