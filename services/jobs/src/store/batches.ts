import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import { traceHeaders } from '@audiosplit/chassis/trace';
import { CANCELED, type Job, type JobError, type JobStatus, type NewJob } from '../job.ts';
import { fromRow, JOB_COLUMNS, type JobRow, LISTED_JOB_COLUMNS } from './job/job-row.ts';
import { PREVIOUS_CUT_COLUMNS, previousCutOf } from './job/previous-cut-columns.ts';

/** The numbers of jobs created together with one setting. */
export interface Batch {
  readonly id: string;
  readonly createdAt: Date;
  readonly queued: number;
  readonly processing: number;
  readonly completed: number;
  /** Without canceled ones. */
  readonly failed: number;
  readonly canceled: number;
}

/** What the jobs of a batch have in common. */
export type BatchSettings = Pick<NewJob, 'accountId' | 'webhookUrl' | 'metadata'> &
  Pick<NewJob['request'], 'cut' | 'outputFormat'>;

export type BatchSource = Pick<NewJob['request'], 'sourceUrl' | 'uploadKey' | 'sourceConnectionId'>;

export interface BatchJob extends BatchSource {
  readonly id: string;
}

/**
 * Inserts queued jobs in the order of the list. The caller corrects the counters. As with a single job, their
 * uploads no longer count.
 */
export async function insertBatchJobs(
  db: Queryable,
  batchId: string,
  { accountId, cut, outputFormat, webhookUrl, metadata }: BatchSettings,
  jobs: readonly BatchJob[],
): Promise<void> {
  await db.query(
    `with created as (
       insert into jobs (id, account_id, status, source_url, upload_key, batch_id, cut, output_format, webhook_url, metadata,
                         trace, created_at, source_connection_id, ${PREVIOUS_CUT_COLUMNS})
       select source.id, $1, 'queued', source.url, source.upload_key, $2, $3::jsonb, $4, $5, $6::json, $7::jsonb,
              now() + place * interval '1 microsecond', source.connection_id, ${previousCutOf('$3::jsonb')}
       from unnest($8::text[], $9::text[], $10::text[], $11::text[]) with ordinality
            as source (id, url, upload_key, connection_id, place)
     )
     delete from uploads using unnest($10::text[]) as used (key)
     where uploads.id = split_part(used.key, '/', 3) and uploads.account_id = $1
       and coalesce(receiving_until < now(), true) and (multipart_id is null or stored_bytes > 0)`,
    [
      accountId,
      batchId,
      JSON.stringify(cut),
      outputFormat ?? null,
      webhookUrl ?? null,
      metadata ?? null,
      JSON.stringify(traceHeaders()),
      jobs.map(({ id }) => id),
      jobs.map(({ sourceUrl }) => sourceUrl),
      jobs.map(({ uploadKey }) => uploadKey ?? null),
      jobs.map(({ sourceConnectionId }) => sourceConnectionId ?? null),
    ],
  );
}

/** Undefined if the account has no job in it. */
export async function findBatch(db: Queryable, accountId: string, id: string): Promise<Batch | undefined> {
  const { rows } = await db.query<Omit<Batch, 'createdAt'> & { createdAt: Date | null }>(
    `select $2::text as id, min(created_at) as "createdAt",
       count(*) filter (where status = 'queued')::int as queued,
       count(*) filter (where status = 'processing')::int as processing,
       count(*) filter (where status = 'completed')::int as completed,
       count(*) filter (where status = 'failed' and error_code <> $3)::int as failed,
       count(*) filter (where error_code = $3)::int as canceled
     from jobs where account_id = $1 and batch_id = $2`,
    [accountId, id, CANCELED.code],
  );
  const [row] = rows;
  return row === undefined || row.createdAt === null ? undefined : { ...row, createdAt: row.createdAt };
}

interface BatchPageQuery {
  readonly accountId: string;
  readonly batchId: string;
  readonly status: JobStatus | undefined;
  /** Undefined: both. */
  readonly canceled: boolean | undefined;
  readonly ascending: boolean;
  readonly limit: number;
  readonly offset: number;
}

/** A batch is small: its jobs are counted and skipped one by one. */
export async function listBatchJobs(
  db: Queryable,
  { accountId, batchId, status, canceled, ascending, limit, offset }: BatchPageQuery,
): Promise<{ readonly jobs: readonly Job[]; readonly total: number }> {
  const where = `account_id = $1 and batch_id = $2 and ($3::text is null or status = $3)
    and ($4::boolean is null or coalesce(error_code = $5, false) = $4)`;
  const values = [accountId, batchId, status ?? null, canceled ?? null, CANCELED.code];
  const direction = ascending ? 'asc' : 'desc';
  const { rows } = await db.query<JobRow>(
    `select ${LISTED_JOB_COLUMNS} from jobs where ${where}
     order by created_at ${direction}, id ${direction} limit $6 offset $7`,
    [...values, limit, offset],
  );
  const counted = await db.query<{ total: number }>(
    `select count(*)::int as total from jobs where ${where}`,
    values,
  );
  return { jobs: rows.map(fromRow), total: counted.rows[0]?.total ?? 0 };
}

/** Fails every queued job of the batch. The caller corrects the counters. */
export async function failQueuedJobsOfBatch(
  db: Queryable,
  accountId: string,
  batchId: string,
  error: JobError,
): Promise<Job[]> {
  const { rows } = await db.query<JobRow>(
    `update jobs
     set status = 'failed', failed_at = now(), error_code = $3, error_message = $4, fence = fence + 1
     where account_id = $1 and batch_id = $2 and status = 'queued' returning ${JOB_COLUMNS}`,
    [accountId, batchId, error.code, error.message],
  );
  return rows.map(fromRow);
}

export function lockRunningJobsOfBatch(db: Queryable, accountId: string, batchId: string): Promise<Job[]> {
  return lockJobs(db, accountId, batchId, "status = 'processing'");
}

/** Without canceled ones, in the order of the batch. */
export function lockFailedJobsOfBatch(db: Queryable, accountId: string, batchId: string): Promise<Job[]> {
  return lockJobs(db, accountId, batchId, `status = 'failed' and error_code <> '${CANCELED.code}'`);
}

async function lockJobs(
  db: Queryable,
  accountId: string,
  batchId: string,
  condition: string,
): Promise<Job[]> {
  const { rows } = await db.query<JobRow>(
    `select ${JOB_COLUMNS} from jobs where account_id = $1 and batch_id = $2 and ${condition}
     order by created_at, id for update`,
    [accountId, batchId],
  );
  return rows.map(fromRow);
}

export async function takeOutOfBatch(db: Queryable, jobIds: readonly string[]): Promise<void> {
  await db.query('update jobs set batch_id = null where id = any($1)', [jobIds]);
}
