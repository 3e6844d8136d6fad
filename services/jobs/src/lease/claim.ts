/** How a worker takes a job or a part that was offered to it. The offer is a hint; what may run is decided here, under the locks. */
import { type Queryable, withTransaction } from '@audiosplit/chassis/postgres/pool';
import type { SourceHeaders } from '@audiosplit/proto/source-headers';
import { isPlain } from '../cut-json.ts';
import { NotClaimableError } from '../errors.ts';
import { ABANDONED_OBJECTS_DELAY_MS, endWithFailure } from '../finish/finish-job.ts';
import { attemptPrefixOf, isClaimable, isPastDeadline, type Job, TIMED_OUT } from '../job.ts';
import { measureWait } from '../job-metrics.ts';
import { fetchAllowance, MAX_QUESTIONS } from '../minutes/allowance.ts';
import { type ClaimTerms, type Refused, reserveForClaim } from '../minutes/reserve-for-claim.ts';
import { splitStatusChanged } from '../outgoing-events.ts';
import { type Division, type Part, partPrefixOf } from '../parts/part.ts';
import { dispatchNext, dispatchWaitingParts } from '../queue/dispatch.ts';
import { HEADERS_LOST } from '../source-headers.ts';
import { type AccountQueue, changeCounters } from '../store/account-queue.ts';
import { findClaimable } from '../store/claimable.ts';
import { readDivision } from '../store/divisions.ts';
import { readSealedHeaders } from '../store/jobs.ts';
import { clearDispatch, leaseJob } from '../store/leases.ts';
import { leasePart, lockPart, lockWaitingPart } from '../store/parts.ts';
import { scheduleDeletion } from '../store/retention.ts';
import { isAvailable } from '../work-item.ts';
import { type LockedItem, lockItem, wholeJob } from './leasable.ts';
import type { LeaseDependencies } from './lease.ts';

export interface JobClaim {
  readonly job: Job;
  readonly wallClockLeftMs: number;
  readonly maxSourceBytes: number;
  /** Undefined: nothing bounds it, or its size shows it to be shorter. */
  readonly maxSourceDurationMs: number | undefined;
  /** Undefined: not known. */
  readonly maxOutputBytes: number | undefined;
  readonly sourceHeaders: SourceHeaders;
}

export interface PartClaim {
  readonly part: Part;
  readonly job: Job;
  readonly division: Division;
  readonly wallClockLeftMs: number;
}

export interface JobClaimant {
  readonly workerId: string;
  /** It carries out every cut. One of an earlier release would make a plain cut of a planned one, and complete the job. */
  readonly supportsPlans: boolean;
  /** As one of an earlier release does not. */
  readonly sendsSourceHeaders: boolean;
}

/** Throws NotClaimableError. */
export async function claimJob(
  dependencies: LeaseDependencies,
  jobId: string,
  claimant: JobClaimant,
): Promise<JobClaim> {
  for (let questions = 1; ; questions++) {
    const found = await findClaimable(dependencies.pool, jobId);
    if (found === undefined) throw new NotClaimableError(jobId, 'it does not exist');
    const { accountId, isDryRun, asked } = found;
    const [limits, allowance] = await Promise.all([
      // The attempt is bounded by these: an upgrade counts even if its event has not arrived.
      dependencies.limits.latestOf(accountId, found.limits),
      isDryRun ? undefined : fetchAllowance(dependencies, accountId, asked),
    ]);
    const terms = { limits, allowance, isLastQuestion: questions >= MAX_QUESTIONS };
    const claimed = await claimUnder(dependencies, jobId, claimant, terms);
    if (claimed !== 'uncertain') return claimed;
  }
}

/** `uncertain`: billing has to be asked again. Throws NotClaimableError. */
function claimUnder(
  dependencies: LeaseDependencies,
  jobId: string,
  claimant: JobClaimant,
  terms: ClaimTerms,
): Promise<JobClaim | 'uncertain'> {
  const { newFenceStep, leaseMs, wallClockLimitMs } = dependencies;
  return claim<JobClaim | 'uncertain'>(dependencies, jobId, {
    refusalOf(job, now) {
      if (!isClaimable(job, now)) return `it is ${job.status}`;
      return isWithin(claimant, job) ? undefined : 'it takes a splitter of this release';
    },
    async take(client, { queue, job, now }) {
      const { accountId } = job;
      const isQueued = job.status === 'queued';
      if (isQueued) {
        // The late event of a job that was put back: it would overtake the jobs before it.
        if (job.dispatchedAt === undefined) return refused('it is not its turn');
        // As of the lock: it may have changed while this call waited for it.
        if (queue.processing >= (queue.concurrentJobs ?? terms.limits.concurrentJobs)) {
          // The cap was lowered. The job waits again, until the next job that ends dispatches it.
          await clearDispatch(client, jobId);
          await changeCounters(client, accountId, { dispatched: -1 });
          return refused(`its account has ${queue.processing} jobs running already`);
        }
      }
      const sourceHeaders = await openHeaders(dependencies, client, job);
      if (sourceHeaders === undefined) {
        await endWithFailure(client, queue, job, HEADERS_LOST);
        return refused('its source headers cannot be decrypted');
      }
      const reservation = await reserveForClaim(client, queue, job, terms);
      if (reservation === 'uncertain' || 'refusal' in reservation) return reservation;
      await abandon(client, job.fence, attemptPrefixOf(jobId, job.fence));
      const claimed = await leaseJob(client, job, {
        workerId: claimant.workerId,
        fenceStep: newFenceStep(),
        leaseMs,
        wallClockLimitMs,
        reservedMs: reservation.reservedMs,
        begun: isQueued ? splitStatusChanged({ ...job, status: 'processing' }) : undefined,
      });
      if (isQueued) {
        measureWait(job, now);
        await dispatchNext(client, accountId, withJobClaimed(queue));
      }
      return {
        job: claimed,
        wallClockLeftMs: msUntilDeadline(claimed, now),
        maxSourceBytes: terms.limits.maxFileSizeBytes,
        maxSourceDurationMs: reservation.maxSourceDurationMs,
        maxOutputBytes: terms.limits.maxOutputBytes,
        sourceHeaders,
      };
    },
  });
}

function isWithin({ supportsPlans, sendsSourceHeaders }: JobClaimant, { request }: Job): boolean {
  const { cut, sourceHeaderNames } = request;
  return (supportsPlans || isPlain(cut)) && (sendsSourceHeaders || sourceHeaderNames.length === 0);
}

/** Undefined where they cannot be decrypted. */
async function openHeaders(
  { sourceHeaderBox }: LeaseDependencies,
  db: Queryable,
  { id, request }: Job,
): Promise<SourceHeaders | undefined> {
  if (request.sourceHeaderNames.length === 0) return {};
  const sealed = await readSealedHeaders(db, id);
  return sealed === null ? undefined : sourceHeaderBox.open(id, sealed);
}

/** Without an index: any part that waits. Throws NotClaimableError. */
export async function claimPart(
  dependencies: LeaseDependencies,
  jobId: string,
  index: number | undefined,
  workerId: string,
): Promise<PartClaim> {
  const { newFenceStep, leaseMs } = dependencies;
  return claim(dependencies, jobId, {
    refusalOf: (job) =>
      job.status === 'processing' && job.isDivided ? undefined : `it is ${job.status} and has no parts`,
    async take(client, { job, now }) {
      const waiting =
        index === undefined ? await lockWaitingPart(client, jobId) : await lockPart(client, jobId, index);
      if (waiting === undefined || !waiting.isUnfinished || !isAvailable(waiting, now))
        return refused(index === undefined ? 'no part of it waits' : `part ${index} does not wait`);
      await abandon(client, waiting.fence, partPrefixOf(jobId, job.fence, waiting.index, waiting.fence));
      const part = await leasePart(client, waiting, { workerId, fenceStep: newFenceStep(), leaseMs });
      await dispatchWaitingParts(client, job.accountId);
      const division = await readDivision(client, jobId);
      return { part, job, division, wallClockLeftMs: msUntilDeadline(job, now) };
    },
  });
}

/** What the attempt before has stored is of no use to the next one. */
async function abandon(db: Queryable, fence: number, prefix: string): Promise<void> {
  if (fence > 0) await scheduleDeletion(db, [prefix], ABANDONED_OBJECTS_DELAY_MS);
}

function refused(refusal: string): Refused {
  return { refusal };
}

interface ClaimSteps<Claimed> {
  readonly refusalOf: (job: Job, now: Date) => string | undefined;
  /** Gives what was claimed, or why nothing was. */
  readonly take: (client: Queryable, locked: LockedItem<Job>) => Promise<Claimed | Refused>;
}

/** Throws NotClaimableError. A refusal is committed: it may have failed the job or changed the queue. */
async function claim<Claimed extends object | string>(
  { pool, wakeRelay }: LeaseDependencies,
  jobId: string,
  { refusalOf, take }: ClaimSteps<Claimed>,
): Promise<Claimed> {
  const claimed = await withTransaction(pool, async (client): Promise<Claimed | Refused> => {
    const locked = await lockItem(client, wholeJob(jobId));
    if (locked === undefined) return refused('it does not exist');
    const { queue, job, now } = locked;
    const refusal = refusalOf(job, now);
    if (refusal !== undefined) return refused(refusal);
    if (isPastDeadline(job, now)) {
      await endWithFailure(client, queue, job, TIMED_OUT);
      return refused('its time is over');
    }
    return take(client, locked);
  });
  wakeRelay();
  if (isRefused(claimed)) throw new NotClaimableError(jobId, claimed.refusal);
  return claimed;
}

function isRefused(claimed: object | string): claimed is Refused {
  return typeof claimed === 'object' && 'refusal' in claimed;
}

function withJobClaimed(queue: AccountQueue): AccountQueue {
  return {
    ...queue,
    queued: queue.queued - 1,
    dispatched: queue.dispatched - 1,
    processing: queue.processing + 1,
  };
}

function msUntilDeadline({ deadlineAt }: Job, now: Date): number {
  return (deadlineAt?.getTime() ?? 0) - now.getTime();
}
