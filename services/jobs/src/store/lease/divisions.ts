/** The division of a job into parts, and the data besides their segments that completes the job. */
import { onlyRow, type Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Job, OutputFormat } from '../../job.ts';
import type { Division, DivisionOutcome, NewPart } from '../../parts/part.ts';
import type { AccountWorkItem } from '../../work-item.ts';

/** Removes the job's own lease and creates its parts. */
export async function insertDivision(
  db: Queryable,
  job: Job,
  outcome: DivisionOutcome,
  parts: readonly NewPart[],
): Promise<void> {
  await db.query(
    `update jobs
     set is_divided = true, lease_until = null, worker_id = null, dispatched_at = null,
         fetched_bytes = null, fetch_total_bytes = null
     where id = $1`,
    [job.id],
  );
  await db.query(
    `insert into job_divisions (job_id, output_format, source_file_name, source_duration_ms, source_size_bytes,
                                segment_count, base_percent)
     select id, $2, $3, $4, $5, $6, progress_percent from jobs where id = $1`,
    [
      job.id,
      outcome.outputFormat,
      outcome.sourceFileName,
      outcome.sourceDurationMs,
      outcome.sourceSizeBytes,
      parts.reduce((sum, part) => sum + part.segmentCount, 0),
    ],
  );
  await db.query(
    `insert into job_parts (job_id, account_id, index, first_segment, segment_count, spec_json)
     select $1, $2, position - 1, first_segment, segment_count, spec_json
     from unnest($3::integer[], $4::integer[], $5::text[])
       with ordinality as part (first_segment, segment_count, spec_json, position)`,
    [
      job.id,
      job.accountId,
      parts.map((part) => part.firstSegment),
      parts.map((part) => part.segmentCount),
      parts.map((part) => part.specJson),
    ],
  );
}

export async function readDivision(db: Queryable, jobId: string): Promise<Division> {
  const { rows } = await db.query<Omit<Division, 'outputFormat'> & { outputFormat: OutputFormat }>(
    `select output_format as "outputFormat", source_file_name as "sourceFileName",
            source_duration_ms as "sourceDurationMs", source_size_bytes as "sourceSizeBytes",
            segment_count as "segmentCount"
     from job_divisions where job_id = $1`,
    [jobId],
  );
  return onlyRow({ rows });
}

export async function deleteDivision(db: Queryable, jobId: string): Promise<void> {
  await db.query('delete from job_divisions where job_id = $1', [jobId]);
}

/** Deletes the parts of a job, which is processed whole from now on. */
export async function markIndivisible(db: Queryable, jobId: string): Promise<void> {
  await deleteDivision(db, jobId);
  await db.query('update jobs set is_divided = false, stays_whole = true where id = $1', [jobId]);
}

/** Divided jobs past their deadline, whether or not a worker has one of their parts. */
export async function findOverdueDivisions(db: Queryable, limit: number): Promise<AccountWorkItem[]> {
  const { rows } = await db.query<Omit<AccountWorkItem, 'part'>>(
    `select id as "jobId", account_id as "accountId" from job_divisions join jobs on id = job_id
     where deadline_at <= now() order by deadline_at limit $1`,
    [limit],
  );
  return rows.map((row) => ({ ...row, part: undefined }));
}
