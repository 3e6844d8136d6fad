/**
 * A job is divided at most once, by the worker that has the whole job. From then on its parts are leased
 * instead of the job. They continue whatever happens to that worker.
 */
import { InvalidParamsError } from '@audiosplit/chassis/errors';
import { partOf, wholeJob } from '../lease/leasable.ts';
import { type LeaseDependencies, withFence } from '../lease/lease.ts';
import { requireReserved } from '../minutes/reservation.ts';
import { dispatchWaitingParts, offer, passOnMinutes } from '../queue/dispatch.ts';
import { insertDivision, markIndivisible } from '../store/lease/divisions.ts';
import { endAttempt } from '../store/lease/leases.ts';
import type { DivisionOutcome, NewPart } from './part.ts';

/** Repeating it with the fence that divided the job changes nothing. Throws LeaseLostError, BeyondReservationError. */
export async function divide(
  dependencies: LeaseDependencies,
  jobId: string,
  fence: number,
  { outcome, parts }: { readonly outcome: DivisionOutcome; readonly parts: readonly NewPart[] },
): Promise<void> {
  await withFence(dependencies, wholeJob(jobId), fence, {
    isDoneAlready: (job) => job.isDivided && job.fence === fence,
    async act(client, { job }) {
      // An earlier attempt has divided it, and its parts could not be completed.
      if (job.isIndivisible) throw new InvalidParamsError('job_id', 'stays whole');
      requireReserved(job, outcome.sourceDurationMs);
      await insertDivision(client, job, outcome, parts);
      await dispatchWaitingParts(client, job.accountId);
    },
  });
}

/**
 * The job cannot be done in parts after all: the workers lose their parts, and the whole job is offered again
 * without counting an attempt. Throws LeaseLostError.
 */
export async function undivide(
  dependencies: LeaseDependencies,
  jobId: string,
  index: number,
  fence: number,
): Promise<void> {
  await withFence(dependencies, partOf(jobId, index), fence, {
    async act(client, { queue, job: { accountId } }) {
      const job = { accountId, jobId, part: undefined };
      await markIndivisible(client, jobId);
      await endAttempt(client, job, { pauseMs: undefined, countAttempt: false });
      await offer(client, [job]);
      await passOnMinutes(client, accountId, queue);
      await dispatchWaitingParts(client, accountId);
    },
  });
}
