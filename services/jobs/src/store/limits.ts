import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { AccountLimits } from '../job.ts';

type OptionalLimit = 'maxOutputBytes' | 'spendLimitCents' | 'monthlyMinutes';

export type LimitsRow = Omit<AccountLimits, OptionalLimit> & Readonly<Record<OptionalLimit, number | null>>;

/** Of a LimitsRow. */
export const LIMITS_COLUMNS = `revision, concurrent_jobs as "concurrentJobs",
  account_limits.max_file_size_bytes as "maxFileSizeBytes", max_output_bytes as "maxOutputBytes",
  overage_allowed as "overageAllowed", spend_limit_reached as "spendLimitReached",
  spend_limit_cents as "spendLimitCents", monthly_minutes as "monthlyMinutes"`;

export function limitsOf(row: LimitsRow): AccountLimits {
  const { revision, concurrentJobs, maxFileSizeBytes, overageAllowed, spendLimitReached } = row;
  return {
    revision,
    concurrentJobs,
    maxFileSizeBytes,
    maxOutputBytes: row.maxOutputBytes ?? undefined,
    overageAllowed,
    spendLimitReached,
    spendLimitCents: row.spendLimitCents ?? undefined,
    monthlyMinutes: row.monthlyMinutes ?? undefined,
  };
}

export async function readLimits(db: Queryable, accountId: string): Promise<AccountLimits | undefined> {
  const { rows } = await db.query<LimitsRow>(
    `select ${LIMITS_COLUMNS} from account_limits where account_id = $1`,
    [accountId],
  );
  return rows[0] && limitsOf(rows[0]);
}

/**
 * Saves the limits unless a newer revision is saved or the account has been purged. An earlier release saves
 * no `max_output_bytes`: it is filled in.
 */
export async function saveLimits(db: Queryable, accountId: string, limits: AccountLimits): Promise<void> {
  await db.query(
    `insert into account_limits (account_id, revision, concurrent_jobs, max_file_size_bytes, max_output_bytes,
       overage_allowed, spend_limit_reached, spend_limit_cents, monthly_minutes)
     select $1, $2, $3, $4, $5, $6, $7, $8, $9 where not exists (select from purged_accounts where account_id = $1)
     on conflict (account_id) do update
       set revision = excluded.revision, concurrent_jobs = excluded.concurrent_jobs,
           max_file_size_bytes = excluded.max_file_size_bytes, max_output_bytes = excluded.max_output_bytes,
           overage_allowed = excluded.overage_allowed, spend_limit_reached = excluded.spend_limit_reached,
           spend_limit_cents = excluded.spend_limit_cents, monthly_minutes = excluded.monthly_minutes
       where account_limits.revision < excluded.revision
          or (account_limits.revision = excluded.revision and account_limits.max_output_bytes is null)`,
    [
      accountId,
      limits.revision,
      limits.concurrentJobs,
      limits.maxFileSizeBytes,
      limits.maxOutputBytes ?? null,
      limits.overageAllowed,
      limits.spendLimitReached,
      limits.spendLimitCents ?? null,
      limits.monthlyMinutes ?? null,
    ],
  );
}
