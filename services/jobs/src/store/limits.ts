import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { AccountLimits } from '../job.ts';

export async function readLimits(db: Queryable, accountId: string): Promise<AccountLimits | undefined> {
  const { rows } = await db.query<AccountLimits>(
    `select revision, concurrent_jobs as "concurrentJobs", max_file_size_bytes as "maxFileSizeBytes",
            overage_allowed as "overageAllowed"
     from account_limits where account_id = $1`,
    [accountId],
  );
  return rows[0];
}

export async function saveLimits(db: Queryable, accountId: string, limits: AccountLimits): Promise<void> {
  await db.query(
    `insert into account_limits (account_id, revision, concurrent_jobs, max_file_size_bytes, overage_allowed)
     values ($1, $2, $3, $4, $5)
     on conflict (account_id) do update
       set revision = excluded.revision, concurrent_jobs = excluded.concurrent_jobs,
           max_file_size_bytes = excluded.max_file_size_bytes, overage_allowed = excluded.overage_allowed
       where account_limits.revision < excluded.revision`,
    [accountId, limits.revision, limits.concurrentJobs, limits.maxFileSizeBytes, limits.overageAllowed],
  );
}
