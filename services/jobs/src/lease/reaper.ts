/**
 * Finds what has come to a standstill and sets it going again. It runs every few seconds on one replica;
 * each job is handled in a transaction of its own, and checked again under the lock. What fails for one
 * does not keep the others waiting; the run as a whole then fails, and says so in the log.
 *
 * - A lease that has run out, or a pause before the next attempt that is over: offered again, or failed
 *   when its attempts or its time are used up.
 * - A job that has been on offer for long: its event may have been lost, it is offered once more. A
 *   superfluous event is refused by the claim.
 * - Parts of divided jobs: likewise. A divided job whose time is over fails, as it has no lease that would run out.
 * - A queue with waiting jobs and free slots, should a change of limits have been missed.
 */
import { type Pool, type Queryable, withTransaction } from '@audiosplit/chassis/postgres/pool';
import { endWithFailure, letNextGo } from '../finish/finish-job.ts';
import { GIVEN_UP, isPastDeadline, type Job, MAX_ATTEMPTS, TIMED_OUT } from '../job.ts';
import { offerJobs } from '../queue/dispatch.ts';
import { type AccountQueue, findAccountsWithWaitingJobs, lockAccountQueue } from '../store/account-queue.ts';
import { lockJob } from '../store/jobs.ts';
import {
  endAttempt,
  findExpiredLeases,
  findStaleDispatches,
  type JobRef,
  readDatabaseClock,
  touchDispatch,
} from '../store/leases.ts';
import { findExpiredPartLeases, findOverdueDivisions, findStalePartDispatches } from '../store/parts.ts';
import { failOverdueDivision, offerStalePart, returnExpiredPart } from './reap-parts.ts';

/** Longer than a splitter takes to come to an event unless there is a long backlog. */
const STALE_DISPATCH_MS = 5 * 60_000;
const BATCH_SIZE = 100;

export interface ReaperReport {
  readonly offeredAgain: number;
  readonly failed: number;
}

/** Throws AggregateError after everything else has been done. */
export async function reap(pool: Pool, wakeRelay: () => void): Promise<ReaperReport> {
  let offeredAgain = 0;
  let failed = 0;
  const errors: unknown[] = [];
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      errors.push(error);
    }
  };
  for (const ref of await findExpiredLeases(pool, BATCH_SIZE)) {
    await attempt(async () => {
      const outcome = await withLockedJob(pool, ref, returnExpired);
      if (outcome === 'offered') offeredAgain += 1;
      if (outcome === 'failed') failed += 1;
    });
  }
  for (const ref of await findStaleDispatches(pool, STALE_DISPATCH_MS, BATCH_SIZE)) {
    await attempt(async () => {
      if (await withLockedJob(pool, ref, offerStale)) offeredAgain += 1;
    });
  }
  for (const ref of await findExpiredPartLeases(pool, BATCH_SIZE)) {
    await attempt(async () => {
      const outcome = await returnExpiredPart(pool, ref);
      if (outcome === 'offered') offeredAgain += 1;
      if (outcome === 'failed') failed += 1;
    });
  }
  for (const ref of await findStalePartDispatches(pool, STALE_DISPATCH_MS, BATCH_SIZE)) {
    await attempt(async () => {
      if (await offerStalePart(pool, ref)) offeredAgain += 1;
    });
  }
  for (const ref of await findOverdueDivisions(pool, BATCH_SIZE)) {
    await attempt(async () => {
      if (await failOverdueDivision(pool, ref)) failed += 1;
    });
  }
  for (const accountId of await findAccountsWithWaitingJobs(pool, BATCH_SIZE)) {
    await attempt(() =>
      withTransaction(pool, async (client) =>
        letNextGo(client, accountId, await lockAccountQueue(client, accountId)),
      ),
    );
  }
  wakeRelay();
  if (errors.length > 0)
    throw new AggregateError(errors, `${errors.length} jobs or queues cannot be set going`);
  return { offeredAgain, failed };
}

async function returnExpired(
  client: Queryable,
  queue: AccountQueue,
  job: Job,
): Promise<'offered' | 'failed' | undefined> {
  const now = await readDatabaseClock(client);
  if (job.leaseUntil === undefined || job.leaseUntil.getTime() > now.getTime()) return undefined;
  if (isPastDeadline(job, now)) {
    await endWithFailure(client, queue, job, TIMED_OUT);
    return 'failed';
  }
  if (job.attempts >= MAX_ATTEMPTS) {
    await endWithFailure(client, queue, job, GIVEN_UP);
    return 'failed';
  }
  await endAttempt(client, job.id, { pauseMs: undefined, countAttempt: true });
  await offerJobs(client, job.accountId, [job.id]);
  return 'offered';
}

async function offerStale(client: Queryable, _queue: AccountQueue, job: Job): Promise<boolean> {
  const isOnOffer = job.status === 'queued' || job.status === 'processing';
  if (!isOnOffer || job.dispatchedAt === undefined || job.leaseUntil !== undefined) return false;
  await touchDispatch(client, job.id);
  await offerJobs(client, job.accountId, [job.id]);
  return true;
}

async function withLockedJob<T>(
  pool: Pool,
  { id, accountId }: JobRef,
  act: (client: Queryable, queue: AccountQueue, job: Job) => Promise<T>,
): Promise<T | undefined> {
  return withTransaction(pool, async (client) => {
    const queue = await lockAccountQueue(client, accountId);
    const job = await lockJob(client, accountId, id);
    return job === undefined ? undefined : act(client, queue, job);
  });
}
