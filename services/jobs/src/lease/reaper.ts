/**
 * Finds stalled jobs and parts and restarts them. It runs every few seconds on one replica. Each item has a
 * transaction of its own and is checked again under its locks. An item that fails does not stop the others;
 * the run as a whole then fails, which is logged.
 *
 * - A lease has expired, or the pause before the next attempt is over: the item is offered again, or its job
 *   fails when the attempts or the time are used up.
 * - An item has been on offer for long: its event may be lost, so it is offered again. A claim refuses a
 *   superfluous event.
 * - A divided job is past its deadline: it fails. It has no lease that would expire.
 * - A queue has waiting jobs and free slots: a change of limits was missed.
 * - An account waits for minutes, but none of its jobs holds any: a process of an earlier release released
 *   them.
 */
import { type Pool, type Queryable, withTransaction } from '@audiosplit/chassis/postgres/pool';
import { endWithFailure } from '../finish/finish-job.ts';
import { GIVEN_UP, isPastDeadline, type Job, TIMED_OUT } from '../job.ts';
import { dispatchNext, offer, passOnMinutes } from '../queue/dispatch.ts';
import { findOverdueDivisions } from '../store/lease/divisions.ts';
import { endAttempt, findExpiredLeases, findStaleOffers, touchDispatch } from '../store/lease/leases.ts';
import { findAwaitingInVain } from '../store/minutes.ts';
import {
  type AccountQueue,
  findAccountsWithWaitingJobs,
  lockAccountQueue,
} from '../store/queue/account-queue.ts';
import { type AccountWorkItem, type LeaseState, MAX_ATTEMPTS } from '../work-item.ts';
import { leasable, lockItem } from './leasable.ts';

/** Longer than a splitter takes to reach an event, unless there is a long backlog. */
const STALE_OFFER_MS = 5 * 60_000;
const BATCH_SIZE = 100;

export interface ReaperReport {
  readonly offeredAgain: number;
  readonly failed: number;
}

type Outcome = 'offered' | 'failed' | undefined;

/** Throws AggregateError after everything else has been done. */
export async function reap(pool: Pool, wakeRelay: () => void): Promise<ReaperReport> {
  const outcomes: Outcome[] = [];
  const errors: unknown[] = [];
  const forEach = async <Found>(found: readonly Found[], handle: (one: Found) => Promise<Outcome>) => {
    for (const one of found) {
      try {
        outcomes.push(await handle(one));
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await forEach(await findExpiredLeases(pool, BATCH_SIZE), (item) =>
    withLockedRow(pool, item, returnExpired),
  );
  await forEach(await findStaleOffers(pool, STALE_OFFER_MS, BATCH_SIZE), (item) =>
    withLockedRow(pool, item, offerAgain),
  );
  await forEach(await findOverdueDivisions(pool, BATCH_SIZE), (item) =>
    withLockedRow(pool, item, failOverdueDivision),
  );
  const withQueue = (accountId: string, act: typeof dispatchNext): Promise<Outcome> =>
    withTransaction(pool, async (client) => {
      await act(client, accountId, await lockAccountQueue(client, accountId));
      return undefined;
    });
  await forEach(await findAwaitingInVain(pool, BATCH_SIZE), (id) => withQueue(id, passOnMinutes));
  await forEach(await findAccountsWithWaitingJobs(pool, BATCH_SIZE), (id) => withQueue(id, dispatchNext));
  wakeRelay();
  if (errors.length > 0)
    throw new AggregateError(errors, `${errors.length} jobs, parts or queues could not be handled`);
  const numberOf = (outcome: Outcome) => outcomes.filter((one) => one === outcome).length;
  return { offeredAgain: numberOf('offered'), failed: numberOf('failed') };
}

interface LockedRow {
  readonly item: AccountWorkItem;
  readonly queue: AccountQueue;
  readonly job: Job;
  readonly row: LeaseState;
  readonly now: Date;
}

async function returnExpired(client: Queryable, { item, queue, job, row, now }: LockedRow): Promise<Outcome> {
  if (row.leaseUntil === undefined || row.leaseUntil.getTime() > now.getTime()) return undefined;
  const isOverdue = isPastDeadline(job, now);
  if (isOverdue || row.attempts >= MAX_ATTEMPTS) {
    await endWithFailure(client, queue, job, isOverdue ? TIMED_OUT : GIVEN_UP);
    return 'failed';
  }
  await endAttempt(client, item, { pauseMs: undefined, countAttempt: true });
  await offer(client, [item]);
  await passOnMinutes(client, item.accountId, queue);
  return 'offered';
}

async function offerAgain(client: Queryable, { item, row }: LockedRow): Promise<Outcome> {
  if (!row.isUnfinished || row.dispatchedAt === undefined || row.leaseUntil !== undefined) return undefined;
  await touchDispatch(client, item);
  await offer(client, [item]);
  return 'offered';
}

async function failOverdueDivision(client: Queryable, { queue, job, now }: LockedRow): Promise<Outcome> {
  if (job.status !== 'processing' || !isPastDeadline(job, now)) return undefined;
  await endWithFailure(client, queue, job, TIMED_OUT);
  return 'failed';
}

async function withLockedRow(
  pool: Pool,
  item: AccountWorkItem,
  act: (client: Queryable, locked: LockedRow) => Promise<Outcome>,
): Promise<Outcome> {
  return withTransaction(pool, async (client) => {
    const locked = await lockItem(client, leasable(item));
    if (locked?.row === undefined) return undefined;
    return act(client, { ...locked, item, row: locked.row });
  });
}
