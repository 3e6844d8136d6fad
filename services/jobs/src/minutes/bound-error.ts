import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { JobError } from '../job.ts';
import { readLimits } from '../store/limits.ts';

export const QUOTA_EXCEEDED: JobError = {
  code: 'QUOTA_EXCEEDED',
  message: 'The source is longer than the minutes left in this period.',
};

export const SPEND_LIMIT_REACHED: JobError = {
  code: 'SPEND_LIMIT_REACHED',
  message:
    "The job's minutes beyond the plan would cost more than the account's spend limit leaves in this period. Raise the limit, or wait for the next period.",
};

/** The error of a job that can never fit into its account's remaining minutes. */
export async function readBoundError(db: Queryable, accountId: string): Promise<JobError> {
  const limits = await readLimits(db, accountId);
  return limits?.overageAllowed === true ? SPEND_LIMIT_REACHED : QUOTA_EXCEEDED;
}
