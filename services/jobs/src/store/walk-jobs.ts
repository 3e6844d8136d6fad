import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Job, Segment } from '../job.ts';
import { fromRow, JOB_COLUMNS, type JobRow } from './job-row.ts';
import type { JobPosition } from './position.ts';

export interface WalkedJob {
  readonly job: Job;
  readonly position: JobPosition;
}

/** Oldest first, after `after`. */
export async function listJobsAfter(
  db: Queryable,
  accountId: string,
  after: JobPosition | undefined,
  limit: number,
): Promise<WalkedJob[]> {
  const { rows } = await db.query<JobRow & { created_at_text: string }>(
    `select ${JOB_COLUMNS}, created_at::text as created_at_text from jobs
     where account_id = $1 and ($2::timestamptz is null or (created_at, id) > ($2, $3))
     order by created_at, id limit $4`,
    [accountId, after?.createdAt ?? null, after?.id ?? null, limit],
  );
  return rows.map((row) => ({
    job: fromRow(row),
    position: { createdAt: row.created_at_text, id: row.id },
  }));
}

/** By the ids of their jobs. */
export async function listSegmentsOf(
  db: Queryable,
  jobIds: readonly string[],
): Promise<ReadonlyMap<string, Segment[]>> {
  const { rows } = await db.query<Segment & { jobId: string }>(
    `select job_id as "jobId", index, object_key as "objectKey", file_name as "fileName",
            content_type as "contentType", start_ms as "startMs", duration_ms as "durationMs", size_bytes as "sizeBytes"
     from segments where job_id = any($1) order by job_id, index`,
    [jobIds],
  );
  const segments = new Map<string, Segment[]>();
  for (const { jobId, ...segment } of rows) {
    const ofJob = segments.get(jobId);
    if (ofJob === undefined) segments.set(jobId, [segment]);
    else ofJob.push(segment);
  }
  return segments;
}
