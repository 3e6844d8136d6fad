import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Job, JobError, JobStatus } from '../job.ts';
import { fromRow, JOB_COLUMNS, type JobRow } from './job/job-row.ts';

/**
 * Changes the locked row. False if a later change is known; of changes with the same time, the last to arrive
 * counts.
 */
export async function setClosed(
  db: Queryable,
  accountId: string,
  closed: boolean,
  occurredAt: Date,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update account_queues set closed = $2, closed_as_of = $3
     where account_id = $1 and (closed_as_of is null or closed_as_of <= $3)`,
    [accountId, closed, occurredAt],
  );
  return rowCount === 1;
}

/** Fails every queued job of the account. The caller corrects the counters. */
export async function failQueuedJobs(db: Queryable, accountId: string, error: JobError): Promise<Job[]> {
  const { rows } = await db.query<JobRow>(
    `update jobs
     set status = 'failed', failed_at = now(), error_code = $2, error_message = $3, fence = fence + 1
     where account_id = $1 and status = 'queued' returning ${JOB_COLUMNS}`,
    [accountId, error.code, error.message],
  );
  return rows.map(fromRow);
}

export interface DeletedJob {
  readonly id: string;
  readonly status: JobStatus;
}

/**
 * Deletes at most `limit` jobs with their segments. The counters stay as they are until the queue's row is
 * deleted.
 */
export async function deleteJobsOf(db: Queryable, accountId: string, limit: number): Promise<DeletedJob[]> {
  const { rows } = await db.query<DeletedJob>(
    `delete from jobs where id in (select id from jobs where account_id = $1 limit $2) returning id, status`,
    [accountId, limit],
  );
  return rows;
}

export async function deleteQueueAndLimits(db: Queryable, accountId: string): Promise<void> {
  await db.query('delete from account_queues where account_id = $1', [accountId]);
  await db.query('delete from job_counts where account_id = $1', [accountId]);
  await db.query('delete from account_limits where account_id = $1', [accountId]);
  await db.query('delete from uploads where account_id = $1', [accountId]);
  await db.query('delete from emptied_folders where account_id = $1', [accountId]);
  await db.query('delete from connections where account_id = $1', [accountId]);
  await db.query('delete from unsettled_usage where account_id = $1', [accountId]);
}
