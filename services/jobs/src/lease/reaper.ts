/**
 * Finds stalled jobs and parts and restarts them. It runs every few seconds on one replica. Each item has a
 * transaction of its own and is checked again under its locks. An item that cannot be handled does not stop the
 * others, not even if hundreds of them are older; the run as a whole then fails, which is logged.
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
import { count } from '../metrics.ts';
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
/** Then a run looks no further behind items of one kind that cannot be handled. */
const MAX_PHASE_MS = 30_000;

export interface ReaperReport {
  readonly offeredAgain: number;
  readonly failed: number;
}

type Outcome = 'offered' | 'failed' | undefined;

/** Throws AggregateError after everything else has been done. */
export async function reap(pool: Pool, wakeRelay: () => void): Promise<ReaperReport> {
  const counts = { offered: 0, failed: 0, error: 0 };
  const errors: unknown[] = [];
  const note = (outcome: keyof typeof counts) => {
    counts[outcome] += 1;
    count('audiosplit_job_leases_reaped_total', { outcome });
  };
  const forEach = async <Found>(
    find: (limit: number) => Promise<readonly Found[]>,
    handle: (one: Found) => Promise<Outcome>,
  ) => {
    const startedMs = performance.now();
    const broken = new Set<string>();
    let known: number;
    do {
      known = broken.size;
      for (const one of await find(BATCH_SIZE + known)) {
        const key = JSON.stringify(one);
        if (broken.has(key)) continue;
        const outcome = await handle(one).catch((error: unknown) => {
          errors.push(error);
          broken.add(key);
          return 'error' as const;
        });
        if (outcome !== undefined) note(outcome);
      }
      // Items behind the broken ones have not been found yet.
    } while (broken.size > known && performance.now() - startedMs < MAX_PHASE_MS);
  };
  const withRow = (act: Act) => (item: AccountWorkItem) => withLockedRow(pool, item, act);
  const withQueue = (act: typeof dispatchNext) => (accountId: string) =>
    withTransaction(pool, async (client): Promise<Outcome> => {
      await act(client, accountId, await lockAccountQueue(client, accountId));
      return undefined;
    });
  await forEach((limit) => findExpiredLeases(pool, limit), withRow(returnExpired));
  await forEach((limit) => findStaleOffers(pool, STALE_OFFER_MS, limit), withRow(offerAgain));
  await forEach((limit) => findOverdueDivisions(pool, limit), withRow(failOverdueDivision));
  await forEach((limit) => findAwaitingInVain(pool, limit), withQueue(passOnMinutes));
  await forEach((limit) => findAccountsWithWaitingJobs(pool, limit), withQueue(dispatchNext));
  wakeRelay();
  if (errors.length > 0)
    throw new AggregateError(errors, `${errors.length} jobs, parts or queues could not be handled`);
  return { offeredAgain: counts.offered, failed: counts.failed };
}

interface LockedRow {
  readonly item: AccountWorkItem;
  readonly queue: AccountQueue;
  readonly job: Job;
  readonly row: LeaseState;
  readonly now: Date;
}

type Act = (client: Queryable, locked: LockedRow) => Promise<Outcome>;

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

async function withLockedRow(pool: Pool, item: AccountWorkItem, act: Act): Promise<Outcome> {
  return withTransaction(pool, async (client) => {
    const locked = await lockItem(client, leasable(item));
    if (locked?.row === undefined) return undefined;
    return act(client, { ...locked, item, row: locked.row });
  });
}
