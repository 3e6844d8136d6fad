/**
 * Offers jobs and parts to splitters: puts `split.requested` events into the outbox. The event is only a
 * hint; whether the item may run is decided when it is claimed.
 *
 * Splitters take offers in order. An account therefore has only a few offers in the queue at once, whatever
 * its cap; each claim makes room for the next. However many and long an account's jobs are, the first job of
 * another account waits only for those few.
 *
 * The functions run inside a transaction that holds the lock of the account's queue row. Where they take a `commit`, they
 * send it together with their last statement, or at once if they need none. The caller sends nothing after it.
 */

import { appendToOutbox } from '@audiosplit/chassis/outbox/outbox';
import type { Commit, Queryable } from '@audiosplit/chassis/postgres/pool';
import { MAX_OFFERS_PER_ACCOUNT } from '../job.ts';
import { splitRequested } from '../outgoing-events.ts';
import { MAX_PART_OFFERS_PER_ACCOUNT } from '../parts/part.ts';
import { dispatchOldest } from '../store/lease/leases.ts';
import { markOldestPartsDispatched } from '../store/lease/parts.ts';
import { markAwaitingDispatched, setAwaitsMinutes } from '../store/minutes.ts';
import type { AccountQueue } from '../store/queue/account-queue.ts';
import type { AccountWorkItem } from '../work-item.ts';

interface DispatchOptions {
  readonly commit?: Commit;
}

/**
 * Offers the account's oldest jobs while it is under its cap and does not wait for minutes. `queue` is the
 * present state of its row, including the caller's changes.
 */
export async function dispatchNext(
  db: Queryable,
  accountId: string,
  queue: AccountQueue,
  { commit }: DispatchOptions = {},
): Promise<void> {
  const waiting = queue.queued - queue.dispatched;
  const free = (queue.concurrentJobs ?? 0) - queue.processing - queue.dispatched;
  const count = Math.min(waiting, free, MAX_OFFERS_PER_ACCOUNT - queue.dispatched);
  if (queue.awaitsMinutes || count <= 0) return commit?.();
  const jobIds = await dispatchOldest(db, accountId, count);
  const offers = jobIds.map((jobId) => ({ accountId, jobId, part: undefined }));
  await Promise.all([offer(db, offers), commit?.()]);
}

/**
 * A job has released minutes, or the account may have got more: jobs that wait for minutes are offered again,
 * started ones first. Queued jobs follow with the next dispatch, which uses the returned queue.
 */
export async function resumeAwaiting<Queue extends AccountQueue>(
  db: Queryable,
  accountId: string,
  queue: Queue,
): Promise<Queue> {
  if (!queue.awaitsMinutes) return queue;
  await setAwaitsMinutes(db, accountId, false);
  const jobIds = await markAwaitingDispatched(db, accountId);
  await offer(
    db,
    jobIds.map((jobId) => ({ accountId, jobId, part: undefined })),
  );
  return { ...queue, awaitsMinutes: false };
}

/** Like `resumeAwaiting`, when nothing else is dispatched. */
export async function passOnMinutes(
  db: Queryable,
  accountId: string,
  queue: AccountQueue,
  options: DispatchOptions = {},
): Promise<void> {
  if (!queue.awaitsMinutes) return options.commit?.();
  await dispatchNext(db, accountId, await resumeAwaiting(db, accountId, queue), options);
}

/** Parts need no cap: they run on slots that are idle otherwise. */
export async function dispatchWaitingParts(db: Queryable, accountId: string): Promise<void> {
  await offer(db, await markOldestPartsDispatched(db, accountId, MAX_PART_OFFERS_PER_ACCOUNT));
}

/** Puts the items on the splitters' queue, for the first time or again. */
export function offer(db: Queryable, items: readonly AccountWorkItem[]): Promise<unknown> {
  return appendToOutbox(db, items.map(splitRequested));
}
