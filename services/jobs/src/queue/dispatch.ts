/**
 * Offers jobs to splitters: puts `split.requested` events into the outbox while the account is under its
 * cap, oldest job first. The event is only a hint; whether a job may run is decided when it is claimed.
 *
 * Splitters take offers in their order, so an account has only a few on the queue at once, whatever its cap; each one
 * that is claimed makes room for its next. However many jobs an account has queued, the first job of another waits for
 * no more than those few.
 */

import { appendToOutbox } from '@audiosplit/chassis/outbox/outbox';
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import { MAX_OFFERS_PER_ACCOUNT } from '../job.ts';
import { splitRequested } from '../outgoing-events.ts';
import { type AccountQueue, changeCounters } from '../store/account-queue.ts';
import { markOldestDispatched } from '../store/leases.ts';

/**
 * Inside a transaction that holds the lock of the account's queue row.
 * `queue` is the state of that row now; the caller has applied its own changes to it.
 */
export async function dispatchWaitingJobs(
  db: Queryable,
  accountId: string,
  queue: AccountQueue,
  concurrentJobs: number,
): Promise<void> {
  const waiting = queue.queued - queue.dispatched;
  const free = concurrentJobs - queue.processing - queue.dispatched;
  const count = Math.min(waiting, free, MAX_OFFERS_PER_ACCOUNT - queue.dispatched);
  if (count <= 0) return;
  const jobIds = await markOldestDispatched(db, accountId, count);
  await changeCounters(db, accountId, { dispatched: jobIds.length });
  await offerJobs(db, accountId, jobIds);
}

/** Puts the jobs on the splitters' queue (again). */
export async function offerJobs(db: Queryable, accountId: string, jobIds: readonly string[]): Promise<void> {
  await appendToOutbox(
    db,
    jobIds.map((jobId) => splitRequested(accountId, jobId)),
  );
}
