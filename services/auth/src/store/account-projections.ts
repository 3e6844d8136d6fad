import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { AccountLimits } from '../accounts/account-limits.ts';

export async function findLimits(db: Queryable, accountId: string): Promise<AccountLimits | undefined> {
  type Row = Omit<AccountLimits, 'suspension'> & {
    readonly suspendedAt: Date | null;
    readonly suspensionReason: string | null;
  };
  const { rows } = await db.query<Row>(
    `select plan_id as "planId", requests_per_minute as "requestsPerMinute", concurrent_jobs as "concurrentJobs",
       max_file_size_bytes as "maxFileSizeBytes", monthly_minutes as "monthlyMinutes",
       overage_allowed as "overageAllowed", revision, suspended_at as "suspendedAt",
       suspension_reason as "suspensionReason"
     from account_limits where account_id = $1`,
    [accountId],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const { suspendedAt, suspensionReason, ...figures } = row;
  return {
    ...figures,
    suspension: suspendedAt ? { suspendedAt, reason: suspensionReason ?? '' } : undefined,
  };
}

/** Saves the limits if their revision is higher, and not for a purged account. */
export async function saveLimits(db: Queryable, accountId: string, limits: AccountLimits): Promise<void> {
  await db.query(
    `insert into account_limits as known (account_id, plan_id, requests_per_minute, concurrent_jobs,
       max_file_size_bytes, monthly_minutes, overage_allowed, revision, suspended_at, suspension_reason)
     select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10
     where not exists (select from account_deletions where account_id = $1 and purged_at is not null)
     on conflict (account_id) do update
     set plan_id = excluded.plan_id, requests_per_minute = excluded.requests_per_minute,
         concurrent_jobs = excluded.concurrent_jobs, max_file_size_bytes = excluded.max_file_size_bytes,
         monthly_minutes = excluded.monthly_minutes, overage_allowed = excluded.overage_allowed,
         revision = excluded.revision, suspended_at = excluded.suspended_at,
         suspension_reason = excluded.suspension_reason
     where excluded.revision > known.revision`,
    [
      accountId,
      limits.planId,
      limits.requestsPerMinute,
      limits.concurrentJobs,
      limits.maxFileSizeBytes,
      limits.monthlyMinutes,
      limits.overageAllowed,
      limits.revision,
      limits.suspension?.suspendedAt ?? null,
      limits.suspension?.reason ?? null,
    ],
  );
}

export async function deleteLimits(db: Queryable, accountId: string): Promise<void> {
  await db.query('delete from account_limits where account_id = $1', [accountId]);
}

/**
 * Saves the time of a closing or reopening, and blocks others of the account until the transaction ends.
 * False if a later one is known or the account was purged. At equal times the last to arrive counts.
 */
export async function saveClosing(db: Queryable, accountId: string, occurredAt: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into account_closings as known (account_id, occurred_at)
     select $1, $2
     where not exists (select from account_deletions where account_id = $1 and purged_at is not null)
     on conflict (account_id) do update set occurred_at = excluded.occurred_at
     where excluded.occurred_at >= known.occurred_at`,
    [accountId, occurredAt],
  );
  return rowCount === 1;
}

export async function deleteClosing(db: Queryable, accountId: string): Promise<void> {
  await db.query('delete from account_closings where account_id = $1', [accountId]);
}

export async function insertDeletion(db: Queryable, accountId: string): Promise<void> {
  await db.query('insert into account_deletions (account_id) values ($1) on conflict do nothing', [
    accountId,
  ]);
}

/** Does not undo a purge. */
export async function cancelDeletion(db: Queryable, accountId: string): Promise<void> {
  await db.query('delete from account_deletions where account_id = $1 and purged_at is null', [accountId]);
}

/** A repeat keeps the first time. */
export async function markPurged(db: Queryable, accountId: string, now: Date): Promise<void> {
  await db.query(
    `insert into account_deletions (account_id, purged_at) values ($1, $2)
     on conflict (account_id) do update set purged_at = coalesce(account_deletions.purged_at, excluded.purged_at)`,
    [accountId, now],
  );
}

/** Whether a deletion is pending or the account was recently purged. */
export async function isBeingDeleted(db: Queryable, accountId: string): Promise<boolean> {
  const { rowCount } = await db.query('select from account_deletions where account_id = $1', [accountId]);
  return rowCount === 1;
}

export async function isPurged(db: Queryable, accountId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'select from account_deletions where account_id = $1 and purged_at is not null',
    [accountId],
  );
  return rowCount === 1;
}

export async function prunePurged(db: Queryable, purgedBefore: Date): Promise<void> {
  await db.query('delete from account_deletions where purged_at <= $1', [purgedBefore]);
}
