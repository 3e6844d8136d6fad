import { onlyRow, type Queryable } from '@audiosplit/chassis/postgres/pool';
import type { DayUsage, UsageTotals } from '../usage/usage.ts';
import type { UsagePeriod } from '../usage/usage-period.ts';

export interface JobUsage {
  readonly jobId: string;
  readonly accountId: string;
  readonly status: 'completed' | 'failed';
  /** For a failed job: whether its owner canceled it. */
  readonly canceled: boolean;
  readonly finishedAt: Date;
  readonly countedAt: Date;
  readonly sourceDurationMs: number;
  readonly storedBytes: number;
}

/** Counts a job unless it has been counted. */
export async function insertJobUsage(db: Queryable, usage: JobUsage): Promise<void> {
  await db.query(
    `insert into job_usage
       (job_id, account_id, status, canceled, finished_at, counted_at, source_duration_ms, stored_bytes)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (job_id) do nothing`,
    [
      usage.jobId,
      usage.accountId,
      usage.status,
      usage.canceled,
      usage.finishedAt,
      usage.countedAt,
      usage.sourceDurationMs,
      usage.storedBytes,
    ],
  );
}

/** The ids of the jobs that have been counted. */
export async function listCounted(
  db: Queryable,
  accountId: string,
  jobIds: readonly string[],
): Promise<string[]> {
  if (jobIds.length === 0) return [];
  const { rows } = await db.query<{ jobId: string }>(
    'select job_id as "jobId" from job_usage where account_id = $1 and job_id = any($2)',
    [accountId, jobIds],
  );
  return rows.map(({ jobId }) => jobId);
}

/** The job's segments are no longer stored; what it used stays counted. */
export async function clearStoredBytes(db: Queryable, jobId: string): Promise<void> {
  await db.query('update job_usage set stored_bytes = 0 where job_id = $1', [jobId]);
}

const SUMS_OF_JOBS = `coalesce(sum(source_duration_ms) filter (where status = 'completed'), 0)::bigint as source_duration_ms,
  count(*) filter (where status = 'completed') as jobs_completed,
  count(*) filter (where status = 'failed') as jobs_failed,
  count(*) filter (where canceled) as jobs_canceled`;

/**
 * Usage of account $1 from $2 up to $3, by stretch: the stored sums of stretches within the period, and sums of jobs for
 * the at most two that cross its start or its end.
 */
const COUNTED = `select from_at, source_duration_ms, jobs_completed, jobs_failed, jobs_canceled from usage_counts
  where account_id = $1 and from_at >= $2 and from_at < $3 and until_at <= $3
  union all
  select stretch.from_at, part.* from usage_counts stretch cross join lateral (
    select ${SUMS_OF_JOBS} from job_usage
    where account_id = $1 and counted_at >= greatest(stretch.from_at, $2) and counted_at < least(stretch.until_at, $3)
  ) part
  where account_id = $1 and from_at > $2::timestamptz - interval '24 hours' and from_at < $3 and until_at > $2
    and (from_at < $2 or until_at > $3)`;
const TOTALS = `coalesce(sum(source_duration_ms), 0)::bigint as "sourceDurationMs",
  coalesce(sum(jobs_completed), 0)::bigint as "jobsCompleted", coalesce(sum(jobs_failed), 0)::bigint as "jobsFailed",
  coalesce(sum(jobs_canceled), 0)::bigint as "jobsCanceled"`;

/** Its cost does not grow with the number of jobs if the period's ends are midnights or were cut (cutUsage). */
export async function sumUsage(
  db: Queryable,
  accountId: string,
  { start, end }: UsagePeriod,
): Promise<UsageTotals> {
  const result = await db.query<UsageTotals>(`select ${TOTALS} from (${COUNTED}) counted`, [
    accountId,
    start,
    end,
  ]);
  return onlyRow(result);
}

/** Days in UTC with counted jobs, in order. */
export async function listDayUsage(
  db: Queryable,
  accountId: string,
  { start, end }: UsagePeriod,
): Promise<DayUsage[]> {
  const { rows } = await db.query<DayUsage>(
    `select date_trunc('day', from_at, 'UTC') as day, ${TOTALS} from (${COUNTED}) counted
     group by day having sum(jobs_completed + jobs_failed) > 0 order by day`,
    [accountId, start, end],
  );
  return rows;
}

const COUNT_COLUMNS =
  'account_id, from_at, until_at, source_duration_ms, jobs_completed, jobs_failed, jobs_canceled';

/** Splits the sums at the start or end of a period. Runs with the account's row locked. */
export async function cutUsage(db: Queryable, accountId: string, at: Date): Promise<void> {
  await db.query(
    `insert into usage_counts (${COUNT_COLUMNS})
     select $1::text, day, day + interval '24 hours', 0, 0, 0, 0
     from (select date_trunc('day', $2::timestamptz, 'UTC') as day) cut
     where not exists (
       select from usage_counts
       where account_id = $1 and from_at >= day and from_at < day + interval '24 hours')`,
    [accountId, at],
  );
  await db.query(
    `with later as (
       insert into usage_counts (${COUNT_COLUMNS})
       select $1::text, $2::timestamptz, until_at, part.* from usage_counts stretch cross join lateral (
         select ${SUMS_OF_JOBS} from job_usage
         where account_id = $1 and counted_at >= $2 and counted_at < stretch.until_at
       ) part
       where account_id = $1 and from_at > $2::timestamptz - interval '24 hours' and from_at < $2 and until_at > $2
       returning *
     )
     update usage_counts stretch
     set until_at = $2, source_duration_ms = stretch.source_duration_ms - later.source_duration_ms,
       jobs_completed = stretch.jobs_completed - later.jobs_completed,
       jobs_failed = stretch.jobs_failed - later.jobs_failed,
       jobs_canceled = stretch.jobs_canceled - later.jobs_canceled
     from later
     where stretch.account_id = $1 and stretch.until_at = later.until_at and stretch.from_at < $2`,
    [accountId, at],
  );
}

export async function sumStoredBytes(db: Queryable, accountId: string): Promise<number> {
  const result = await db.query<{ bytes: number }>(
    `select coalesce(sum(stored_bytes), 0)::bigint as bytes
     from job_usage where account_id = $1 and stored_bytes > 0`,
    [accountId],
  );
  return onlyRow(result).bytes;
}
