/**
 * How a worker claims an offered job or part. The offer is a hint; this code decides under the locks what may
 * run.
 */
import { type Commit, type Queryable, withTransaction } from '@audiosplit/chassis/postgres/pool';
import { isPlain } from '../cut-json.ts';
import { NotClaimableError } from '../errors.ts';
import { ABANDONED_OBJECTS_DELAY_MS, endWithFailure } from '../finish/finish-job.ts';
import { attemptPrefixOf, isClaimable, isPastDeadline, type Job, TIMED_OUT } from '../job.ts';
import { measureWait } from '../job-metrics.ts';
import { type Allowance, fetchAllowance, MAX_QUESTIONS, standingUnder } from '../minutes/allowance.ts';
import type { Standing } from '../minutes/reservation.ts';
import { type ClaimTerms, type Refused, reserveForClaim } from '../minutes/reserve-for-claim.ts';
import { splitStatusChanged } from '../outgoing-events.ts';
import { type Division, type Part, partPrefixOf } from '../parts/part.ts';
import { dispatchNext, dispatchWaitingParts } from '../queue/dispatch.ts';
import { readDivision } from '../store/lease/divisions.ts';
import { clearDispatch, leaseJob } from '../store/lease/leases.ts';
import { leasePart, lockPart, lockWaitingPart } from '../store/lease/parts.ts';
import { type AccountQueue, changeCounters } from '../store/queue/account-queue.ts';
import { findClaimable } from '../store/queue/claimable.ts';
import { scheduleDeletion } from '../store/retention.ts';
import { isAvailable } from '../work-item.ts';
import { type ClaimedSecrets, openSecrets } from './claimed-secrets.ts';
import { type LockedItem, lockItem, wholeJob } from './leasable.ts';
import type { LeaseDependencies } from './lease.ts';

export interface JobClaim extends ClaimedSecrets {
  readonly job: Job;
  readonly wallClockLeftMs: number;
  readonly maxSourceBytes: number;
  /** Undefined: unbounded, or the source's size shows that it is shorter. */
  readonly maxSourceDurationMs: number | undefined;
  /** Undefined: not known. */
  readonly maxOutputBytes: number | undefined;
}

export interface PartClaim {
  readonly part: Part;
  readonly job: Job;
  readonly division: Division;
  readonly wallClockLeftMs: number;
}

export interface JobClaimant {
  readonly workerId: string;
  /**
   * Whether it supports every cut. A splitter of an earlier release would treat a planned cut as a plain one
   * and complete the job.
   */
  readonly supportsPlans: boolean;
  /** False for a splitter of an earlier release. */
  readonly sendsSourceHeaders: boolean;
  /** Likewise. */
  readonly usesBuckets: boolean;
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
      // These limits bound the attempt: an upgrade counts even if its event has not arrived.
      dependencies.limits.latestOf(accountId, found.limits),
      isDryRun ? undefined : fetchAllowance(dependencies, accountId, asked),
    ]);
    const terms = { accountId, limits, allowance, isLastQuestion: questions >= MAX_QUESTIONS };
    const claimed = await claimUnder(dependencies, jobId, claimant, terms);
    if (claimed !== 'uncertain') return claimed;
  }
}

interface AskedTerms extends ClaimTerms {
  readonly accountId: string;
  /** Undefined: metering is unlimited. */
  readonly allowance: Allowance | undefined;
}

/** `uncertain`: billing must be queried again. Throws NotClaimableError. */
function claimUnder(
  dependencies: LeaseDependencies,
  jobId: string,
  claimant: JobClaimant,
  { accountId, allowance, ...terms }: AskedTerms,
): Promise<JobClaim | 'uncertain'> {
  const { newFenceStep, leaseMs, wallClockLimitMs } = dependencies;
  return claim<JobClaim | 'uncertain'>(dependencies, jobId, {
    readStanding: async (client) => allowance && standingUnder(client, { accountId, id: jobId }, allowance),
    refusalOf(job, now) {
      if (!isClaimable(job, now)) return `it is ${job.status}`;
      return isWithin(claimant, job) ? undefined : 'it takes a splitter of this release';
    },
    async take(client, { queue, job, now, standing }, commit) {
      const isQueued = job.status === 'queued';
      if (isQueued) {
        // The late event of a job that was put back: claiming it would overtake the jobs before it.
        if (job.dispatchedAt === undefined) return refused('it is not its turn');
        // The value under the lock: it may have changed while this call waited.
        if (queue.processing >= (queue.concurrentJobs ?? terms.limits.concurrentJobs)) {
          // The cap was lowered. The job waits again until the next job that ends dispatches it.
          await clearDispatch(client, jobId);
          await changeCounters(client, accountId, { dispatched: -1 });
          return refused(`its account has ${queue.processing} jobs running already`);
        }
      }
      const secrets = await openSecrets(dependencies, client, job);
      if ('code' in secrets) {
        await endWithFailure(client, queue, job, secrets);
        return refused('its secrets are not available');
      }
      const reservation = await reserveForClaim(client, { queue, job, standing }, terms);
      if (reservation === 'uncertain' || 'refusal' in reservation) return reservation;
      await abandon(client, job.fence, attemptPrefixOf(jobId, job.fence));
      const lease = {
        workerId: claimant.workerId,
        fenceStep: newFenceStep(),
        leaseMs,
        wallClockLimitMs,
        reservedMs: reservation.reservedMs,
        begun: isQueued ? splitStatusChanged({ ...job, status: 'processing' }) : undefined,
      };
      // Sent together. Where one fails, those behind it fail too, and the commit rolls back.
      const [claimed] = await Promise.all([
        leaseJob(client, job, lease),
        isQueued ? dispatchNext(client, accountId, withJobClaimed(queue), { commit }) : commit(),
      ]);
      if (isQueued) measureWait(job, now);
      return {
        job: claimed,
        wallClockLeftMs: msUntilDeadline(claimed, now),
        maxSourceBytes: terms.limits.maxFileSizeBytes,
        maxSourceDurationMs: reservation.maxSourceDurationMs,
        maxOutputBytes: terms.limits.maxOutputBytes,
        ...secrets,
      };
    },
  });
}

function isWithin(claimant: JobClaimant, { request }: Job): boolean {
  const { cut, sourceHeaderNames, sourceConnectionId, destination } = request;
  return (
    (claimant.supportsPlans || isPlain(cut)) &&
    (claimant.sendsSourceHeaders || sourceHeaderNames.length === 0) &&
    (claimant.usesBuckets || (sourceConnectionId === undefined && destination === undefined))
  );
}

/** Without an index: any waiting part. Throws NotClaimableError. */
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

/** The objects of the previous attempt are of no use to the next one. */
async function abandon(db: Queryable, fence: number, prefix: string): Promise<void> {
  if (fence > 0) await scheduleDeletion(db, [prefix], ABANDONED_OBJECTS_DELAY_MS);
}

function refused(refusal: string): Refused {
  return { refusal };
}

interface ClaimSteps<Claimed> {
  readonly refusalOf: (job: Job, now: Date) => string | undefined;
  /** One statement. It is sent together with the one that takes the locks, and begins once they are held. */
  readonly readStanding?: (client: Queryable) => Promise<Standing | undefined>;
  /** Returns the claimed item, or the reason for the refusal. May send the commit together with its last statement. */
  readonly take: (
    client: Queryable,
    locked: LockedItem<Job> & { readonly standing: Standing | undefined },
    commit: Commit,
  ) => Promise<Claimed | Refused>;
}

/** Throws NotClaimableError. A refusal is committed: it may have failed the job or changed the queue. */
async function claim<Claimed extends object | string>(
  { pool, wakeRelay }: LeaseDependencies,
  jobId: string,
  { refusalOf, readStanding, take }: ClaimSteps<Claimed>,
): Promise<Claimed> {
  const claimed = await withTransaction(pool, async (client, commit): Promise<Claimed | Refused> => {
    const [locked, standing] = await Promise.all([lockItem(client, wholeJob(jobId)), readStanding?.(client)]);
    if (locked === undefined) return refused('it does not exist');
    const { queue, job, now } = locked;
    const refusal = refusalOf(job, now);
    if (refusal !== undefined) return refused(refusal);
    if (isPastDeadline(job, now)) {
      await endWithFailure(client, queue, job, TIMED_OUT);
      return refused('its time is over');
    }
    return take(client, { ...locked, standing }, commit);
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
