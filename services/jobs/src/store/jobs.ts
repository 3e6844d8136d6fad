import { onlyRow, type Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Job, JobError, JobOutcome, JobProgress } from '../job.ts';
import { fetchingFromRow, fromRow, JOB_COLUMNS, type JobRow } from './job-row.ts';
import { insertSegments } from './segments.ts';

export async function findAccountOfJob(db: Queryable, jobId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ account_id: string }>('select account_id from jobs where id = $1', [
    jobId,
  ]);
  return rows[0]?.account_id;
}

/** What a claim has to know before it takes locks. */
export async function findClaimable(
  db: Queryable,
  jobId: string,
): Promise<{ readonly accountId: string; readonly isDryRun: boolean } | undefined> {
  const { rows } = await db.query<{ accountId: string; isDryRun: boolean }>(
    `select account_id as "accountId", coalesce(cut @> '{"dryRun": true}', false) as "isDryRun"
     from jobs where id = $1`,
    [jobId],
  );
  return rows[0];
}

export async function findJob(db: Queryable, accountId: string, jobId: string): Promise<Job | undefined> {
  const { rows } = await db.query<JobRow>(
    `select ${JOB_COLUMNS} from jobs where id = $1 and account_id = $2`,
    [jobId, accountId],
  );
  return rows[0] && fromRow(rows[0]);
}

/** Jobs that do not exist are left out. */
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

export async function completeJob(db: Queryable, jobId: string, outcome: JobOutcome): Promise<Job> {
  const { segments } = outcome;
  await insertSegments(db, jobId, segments);
  const result = await db.query<JobRow>(
    `update jobs
     set status = 'completed', completed_at = now(), progress_percent = 100, lease_until = null, worker_id = null, trace = default,
         fetched_bytes = null, fetch_total_bytes = null, reserved_ms = null,
         output_format = $2, source_file_name = $3, source_duration_ms = $4, source_size_bytes = $5,
         segment_count = $6, stored_bytes = $7, metered_ms = $8, loudness = $9
     where id = $1
     returning ${JOB_COLUMNS}`,
    [
      jobId,
      outcome.outputFormat,
      outcome.sourceFileName,
      outcome.sourceDurationMs,
      outcome.sourceSizeBytes,
      segments.length,
      // The segments of a dry run are stored nowhere.
      segments.reduce((sum, { objectKey, sizeBytes }) => sum + (objectKey === '' ? 0 : sizeBytes), 0),
      outcome.meteredMs ?? null,
      outcome.loudness === undefined ? null : JSON.stringify(outcome.loudness),
    ],
  );
  return fromRow(onlyRow(result));
}

/** The fence is raised, so that a worker that still has the job loses its lease. */
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
