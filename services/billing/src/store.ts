import { onlyRow, type Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Overrides } from './overrides.ts';
import type { UsageTotals } from './usage.ts';
import type { UsagePeriod } from './usage-period.ts';

export interface BillingAccount {
  readonly limitsRevision: number;
  readonly overrides: Overrides;
}

interface AccountRow {
  readonly revision: number;
  readonly requestsPerMinute: number | null;
  readonly concurrentJobs: number | null;
  readonly maxFileSizeBytes: number | null;
  readonly monthlyMinutes: number | null;
}

const ACCOUNT_COLUMNS = `limits_revision as revision, requests_per_minute_override as "requestsPerMinute",
  concurrent_jobs_override as "concurrentJobs", max_file_size_bytes_override as "maxFileSizeBytes",
  monthly_minutes_override as "monthlyMinutes"`;

/** An account without a row has no overrides, at revision 0. */
export async function readAccount(db: Queryable, accountId: string): Promise<BillingAccount> {
  const { rows } = await db.query<AccountRow>(
    `select ${ACCOUNT_COLUMNS} from accounts where account_id = $1`,
    [accountId],
  );
  return fromAccountRow(rows[0]);
}

/** Replaces all overrides. The account's row stays locked until the transaction ends, and its events in order. */
export async function replaceOverrides(
  db: Queryable,
  accountId: string,
  overrides: Overrides,
): Promise<BillingAccount> {
  const result = await db.query<AccountRow>(
    `insert into accounts (account_id, limits_revision, requests_per_minute_override, concurrent_jobs_override,
       max_file_size_bytes_override, monthly_minutes_override)
     values ($1, 1, $2, $3, $4, $5)
     on conflict (account_id) do update
     set limits_revision = accounts.limits_revision + 1,
         requests_per_minute_override = excluded.requests_per_minute_override,
         concurrent_jobs_override = excluded.concurrent_jobs_override,
         max_file_size_bytes_override = excluded.max_file_size_bytes_override,
         monthly_minutes_override = excluded.monthly_minutes_override
     returning ${ACCOUNT_COLUMNS}`,
    [
      accountId,
      overrides.requestsPerMinute,
      overrides.concurrentJobs,
      overrides.maxFileSizeBytes,
      overrides.monthlyMinutes,
    ],
  );
  return fromAccountRow(onlyRow(result));
}

function fromAccountRow(row: AccountRow | undefined): BillingAccount {
  return {
    limitsRevision: row?.revision ?? 0,
    overrides: {
      requestsPerMinute: row?.requestsPerMinute ?? undefined,
      concurrentJobs: row?.concurrentJobs ?? undefined,
      maxFileSizeBytes: row?.maxFileSizeBytes ?? undefined,
      monthlyMinutes: row?.monthlyMinutes ?? undefined,
    },
  };
}

export interface JobUsage {
  readonly jobId: string;
  readonly accountId: string;
  readonly status: 'completed' | 'failed';
  readonly finishedAt: Date;
  readonly sourceDurationMs: number;
  readonly storedBytes: number;
}

/** Counts a job unless it has been counted. */
export async function insertJobUsage(db: Queryable, usage: JobUsage): Promise<void> {
  await db.query(
    `insert into job_usage (job_id, account_id, status, finished_at, source_duration_ms, stored_bytes)
     values ($1, $2, $3, $4, $5, $6) on conflict (job_id) do nothing`,
    [usage.jobId, usage.accountId, usage.status, usage.finishedAt, usage.sourceDurationMs, usage.storedBytes],
  );
}

/** The job's segments are no longer stored; what it used stays counted. */
export async function clearStoredBytes(db: Queryable, jobId: string): Promise<void> {
  await db.query('update job_usage set stored_bytes = 0 where job_id = $1', [jobId]);
}

export async function sumUsage(
  db: Queryable,
  accountId: string,
  { start, end }: UsagePeriod,
): Promise<UsageTotals> {
  const result = await db.query<UsageTotals>(
    `select coalesce(sum(source_duration_ms) filter (where status = 'completed'), 0)::bigint as "sourceDurationMs",
       count(*) filter (where status = 'completed') as "jobsCompleted",
       count(*) filter (where status = 'failed') as "jobsFailed"
     from job_usage where account_id = $1 and finished_at >= $2 and finished_at < $3`,
    [accountId, start, end],
  );
  return onlyRow(result);
}

export async function sumStoredBytes(db: Queryable, accountId: string): Promise<number> {
  const result = await db.query<{ bytes: number }>(
    `select coalesce(sum(stored_bytes), 0)::bigint as bytes
     from job_usage where account_id = $1 and stored_bytes > 0`,
    [accountId],
  );
  return onlyRow(result).bytes;
}

export async function deleteAllOf(db: Queryable, accountId: string): Promise<void> {
  await db.query('delete from job_usage where account_id = $1', [accountId]);
  await db.query('delete from accounts where account_id = $1', [accountId]);
}
