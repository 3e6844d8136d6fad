/**
 * The lease protocol for jobs and parts, as a worker sees it: claim, renew, and complete, fail or release.
 *
 * A claim (`claim.ts`) raises the item's fencing token and leases the item until `lease_until` on the database's clock.
 * Every later call of the worker carries the token. A call with another token than the item's is rejected, so a worker
 * that was frozen or cut off can neither finish nor disturb an item that another worker has. Tokens cannot be guessed
 * (`fence-step.ts`): nor can a worker that was taken over.
 *
 * A part exists only while its job is processing. However the job ends, the leases of its parts end with it.
 *
 * Failure modes. The response to a claim is lost: the reaper returns the lease, which is not renewed. The response to a
 * completion is lost: repeating it with the same token changes nothing. A lease has expired, but no other worker has
 * claimed the item: it can still be renewed, so that a short pause costs no work.
 */
import { InvalidParamsError } from '@audiosplit/chassis/errors';
import { type Commit, type Pool, type Queryable, withTransaction } from '@audiosplit/chassis/postgres/pool';
import type { Logger } from '@audiosplit/chassis/process/log';
import { usedMsOf } from '../cut-json.ts';
import { LeaseLostError } from '../errors.ts';
import { endWithFailure, endWithSuccess } from '../finish/finish-job.ts';
import {
  attemptPrefixOf,
  faultOfKeys,
  faultOfObjects,
  hasNoObjects,
  isEndedByOwner,
  type Job,
  type JobError,
  type JobOutcome,
  type Segment,
  type SourceUse,
} from '../job.ts';
import type { FetchQuota } from '../minutes/allowance.ts';
import { QUOTA_EXCEEDED, readBoundError } from '../minutes/bound-error.ts';
import { requireReserved } from '../minutes/reservation.ts';
import { faultOfSegments } from '../parts/part.ts';
import { offer, passOnMinutes } from '../queue/dispatch.ts';
import { findAccountOfJob, findJob } from '../store/job/jobs.ts';
import { readDivision } from '../store/lease/divisions.ts';
import { endAttempt, type Renewal, renewLease } from '../store/lease/leases.ts';
import { collectSegments, completePart as completePartRow } from '../store/lease/parts.ts';
import type { KnownLimits } from '../submit/limits.ts';
import { type Lease, type LeaseState, MAX_ATTEMPTS, retryDelayMs } from '../work-item.ts';
import type { SecretBoxes } from './claimed-secrets.ts';
import { type Leasable, type LockedItem, leasable, lockItem, partOf, wholeJob } from './leasable.ts';

export interface LeaseDependencies extends SecretBoxes {
  readonly pool: Pool;
  readonly limits: KnownLimits;
  readonly fetchQuota: FetchQuota;
  readonly log: Logger;
  readonly wakeRelay: () => void;
  /** The amount by which a claim raises the fencing token. */
  readonly newFenceStep: () => number;
  readonly leaseMs: number;
  readonly wallClockLimitMs: number;
}

export interface AttemptFailure {
  readonly error: JobError;
  readonly retryable: boolean;
  readonly sourceUse: SourceUse | undefined;
}

/** Throws LeaseLostError: the worker must stop at once. */
export async function renew(
  { pool, leaseMs }: LeaseDependencies,
  lease: Lease,
  renewal: Omit<Renewal, 'leaseMs'>,
): Promise<void> {
  if (await renewLease(pool, lease, { leaseMs, ...renewal })) return;
  const accountId = await findAccountOfJob(pool, lease.jobId);
  const job = accountId === undefined ? undefined : await findJob(pool, accountId, lease.jobId);
  throw leaseLost(lease, job);
}

/** Repeating it with the same fence changes nothing. Throws LeaseLostError, BeyondReservationError. */
export async function completeJob(
  dependencies: LeaseDependencies,
  jobId: string,
  fence: number,
  outcome: JobOutcome,
): Promise<void> {
  await withFence(dependencies, wholeJob(jobId), fence, {
    isDoneAlready: (job) => job.status === 'completed' && job.fence === fence,
    async act(client, { queue, job, now }, commit) {
      const { segments } = outcome;
      rejectSegments(
        hasNoObjects(job.request)
          ? faultOfObjects(segments)
          : faultOfKeys(attemptPrefixOf(jobId, fence), segments),
      );
      requireReserved(job, usedMsOf(job.request.cut, outcome));
      await endWithSuccess(client, { queue, job, now }, outcome, commit);
    },
  });
}

/**
 * The last part completes the job. The job's row is locked first, so of two parts that end at the same time
 * the second sees that it is the last. Repeating it with the same fence changes nothing. Throws
 * LeaseLostError.
 */
export async function completePart(
  dependencies: LeaseDependencies,
  { jobId, part: index, fence }: Lease & { readonly part: number },
  segments: readonly Segment[],
): Promise<void> {
  await withFence(dependencies, partOf(jobId, index), fence, {
    // The parts of a completed job are deleted.
    isDoneAlready: (job, part) =>
      (job.status === 'completed' && job.isDivided) || (part?.fence === fence && !part.isUnfinished),
    async act(client, { queue, job, now, row: part }, commit) {
      rejectSegments(faultOfSegments(part, job.fence, segments));
      await completePartRow(client, part, segments);
      const all = await collectSegments(client, jobId);
      if (all === undefined) return;
      const { segmentCount: _, ...outcome } = await readDivision(client, jobId);
      await endWithSuccess(client, { queue, job, now }, { ...outcome, segments: all }, commit);
    },
  });
}

/** After a retryable failure the item waits for its next attempt; else, or without one, the job fails. Throws LeaseLostError. */
export async function fail(
  dependencies: LeaseDependencies,
  lease: Lease,
  { error, retryable, sourceUse }: AttemptFailure,
): Promise<void> {
  await withFence(dependencies, leasable(lease), lease.fence, {
    async act(client, { queue, job, row: { attempts } }) {
      if (!retryable || attempts >= MAX_ATTEMPTS) {
        await endWithFailure(client, queue, job, await causeOf(client, job, error));
        return;
      }
      const pauseMs = retryDelayMs(attempts);
      await endAttempt(client, lease, { pauseMs, countAttempt: true, sourceUse });
      await passOnMinutes(client, job.accountId, queue);
    },
  });
}

/** The worker shuts down: the item is offered again at once, and the attempt does not count. Throws LeaseLostError. */
export async function release(
  dependencies: LeaseDependencies,
  lease: Lease,
  sourceUse: SourceUse | undefined,
): Promise<void> {
  await withFence(dependencies, leasable(lease), lease.fence, {
    async act(client, { queue, job: { accountId } }) {
      await endAttempt(client, lease, { pauseMs: undefined, countAttempt: false, sourceUse });
      await offer(client, [{ ...lease, accountId }]);
      await passOnMinutes(client, accountId, queue);
    },
  });
}

interface FencedAction<Row extends LeaseState> {
  /** Whether an earlier call with this fence has completed it; the row may be deleted by then. */
  readonly isDoneAlready?: (job: Job, row: Row | undefined) => boolean;
  /** May send the commit together with its last statement. */
  readonly act: (
    client: Queryable,
    locked: LockedItem<Row> & { readonly row: Row },
    commit: Commit,
  ) => Promise<void>;
}

/** Acts in a transaction that holds the locks, if the worker still has the lease. Throws LeaseLostError. */
export async function withFence<Row extends LeaseState>(
  { pool, wakeRelay }: LeaseDependencies,
  item: Leasable<Row>,
  fence: number,
  { isDoneAlready, act }: FencedAction<Row>,
): Promise<void> {
  const lease = { ...item, fence };
  await withTransaction(pool, async (client, commit) => {
    const locked = await lockItem(client, item);
    if (locked === undefined) throw leaseLost(lease, undefined);
    const { job, row } = locked;
    if (isDoneAlready?.(job, row)) return;
    if (job.status !== 'processing' || row?.fence !== fence) throw leaseLost(lease, job);
    // This worker's own earlier call has ended the attempt.
    if (row.workerId === undefined) throw leaseLost(lease, job);
    await act(client, { ...locked, row }, commit);
  });
  wakeRelay();
}

/** Splitters do not know which limit applies to an account. */
async function causeOf(db: Queryable, { accountId }: Job, error: JobError): Promise<JobError> {
  return error.code === QUOTA_EXCEEDED ? await readBoundError(db, accountId) : error;
}

function rejectSegments(fault: string | undefined): void {
  if (fault !== undefined) throw new InvalidParamsError('segments', fault);
}

function leaseLost(lease: Lease, job: Job | undefined): LeaseLostError {
  return new LeaseLostError(lease.jobId, lease.fence, isEndedByOwner(job, lease));
}
