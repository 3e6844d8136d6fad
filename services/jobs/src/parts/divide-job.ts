/**
 * The division of a job into parts.
 *
 * A job is divided at most once, by the worker that has it whole: from then on the job has no lease and cannot be claimed,
 * so whatever befalls that worker, the parts go on. What one attempt has prepared outlives it.
 */
import { InvalidParamsError } from '@audiosplit/chassis/errors';
import { type LeaseDependencies, underFence } from '../lease/lease.ts';
import { insertDivision } from '../store/parts.ts';
import { offerWaitingParts } from './offer-parts.ts';
import type { DivisionOutcome, NewPart } from './part.ts';

/** Repeating it with the fence that divided the job changes nothing. Throws LeaseLostError. */
export async function divide(
  dependencies: LeaseDependencies,
  jobId: string,
  fence: number,
  outcome: DivisionOutcome,
  parts: readonly NewPart[],
): Promise<void> {
  await underFence(dependencies, jobId, fence, {
    isDoneAlready: (job) => job.isDivided,
    async act(client, _queue, job) {
      // It was divided before, and given back as indivisible.
      if (job.staysWhole) throw new InvalidParamsError('job_id', 'stays whole');
      await insertDivision(client, job, outcome, parts);
      await offerWaitingParts(client, job.accountId);
    },
  });
}
