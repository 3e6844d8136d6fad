/**
 * A worker reports what its job needs once it knows: the length of the source, or of all pieces of a plan.
 * The reservation is changed to that. If too few minutes are left and other jobs hold some, the job waits in
 * its account's queue, without a worker.
 */
import type { Commit, Queryable } from '@audiosplit/chassis/postgres/pool';
import { endWithFailure } from '../finish/finish-job.ts';
import type { Job } from '../job.ts';
import { wholeJob } from '../lease/leasable.ts';
import { type LeaseDependencies, withFence } from '../lease/lease.ts';
import { passOnMinutes } from '../queue/dispatch.ts';
import { putInLine, setAwaitsMinutes, setReservation } from '../store/minutes.ts';
import type { AccountQueue } from '../store/queue/account-queue.ts';
import type { Lease } from '../work-item.ts';
import { type Allowance, fetchAllowance, MAX_QUESTIONS, standingUnder } from './allowance.ts';
import { readBoundError } from './bound-error.ts';
import { judgeReservation } from './reservation.ts';

type Outcome = 'granted' | 'lost' | 'ask';

interface Need {
  readonly queue: AccountQueue;
  readonly job: Job;
  readonly neededMs: number;
}

/** False: the worker no longer has the job, which waits or has failed. Throws LeaseLostError. */
export async function reserveMinutes(
  dependencies: LeaseDependencies,
  { jobId, fence }: Pick<Lease, 'jobId' | 'fence'>,
  neededMs: number,
): Promise<boolean> {
  let outcome: Outcome = 'ask';
  let accountId = '';
  await withFence(dependencies, wholeJob(jobId), fence, {
    async act(client, { queue, job }, commit) {
      accountId = job.accountId;
      outcome = await reserveWithin(client, { queue, job, neededMs }, commit);
    },
  });
  for (let questions = 1; outcome === 'ask'; questions++) {
    const allowance = await fetchAllowance(dependencies, accountId);
    await withFence(dependencies, wholeJob(jobId), fence, {
      async act(client, { queue, job }) {
        outcome = await reserveMore(client, { queue, job, neededMs }, { allowance, questions });
      },
    });
  }
  return outcome === 'granted';
}

/** The job needs no more than it holds, or is unlimited. */
async function reserveWithin(
  db: Queryable,
  { queue, job, neededMs }: Need,
  commit: Commit,
): Promise<Outcome> {
  if (job.reservedMs === undefined) return 'granted';
  if (neededMs > job.reservedMs) return 'ask';
  await Promise.all([
    setReservation(db, job.id, neededMs),
    passOnMinutes(db, job.accountId, queue, { commit }),
  ]);
  return 'granted';
}

async function reserveMore(
  db: Queryable,
  need: Need,
  { allowance, questions }: { readonly allowance: Allowance | undefined; readonly questions: number },
): Promise<Outcome> {
  const { queue, job, neededMs } = need;
  const { id, accountId } = job;
  const verdict =
    allowance === undefined
      ? ({ kind: 'granted' } as const)
      : judgeReservation(neededMs, await standingUnder(db, job, allowance));
  switch (verdict.kind) {
    case 'granted':
      await setReservation(db, id, neededMs);
      return 'granted';
    case 'exceeds':
      await endWithFailure(db, queue, job, await readBoundError(db, accountId));
      return 'lost';
    case 'uncertain':
      if (questions < MAX_QUESTIONS) return 'ask';
      return wait(db, need);
    case 'waits':
      return wait(db, need);
    default:
      return verdict satisfies never;
  }
}

/** The job's reservation goes to jobs that wait already; then it waits too. */
async function wait(db: Queryable, { queue, job, neededMs }: Need): Promise<Outcome> {
  const { id, accountId } = job;
  await passOnMinutes(db, accountId, queue);
  await putInLine(db, id, { neededMs, begunAttempts: 1 });
  await setAwaitsMinutes(db, accountId, true);
  return 'lost';
}
