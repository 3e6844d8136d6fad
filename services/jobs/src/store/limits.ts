import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { AccountLimits } from '../job.ts';

export async function readLimits(db: Queryable, accountId: string): Promise<AccountLimits | undefined> {
  const { rows } = await db.query<AccountLimits>(
    `select revision, concurrent_jobs as "concurrentJobs", max_file_size_bytes as "maxFileSizeBytes",
            overage_allowed as "overageAllowed", spend_limit_reached as "spendLimitReached"
     from account_limits where account_id = $1`,
    [accountId],
  );
  return rows[0];
}

/** Unless a newer revision is saved, or the account has been purged. */
export async function saveLimits(db: Queryable, accountId: string, limits: AccountLimits): Promise<void> {
  await db.query(
    `insert into account_limits (account_id, revision, concurrent_jobs, max_file_size_bytes, overage_allowed,
       spend_limit_reached)
     select $1, $2, $3, $4, $5, $6 where not exists (select from purged_accounts where account_id = $1)
     on conflict (account_id) do update
       set revision = excluded.revision, concurrent_jobs = excluded.concurrent_jobs,
           max_file_size_bytes = excluded.max_file_size_bytes, overage_allowed = excluded.overage_allowed,
           spend_limit_reached = excluded.spend_limit_reached
       where account_limits.revision < excluded.revision`,
    [
      accountId,
      limits.revision,
      limits.concurrentJobs,
      limits.maxFileSizeBytes,
      limits.overageAllowed,
      limits.spendLimitReached,
    ],
  );
}
