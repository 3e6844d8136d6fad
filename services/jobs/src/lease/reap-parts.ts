/** What the reaper does for parts: as for jobs, but that a part which is given up takes its job along. */
import { type Pool, type Queryable, withTransaction } from '@audiosplit/chassis/postgres/pool';
import { endWithFailure } from '../finish/finish-job.ts';
import { GIVEN_UP, isPastDeadline, type Job, MAX_ATTEMPTS, TIMED_OUT } from '../job.ts';
import { offerParts } from '../parts/offer-parts.ts';
import type { Part } from '../parts/part.ts';
import { type AccountQueue, lockAccountQueue } from '../store/account-queue.ts';
import { lockJob } from '../store/jobs.ts';
import { type JobRef, readDatabaseClock } from '../store/leases.ts';
import { endPartAttempt, lockPart, type PartRef, touchPartDispatch } from '../store/parts.ts';

/** A lease that has run out, or a pause that is over. */
export function returnExpiredPart(pool: Pool, ref: PartRef): Promise<'offered' | 'failed' | undefined> {
  return withLockedPart(pool, ref, async (client, queue, job, part) => {
    const now = await readDatabaseClock(client);
    if (part.leaseUntil === undefined || part.leaseUntil.getTime() > now.getTime()) return undefined;
    if (isPastDeadline(job, now)) {
      await endWithFailure(client, queue, job, TIMED_OUT);
      return 'failed';
    }
    if (part.attempts >= MAX_ATTEMPTS) {
      await endWithFailure(client, queue, job, GIVEN_UP);
      return 'failed';
    }
    await endPartAttempt(client, part, { pauseMs: undefined, countAttempt: true });
    await offerParts(client, [ref]);
    return 'offered';
  });
}

/** An event that may have been lost. */
export function offerStalePart(pool: Pool, ref: PartRef): Promise<boolean | undefined> {
  return withLockedPart(pool, ref, async (client, _queue, _job, part) => {
    if (part.isDone || part.dispatchedAt === undefined || part.leaseUntil !== undefined) return false;
    await touchPartDispatch(client, part);
    await offerParts(client, [ref]);
    return true;
  });
}

/** A divided job has no lease that could run out. */
export async function failOverdueDivision(pool: Pool, { id, accountId }: JobRef): Promise<boolean> {
  return withTransaction(pool, async (client) => {
    const queue = await lockAccountQueue(client, accountId);
    const job = await lockJob(client, accountId, id);
    if (job?.status !== 'processing' || !isPastDeadline(job, await readDatabaseClock(client))) return false;
    await endWithFailure(client, queue, job, TIMED_OUT);
    return true;
  });
}

async function withLockedPart<T>(
  pool: Pool,
  { jobId, index, accountId }: PartRef,
  act: (client: Queryable, queue: AccountQueue, job: Job, part: Part) => Promise<T>,
): Promise<T | undefined> {
  return withTransaction(pool, async (client) => {
    const queue = await lockAccountQueue(client, accountId);
    const job = await lockJob(client, accountId, jobId);
    const part = await lockPart(client, jobId, index);
    return job === undefined || part === undefined ? undefined : act(client, queue, job, part);
  });
}
