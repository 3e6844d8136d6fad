/** What a claim reserves: the job's known need, or else the longest duration for the size of its source. */
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import { endWithFailure } from '../finish/finish-job.ts';
import type { AccountLimits, Job } from '../job.ts';
import { putInLine, setAwaitsMinutes } from '../store/minutes.ts';
import { type AccountQueue, changeCounters } from '../store/queue/account-queue.ts';
import { readBoundError } from './bound-error.ts';
import { assumedMs, judgeReservation, mostMsOf, type Standing } from './reservation.ts';

export interface ClaimTerms {
  readonly limits: AccountLimits;
  readonly isLastQuestion: boolean;
}

interface ClaimedItem {
  readonly queue: AccountQueue;
  readonly job: Job;
  /** Undefined: metering is unlimited. */
  readonly standing: Standing | undefined;
}

interface Reservation {
  readonly reservedMs: number | undefined;
  /** The engine refuses longer sources. */
  readonly maxSourceDurationMs: number | undefined;
}

export interface Refused {
  readonly refusal: string;
}

/** A refused job waits in its account's queue, or has failed. `uncertain`: billing must be queried again. */
export async function reserveForClaim(
  db: Queryable,
  { queue, job, standing }: ClaimedItem,
  { limits, isLastQuestion }: ClaimTerms,
): Promise<Reservation | Refused | 'uncertain'> {
  if (standing === undefined) return { reservedMs: undefined, maxSourceDurationMs: undefined };
  const { leftMs } = standing;
  const sizeBytes = Math.min(job.inspectedBytes ?? limits.maxFileSizeBytes, limits.maxFileSizeBytes);
  const verdict = judgeReservation(job.neededMs ?? assumedMs(sizeBytes, standing), standing);
  switch (verdict.kind) {
    case 'granted': {
      // With a limit, the engine must measure sources that do not state their length, which takes time. No
      // limit is set if the size rules out a longer source.
      const isShorter = limits.overageAllowed && mostMsOf(sizeBytes) <= leftMs;
      return { reservedMs: verdict.reservedMs, maxSourceDurationMs: isShorter ? undefined : leftMs };
    }
    case 'exceeds':
      await endWithFailure(db, queue, job, await readBoundError(db, job.accountId));
      return { refusal: 'it needs more minutes than its account has left' };
    case 'uncertain':
      if (!isLastQuestion) return 'uncertain';
      await waitInLine(db, job);
      return { refusal: 'jobs of its account keep completing' };
    case 'waits':
      await waitInLine(db, job);
      return { refusal: 'other jobs of its account hold the minutes that it needs' };
    default:
      return verdict satisfies never;
  }
}

/** Until a job of the account releases minutes. */
async function waitInLine(db: Queryable, { id, accountId, status }: Job): Promise<void> {
  await putInLine(db, id, { neededMs: undefined, begunAttempts: 0 });
  if (status === 'queued') await changeCounters(db, accountId, { dispatched: -1 });
  await setAwaitsMinutes(db, accountId, true);
}
