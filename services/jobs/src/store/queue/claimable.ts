import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { AccountLimits } from '../../job.ts';
import { LIMITS_COLUMNS, type LimitsRow, limitsOf } from '../limits.ts';
import { type AskedJobs, askedJobs } from '../minutes.ts';

/** What a claim reads before it queries billing and takes locks. */
export interface Claimable {
  readonly accountId: string;
  readonly isDryRun: boolean;
  /** Undefined: not known here. */
  readonly limits: AccountLimits | undefined;
  readonly asked: AskedJobs;
}

const FIND_CLAIMABLE = `select jobs.account_id as "accountId", coalesce(cut @> '{"dryRun": true}', false) as "isDryRun",
    ${askedJobs('jobs.account_id')}, ${LIMITS_COLUMNS}
  from jobs left join account_limits on account_limits.account_id = jobs.account_id where id = $1`;

/** Undefined if the job does not exist. */
export async function findClaimable(db: Queryable, jobId: string): Promise<Claimable | undefined> {
  const { rows } = await db.query<
    AskedJobs & Pick<Claimable, 'accountId' | 'isDryRun'> & (LimitsRow | { readonly revision: null })
  >(FIND_CLAIMABLE, [jobId]);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { accountId, isDryRun, asOf, jobIds } = row;
  const limits = row.revision === null ? undefined : limitsOf(row);
  return { accountId, isDryRun, limits, asked: { asOf, jobIds } };
}
