/**
 * The lease protocol for parts of a job: that of jobs (`lease.ts`), with a fence, attempts and a lease for each part.
 *
 * A part exists as long as its job is processing, so the job's end, whichever way it comes, takes every lease away: the
 * siblings of a part that failed for good hear of it as of a cancel. The job's own row is locked before any part's, so two
 * parts that end at the same time come one after the other, and the second sees that it is the last.
 */
import { InvalidParamsError } from '@audiosplit/chassis/errors';
import { type Queryable, withTransaction } from '@audiosplit/chassis/postgres/pool';
import { LeaseLostError, NotClaimableError } from '../errors.ts';
import { endWithFailure, endWithSuccess } from '../finish/finish-job.ts';
import {
  isCanceled,
  isPastDeadline,
  type Job,
  type JobError,
  MAX_ATTEMPTS,
  retryDelayMs,
  type Segment,
  TIMED_OUT,
} from '../job.ts';
import { offerParts, offerWaitingParts } from '../parts/offer-parts.ts';
import { type Division, faultOfSegments, isPartClaimable, type Part } from '../parts/part.ts';
import { offerJobs } from '../queue/dispatch.ts';
import { type AccountQueue, lockAccountQueue } from '../store/account-queue.ts';
import { findAccountOfJob, findJob, lockJob } from '../store/jobs.ts';
import { endAttempt, readDatabaseClock } from '../store/leases.ts';
import {
  claimPart as claimInStore,
  collectSegments,
  completePart as completeInStore,
  endPartAttempt,
  lockPart,
  lockWaitingPart,
  makeWhole,
  readDivision,
  renewPartLease,
} from '../store/parts.ts';
import type { LeaseDependencies } from './lease.ts';

export interface PartClaim {
  readonly part: Part;
  readonly job: Job;
  readonly division: Division;
  readonly wallClockLeftMs: number;
}

/** Without an index: any part that waits. Throws NotClaimableError. */
export async function claimPart(
  { pool, wakeRelay, leaseMs }: LeaseDependencies,
  jobId: string,
  index: number | undefined,
  workerId: string,
): Promise<PartClaim> {
  const accountId = await findAccountOfJob(pool, jobId);
  if (accountId === undefined) throw new NotClaimableError(jobId, 'it does not exist');
  const result = await withTransaction(pool, async (client): Promise<PartClaim | string> => {
    const queue = await lockAccountQueue(client, accountId);
    const job = await lockJob(client, accountId, jobId);
    if (job === undefined) return 'it does not exist';
    if (job.status !== 'processing' || !job.isDivided) return `it is ${job.status} and has no parts`;
    const now = await readDatabaseClock(client);
    if (isPastDeadline(job, now)) {
      await endWithFailure(client, queue, job, TIMED_OUT);
      return 'its time is over';
    }
    const waiting =
      index === undefined ? await lockWaitingPart(client, jobId) : await lockPart(client, jobId, index);
    if (waiting === undefined || !isPartClaimable(waiting, now))
      return index === undefined ? 'no part of it waits' : `part ${index} does not wait`;
    const part = await claimInStore(client, waiting, { workerId, leaseMs });
    await offerWaitingParts(client, accountId);
    const wallClockLeftMs = (job.deadlineAt?.getTime() ?? 0) - now.getTime();
    return { part, job, division: await readDivision(client, jobId), wallClockLeftMs };
  });
  wakeRelay();
  if (typeof result === 'string') throw new NotClaimableError(jobId, result);
  return result;
}

/** Throws LeaseLostError: the worker must stop at once. */
export async function renewPart(
  { pool, leaseMs }: LeaseDependencies,
  jobId: string,
  index: number,
  fence: number,
  progressPercent: number,
): Promise<void> {
  if (await renewPartLease(pool, jobId, index, fence, { leaseMs, progressPercent })) return;
  const accountId = await findAccountOfJob(pool, jobId);
  const job = accountId === undefined ? undefined : await findJob(pool, accountId, jobId);
  throw new LeaseLostError(jobId, fence, isCanceled(job));
}

/** The last part completes the job. Repeating it with the same fence changes nothing. Throws LeaseLostError. */
export async function completePart(
  dependencies: LeaseDependencies,
  jobId: string,
  index: number,
  fence: number,
  segments: readonly Segment[],
): Promise<void> {
  await underPartFence(dependencies, jobId, index, fence, {
    ifDoneAlready: 'accept',
    async act(client, queue, job, part) {
      const fault = faultOfSegments(part, segments);
      if (fault !== undefined) throw new InvalidParamsError('segments', fault);
      await completeInStore(client, part, segments);
      const all = await collectSegments(client, jobId);
      if (all === undefined) return;
      const { segmentCount: _, ...outcome } = await readDivision(client, jobId);
      await endWithSuccess(client, queue, job, { ...outcome, segments: all });
    },
  });
}

/** A retryable failure lets the part wait for its next attempt while it has any; else the job fails. Throws LeaseLostError. */
export async function failPart(
  dependencies: LeaseDependencies,
  jobId: string,
  index: number,
  fence: number,
  error: JobError,
  retryable: boolean,
): Promise<void> {
  await underPartFence(dependencies, jobId, index, fence, {
    ifDoneAlready: 'refuse',
    async act(client, queue, job, part) {
      if (retryable && part.attempts < MAX_ATTEMPTS) {
        await endPartAttempt(client, part, { pauseMs: retryDelayMs(part.attempts), countAttempt: true });
      } else {
        await endWithFailure(client, queue, job, error);
      }
    },
  });
}

/** The worker is shutting down: the part is offered to others at once, and the attempt does not count. */
export async function releasePart(
  dependencies: LeaseDependencies,
  jobId: string,
  index: number,
  fence: number,
): Promise<void> {
  await underPartFence(dependencies, jobId, index, fence, {
    ifDoneAlready: 'refuse',
    async act(client, _queue, { accountId }, part) {
      await endPartAttempt(client, part, { pauseMs: undefined, countAttempt: false });
      await offerParts(client, [{ ...part, accountId }]);
    },
  });
}

/**
 * The job cannot be done in parts after all: their workers lose them, and the job is offered to be done whole, with no
 * attempt counted. Throws LeaseLostError.
 */
export async function rejoin(
  dependencies: LeaseDependencies,
  jobId: string,
  index: number,
  fence: number,
): Promise<void> {
  await underPartFence(dependencies, jobId, index, fence, {
    ifDoneAlready: 'refuse',
    async act(client, _queue, { accountId }) {
      await makeWhole(client, jobId);
      await endAttempt(client, jobId, { pauseMs: undefined, countAttempt: false });
      await offerJobs(client, accountId, [jobId]);
      await offerWaitingParts(client, accountId);
    },
  });
}

interface FencedAction {
  readonly ifDoneAlready: 'accept' | 'refuse';
  readonly act: (client: Queryable, queue: AccountQueue, job: Job, part: Part) => Promise<void>;
}

async function underPartFence(
  { pool, wakeRelay }: LeaseDependencies,
  jobId: string,
  index: number,
  fence: number,
  { ifDoneAlready, act }: FencedAction,
): Promise<void> {
  const leaseLost = (job: Job | undefined) => new LeaseLostError(jobId, fence, isCanceled(job));
  const accountId = await findAccountOfJob(pool, jobId);
  if (accountId === undefined) throw leaseLost(undefined);
  await withTransaction(pool, async (client) => {
    const queue = await lockAccountQueue(client, accountId);
    const job = await lockJob(client, accountId, jobId);
    // Its parts are gone with the last of them, this one among them.
    if (job?.status === 'completed' && job.isDivided && ifDoneAlready === 'accept') return;
    const part = await lockPart(client, jobId, index);
    if (job?.status !== 'processing' || part === undefined || part.fence !== fence) throw leaseLost(job);
    if (part.isDone && ifDoneAlready === 'accept') return;
    // Without a worker the attempt has been ended already, by this worker's own earlier word.
    if (part.workerId === undefined) throw leaseLost(job);
    await act(client, queue, job, part);
  });
  wakeRelay();
}
