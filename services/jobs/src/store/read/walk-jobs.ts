import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Job } from '../../job.ts';
import { fromRow, JOB_COLUMNS, type JobRow } from '../job/job-row.ts';
import type { JobPosition } from '../queue/position.ts';

export interface WalkedJob {
  readonly job: Job;
  readonly position: JobPosition;
}

interface WalkOptions {
  /** Undefined: from the oldest job on. */
  readonly after: JobPosition | undefined;
  readonly limit: number;
  /** Undefined: all jobs of the account. */
  readonly batchId: string | undefined;
}

/** Oldest first. */
export async function listJobsAfter(
  db: Queryable,
  accountId: string,
  { after, limit, batchId }: WalkOptions,
): Promise<WalkedJob[]> {
  const { rows } = await db.query<JobRow & { created_at_text: string }>(
    `select ${JOB_COLUMNS}, created_at::text as created_at_text from jobs
     where account_id = $1 and ($2::timestamptz is null or (created_at, id) > ($2, $3))
       and ($5::text is null or batch_id = $5)
     order by created_at, id limit $4`,
    [accountId, after?.createdAt ?? null, after?.id ?? null, limit, batchId ?? null],
  );
  return rows.map((row) => ({
    job: fromRow(row),
    position: { createdAt: row.created_at_text, id: row.id },
  }));
}
