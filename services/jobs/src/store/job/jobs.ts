import { onlyRow, type Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Job, JobError, JobProgress } from '../../job.ts';
import { fetchingFromRow, fromRow, JOB_COLUMNS, type JobRow } from './job-row.ts';

export async function findAccountOfJob(db: Queryable, jobId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ account_id: string }>('select account_id from jobs where id = $1', [
    jobId,
  ]);
  return rows[0]?.account_id;
}

export async function findJob(db: Queryable, accountId: string, jobId: string): Promise<Job | undefined> {
  const { rows } = await db.query<JobRow>(
    `select ${JOB_COLUMNS} from jobs where id = $1 and account_id = $2`,
    [jobId, accountId],
  );
  return rows[0] && fromRow(rows[0]);
}

/** Its position in the account's queue, from 1. */
export async function readQueuePosition(
  db: Queryable,
  { accountId, id }: Pick<Job, 'accountId' | 'id'>,
): Promise<number> {
  const { ahead } = onlyRow(
    await db.query<{ ahead: number }>(
      `select count(*)::float8 as ahead from jobs
       where account_id = $1 and status = 'queued'
         and (created_at, id) < (select created_at, id from jobs where id = $2)`,
      [accountId, id],
    ),
  );
  return ahead + 1;
}

/** Missing jobs are left out. */
export async function findProgress(db: Queryable, jobIds: readonly string[]): Promise<JobProgress[]> {
  const { rows } = await db.query<
    Pick<JobRow, 'id' | 'status' | 'progress_percent' | 'fetched_bytes' | 'fetch_total_bytes'>
  >('select id, status, progress_percent, fetched_bytes, fetch_total_bytes from jobs where id = any($1)', [
    jobIds,
  ]);
  return rows.map((row) => ({
    id: row.id,
    status: row.status,
    progressPercent: row.progress_percent,
    fetching: fetchingFromRow(row),
  }));
}

export async function lockJob(db: Queryable, accountId: string, jobId: string): Promise<Job | undefined> {
  const { rows } = await db.query<JobRow>(
    `select ${JOB_COLUMNS} from jobs where id = $1 and account_id = $2 for update`,
    [jobId, accountId],
  );
  return rows[0] && fromRow(rows[0]);
}

/** Raises the fence, so a worker that still has the job loses its lease. */
export async function failJob(db: Queryable, jobId: string, error: JobError): Promise<Job> {
  const result = await db.query<JobRow>(
    `update jobs
     set status = 'failed', failed_at = now(), error_code = $2, error_message = $3, lease_until = null, worker_id = null, trace = default,
         fetched_bytes = null, fetch_total_bytes = null, reserved_ms = null,
         fence = fence + 1
     where id = $1
     returning ${JOB_COLUMNS}`,
    [jobId, error.code, error.message],
  );
  return fromRow(onlyRow(result));
}

export async function deleteJob(db: Queryable, jobId: string): Promise<void> {
  await db.query('delete from jobs where id = $1', [jobId]);
}

/** The encrypted headers of an unfinished job. */
export async function readSealedHeaders(db: Queryable, jobId: string): Promise<Buffer | null> {
  const result = await db.query<{ source_headers: Buffer | null }>(
    'select source_headers from jobs where id = $1',
    [jobId],
  );
  return onlyRow(result).source_headers;
}
