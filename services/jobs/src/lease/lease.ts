/**
 * The lease protocol, as a worker sees it.
 *
 * A claim raises the job's fence and holds it until `lease_until` on the database's clock. From then on
 * every word of the worker carries the fence; a word with a lower fence than the job's is refused, so a
 * worker that was frozen, cut off or thought dead can neither finish nor disturb a job that another has.
 *
 * Failure modes: a claim whose answer is lost leaves a lease that nobody renews: the reaper returns it. A
 * completion whose answer is lost may be repeated: with the same fence it is a no-op. A lease that has run
 * out but that nobody else has claimed may still be renewed: no work is thrown away for a short pause.
 */
import { appendToOutbox } from '@audiosplit/chassis/outbox/outbox';
import { type Pool, type Queryable, withTransaction } from '@audiosplit/chassis/postgres/pool';
import { LeaseLostError, NotClaimableError } from '../errors.ts';
import { endWithFailure, endWithSuccess, letNextGo, withJobClaimed } from '../finish/finish-job.ts';
import {
  isClaimable,
  isEndedByOwner,
  isPastDeadline,
  type Job,
  type JobError,
  type JobOutcome,
  MAX_ATTEMPTS,
  retryDelayMs,
  type SourceUse,
  TIMED_OUT,
} from '../job.ts';
import { measureWait } from '../job-metrics.ts';
import { splitStatusChanged } from '../outgoing-events.ts';
import { offerJobs } from '../queue/dispatch.ts';
import { type AccountQueue, changeCounters, lockAccountQueue } from '../store/account-queue.ts';
import { findAccountOfJob, findJob, lockJob } from '../store/jobs.ts';
import { claimJob, clearDispatch, endAttempt, readDatabaseClock, renewLease } from '../store/leases.ts';
import { readLimits } from '../store/limits.ts';
import type { KnownLimits } from '../submit/limits.ts';

export interface LeaseDependencies {
  readonly pool: Pool;
  readonly limits: KnownLimits;
  readonly fetchQuotaLeftMs: (accountId: string) => Promise<number>;
  readonly wakeRelay: () => void;
  readonly leaseMs: number;
  readonly wallClockLimitMs: number;
}

export interface Claim {
  readonly job: Job;
  readonly wallClockLeftMs: number;
  readonly maxSourceBytes: number;
  /** Undefined: not bounded by a quota. */
  readonly maxSourceDurationMs: number | undefined;
}

/** Throws NotClaimableError. */
export async function claim(
  dependencies: LeaseDependencies,
  jobId: string,
  workerId: string,
): Promise<Claim> {
  const { pool, fetchQuotaLeftMs, wakeRelay, leaseMs, wallClockLimitMs } = dependencies;
  const accountId = await findAccountOfJob(pool, jobId);
  if (accountId === undefined) throw new NotClaimableError(jobId, 'it does not exist');
  // The attempt lives and fails by these: an upgrade whose event is still on its way counts.
  const limits = await dependencies.limits.latestOf(accountId);
  const quotaLeftMs = limits.overageAllowed ? undefined : await fetchQuotaLeftMs(accountId);

  const result = await withTransaction(pool, async (client): Promise<Job | { readonly refused: string }> => {
    const queue = await lockAccountQueue(client, accountId);
    const job = await lockJob(client, accountId, jobId);
    const now = await readDatabaseClock(client);
    if (job === undefined) return { refused: 'it does not exist' };
    if (!isClaimable(job, now)) return { refused: `it is ${job.status} under fence ${job.fence}` };
    if (isPastDeadline(job, now)) {
      await endWithFailure(client, queue, job, TIMED_OUT);
      return { refused: 'its time is over' };
    }
    if (job.status === 'queued') {
      // A leftover event of a job that was put back: it would overtake those whose turn it is.
      if (job.dispatchedAt === undefined) return { refused: 'it is not its turn' };
      // Read again under the lock: it may have changed while this call waited for that.
      const { concurrentJobs } = (await readLimits(client, accountId)) ?? limits;
      if (queue.processing >= concurrentJobs) {
        // The cap was lowered meanwhile. The job waits its turn again: the next job to end lets it go.
        await clearDispatch(client, jobId);
        await changeCounters(client, accountId, { dispatched: -1 });
        return { refused: `its account has ${queue.processing} jobs running already` };
      }
      await changeCounters(client, accountId, { queued: -1, dispatched: -1, processing: 1 });
      measureWait(job, now);
    }
    const claimed = await claimJob(client, jobId, { workerId, leaseMs, wallClockLimitMs });
    if (job.status === 'queued') {
      await appendToOutbox(client, [splitStatusChanged(claimed)]);
      await letNextGo(client, accountId, withJobClaimed(queue));
    }
    return claimed;
  });
  wakeRelay();
  if ('refused' in result) throw new NotClaimableError(jobId, result.refused);
  return {
    job: result,
    wallClockLeftMs: (result.deadlineAt?.getTime() ?? 0) - (result.leaseUntil?.getTime() ?? 0) + leaseMs,
    maxSourceBytes: limits.maxFileSizeBytes,
    maxSourceDurationMs: quotaLeftMs,
  };
}

/** Throws LeaseLostError: the worker must stop at once. */
export async function renew(
  { pool, leaseMs }: LeaseDependencies,
  jobId: string,
  fence: number,
  renewal: Pick<Job, 'progressPercent' | 'fetching'> & { readonly sourceUse: SourceUse | undefined },
): Promise<void> {
  const renewed = await renewLease(pool, jobId, fence, { leaseMs, ...renewal });
  if (renewed) return;
  const accountId = await findAccountOfJob(pool, jobId);
  const job = accountId === undefined ? undefined : await findJob(pool, accountId, jobId);
  throw new LeaseLostError(jobId, fence, isEndedByOwner(job, fence));
}

/** Repeating it with the fence that completed the job changes nothing. Throws LeaseLostError. */
export async function complete(
  dependencies: LeaseDependencies,
  jobId: string,
  fence: number,
  outcome: JobOutcome,
): Promise<void> {
  await underFence(dependencies, jobId, fence, {
    isDoneAlready: ({ status }) => status === 'completed',
    act: (client, queue, job) => endWithSuccess(client, queue, job, outcome),
  });
}

/** A retryable failure goes back to the queue after a pause while attempts are left. Throws LeaseLostError. */
export async function fail(
  dependencies: LeaseDependencies,
  jobId: string,
  fence: number,
  failure: {
    readonly error: JobError;
    readonly retryable: boolean;
    readonly sourceUse: SourceUse | undefined;
  },
): Promise<void> {
  const { error, retryable, sourceUse } = failure;
  await underFence(dependencies, jobId, fence, {
    async act(client, queue, job) {
      if (retryable && job.attempts < MAX_ATTEMPTS) {
        const pauseMs = retryDelayMs(job.attempts);
        await endAttempt(client, jobId, { pauseMs, countAttempt: true, sourceUse });
      } else {
        await endWithFailure(client, queue, job, error);
      }
    },
  });
}

/** The worker is shutting down: the job is offered to others at once, and the attempt does not count. */
export async function release(
  dependencies: LeaseDependencies,
  jobId: string,
  fence: number,
  sourceUse: SourceUse | undefined,
): Promise<void> {
  await underFence(dependencies, jobId, fence, {
    async act(client, _queue, job) {
      await endAttempt(client, jobId, { pauseMs: undefined, countAttempt: false, sourceUse });
      await offerJobs(client, job.accountId, [jobId]);
    },
  });
}

interface FencedAction {
  /** Whether the word has been heard before, by the state in which it left the job. */
  readonly isDoneAlready?: (job: Job) => boolean;
  readonly act: (client: Queryable, queue: AccountQueue, job: Job) => Promise<void>;
}

/** Throws LeaseLostError. */
export async function underFence(
  { pool, wakeRelay }: LeaseDependencies,
  jobId: string,
  fence: number,
  action: FencedAction,
): Promise<void> {
  const leaseLost = (job: Job | undefined) => new LeaseLostError(jobId, fence, isEndedByOwner(job, fence));
  const accountId = await findAccountOfJob(pool, jobId);
  if (accountId === undefined) throw leaseLost(undefined);
  await withTransaction(pool, async (client) => {
    const queue = await lockAccountQueue(client, accountId);
    const job = await lockJob(client, accountId, jobId);
    if (job === undefined || job.fence !== fence) throw leaseLost(job);
    if (action.isDoneAlready?.(job)) return;
    // Without a worker the attempt has been ended already, by this worker's own earlier word.
    if (job.status !== 'processing' || job.workerId === undefined) throw leaseLost(job);
    await action.act(client, queue, job);
  });
  wakeRelay();
}
