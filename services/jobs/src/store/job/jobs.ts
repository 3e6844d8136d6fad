import { onlyRow, type Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Job, JobError, JobProgress, Segment } from '../../job.ts';
import { fetchingFromRow, fromRow, JOB_COLUMNS, type JobRow } from './job-row.ts';
import { SEGMENTS_AS_JSON } from './segments.ts';

export async function findAccountOfJob(db: Queryable, jobId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ account_id: string }>('select account_id from jobs where id = $1', [
    jobId,
  ]);
  return rows[0]?.account_id;
}

export async function findJob(db: Queryable, accountId: string, jobId: string): Promise<Job | undefined> {
  const { rows } = await db.query<JobRow>(FIND_JOB, [jobId, accountId]);
  return rows[0] && fromRow(rows[0]);
}

const FIND_JOB = `select ${JOB_COLUMNS} from jobs where id = $1 and account_id = $2`;

export interface ShownJob {
  readonly job: Job;
  /** In the account's queue, from 1; of a queued job. */
  readonly queuePosition: number | undefined;
  /** Of a completed job. */
  readonly segments: readonly Segment[];
}

const SHOW_JOB = `select ${JOB_COLUMNS},
    case when status = 'completed' then ${SEGMENTS_AS_JSON} end as segments,
    case when status = 'queued' then (
      select count(*)::integer + 1 from jobs other
      where other.account_id = jobs.account_id and other.status = 'queued'
        and (other.created_at, other.id) < (jobs.created_at, jobs.id)
    ) end as queue_position
  from jobs where id = $1 and account_id = $2`;

type ShownJobRow = JobRow & {
  readonly segments?: readonly Segment[] | null;
  readonly queue_position?: number | null;
};

/** One statement, because clients poll: a second round trip would cost as much as the first. */
export async function findShownJob(
  db: Queryable,
  accountId: string,
  jobId: string,
  { omitDetails }: { readonly omitDetails: boolean },
): Promise<ShownJob | undefined> {
  const { rows } = await db.query<ShownJobRow>(omitDetails ? FIND_JOB : SHOW_JOB, [jobId, accountId]);
  const [row] = rows;
  if (row === undefined) return undefined;
  return {
    job: fromRow(row),
    queuePosition: row.queue_position ?? undefined,
    segments: row.segments ?? [],
  };
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
