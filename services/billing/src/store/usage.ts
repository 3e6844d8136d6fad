import { onlyRow, type Queryable } from '@audiosplit/chassis/postgres/pool';
import type { DayUsage, UsageTotals } from '../usage.ts';
import type { UsagePeriod } from '../usage-period.ts';

export interface JobUsage {
  readonly jobId: string;
  readonly accountId: string;
  readonly status: 'completed' | 'failed';
  readonly finishedAt: Date;
  readonly countedAt: Date;
  readonly sourceDurationMs: number;
  readonly storedBytes: number;
}

/** Counts a job unless it has been counted. */
export async function insertJobUsage(db: Queryable, usage: JobUsage): Promise<void> {
  await db.query(
    `insert into job_usage (job_id, account_id, status, finished_at, counted_at, source_duration_ms, stored_bytes)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict (job_id) do nothing`,
    [
      usage.jobId,
      usage.accountId,
      usage.status,
      usage.finishedAt,
      usage.countedAt,
      usage.sourceDurationMs,
      usage.storedBytes,
    ],
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
     from job_usage where account_id = $1 and counted_at >= $2 and counted_at < $3`,
    [accountId, start, end],
  );
  return onlyRow(result);
}

/** Days of UTC on which jobs were counted, in order. */
export async function listDayUsage(
  db: Queryable,
  accountId: string,
  { start, end }: UsagePeriod,
): Promise<DayUsage[]> {
  const { rows } = await db.query<DayUsage>(
    `select date_trunc('day', counted_at, 'UTC') as day,
       coalesce(sum(source_duration_ms) filter (where status = 'completed'), 0)::bigint as "sourceDurationMs",
       count(*) filter (where status = 'completed') as "jobsCompleted",
       count(*) filter (where status = 'failed') as "jobsFailed"
     from job_usage where account_id = $1 and counted_at >= $2 and counted_at < $3
     group by day order by day`,
    [accountId, start, end],
  );
  return rows;
}

export async function sumStoredBytes(db: Queryable, accountId: string): Promise<number> {
  const result = await db.query<{ bytes: number }>(
    `select coalesce(sum(stored_bytes), 0)::bigint as bytes
     from job_usage where account_id = $1 and stored_bytes > 0`,
    [accountId],
  );
  return onlyRow(result).bytes;
}
