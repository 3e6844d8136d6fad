import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { JobError } from '../job.ts';
import { readLimits } from '../store/limits.ts';
import { minutesOf, spendLimitOf } from './limit-figures.ts';

/** The code by which splitters report a source that is longer than what its account may still use. */
export const QUOTA_EXCEEDED = 'QUOTA_EXCEEDED';

/** The error of a job that can never fit into its account's remaining minutes. */
export async function readBoundError(db: Queryable, accountId: string): Promise<JobError> {
  const limits = await readLimits(db, accountId);
  if (limits?.overageAllowed === true) {
    return {
      code: 'SPEND_LIMIT_REACHED',
      message: `The job's minutes beyond the plan would cost more than what is left of the account's ${spendLimitOf(limits)} in this period. Raise the limit, or wait for the next period.`,
    };
  }
  return {
    code: QUOTA_EXCEEDED,
    message: `The job needs more than what is left of this period's ${minutesOf(limits ?? {})}.`,
  };
}
