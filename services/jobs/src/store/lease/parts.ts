/**
 * Parts of divided jobs and their leases. Every comparison of times uses the database's clock.
 *
 * Lock order: the account's queue row, the job's row, then rows in here.
 */
import { onlyRow, type Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Segment } from '../../job.ts';
import type { Part } from '../../parts/part.ts';
import type { AccountWorkItem, Lease } from '../../work-item.ts';

interface PartRow {
  job_id: string;
  index: number;
  first_segment: number;
  segment_count: number;
  spec_json: string;
  dispatched_at: Date | null;
  fence: number;
  attempts: number;
  lease_until: Date | null;
  worker_id: string | null;
  is_done: boolean;
}

/** The progress of all parts together; 100 only once the job has ended. */
const PERCENT_OF_PARTS = 'least(99, floor(base_percent + (100 - base_percent) * done.share))::integer';

const PART_COLUMNS = `job_id, index, first_segment, segment_count, spec_json, dispatched_at, fence, attempts, lease_until,
  worker_id, segments is not null as is_done`;

function fromRow(row: PartRow): Part {
  return {
    jobId: row.job_id,
    index: row.index,
    firstSegment: row.first_segment,
    segmentCount: row.segment_count,
    specJson: row.spec_json,
    dispatchedAt: row.dispatched_at ?? undefined,
    fence: row.fence,
    attempts: row.attempts,
    leaseUntil: row.lease_until ?? undefined,
    workerId: row.worker_id ?? undefined,
    isUnfinished: !row.is_done,
  };
}

export async function lockPart(db: Queryable, jobId: string, index: number): Promise<Part | undefined> {
  const { rows } = await db.query<PartRow>(
    `select ${PART_COLUMNS} from job_parts where job_id = $1 and index = $2 for update`,
    [jobId, index],
  );
  return rows[0] && fromRow(rows[0]);
}

/** A part without a worker, preferably one that is not on offer and has not failed before. */
export async function lockWaitingPart(db: Queryable, jobId: string): Promise<Part | undefined> {
  const { rows } = await db.query<PartRow>(
    `select ${PART_COLUMNS} from job_parts
     where job_id = $1 and segments is null and (lease_until is null or lease_until <= now())
     order by lease_until is not null, dispatched_at is not null, index
     limit 1 for update`,
    [jobId],
  );
  return rows[0] && fromRow(rows[0]);
}

/** The next attempt at a part. */
export async function leasePart(
  db: Queryable,
  { jobId, index }: Part,
  claim: { readonly workerId: string; readonly fenceStep: number; readonly leaseMs: number },
): Promise<Part> {
  const result = await db.query<PartRow>(
    `update job_parts
     set fence = fence + $5, attempts = attempts + 1, worker_id = $3,
         lease_until = now() + $4 * interval '1 millisecond'
     where job_id = $1 and index = $2
     returning ${PART_COLUMNS}`,
    [jobId, index, claim.workerId, claim.leaseMs, claim.fenceStep],
  );
  return fromRow(onlyRow(result));
}

/** As for a job (`leases.ts`). The job's progress is computed from its parts. False if the lease is lost. */
export async function renewPartLease(
  db: Queryable,
  { jobId, part: index, fence }: Lease & { readonly part: number },
  renewal: { readonly leaseMs: number; readonly progressPercent: number },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `with job as (
       select id from jobs where id = $1 and status = 'processing' and deadline_at > now() for update
     ), renewed as (
       update job_parts
       set lease_until = now() + $4 * interval '1 millisecond', progress_percent = greatest(progress_percent, $5)
       from job where job_id = job.id and index = $2 and fence = $3 and worker_id is not null
       returning job_id
     )
     update jobs
     set progress_percent = greatest(progress_percent, ${PERCENT_OF_PARTS})
     from job_divisions, renewed,
          (select sum(segment_count * case when index = $2 then greatest(progress_percent, $5)
                                           else progress_percent end) / (sum(segment_count) * 100.0) as share
           from job_parts where job_id = $1) as done
     where jobs.id = renewed.job_id and job_divisions.job_id = renewed.job_id`,
    [jobId, index, fence, renewal.leaseMs, renewal.progressPercent],
  );
  return rowCount === 1;
}

export async function completePart(
  db: Queryable,
  { jobId, index }: Part,
  segments: readonly Segment[],
): Promise<void> {
  await db.query(
    `update job_parts
     set segments = $3, progress_percent = 100, lease_until = null, worker_id = null
     where job_id = $1 and index = $2`,
    [jobId, index, JSON.stringify(segments)],
  );
  await db.query(
    `update jobs
     set progress_percent = greatest(progress_percent, ${PERCENT_OF_PARTS})
     from job_divisions,
          (select sum(segment_count * progress_percent) / (sum(segment_count) * 100.0) as share
           from job_parts where job_id = $1) as done
     where jobs.id = $1 and job_divisions.job_id = $1`,
    [jobId],
  );
}

/** The segments of all parts in order; undefined while a part is incomplete. */
export async function collectSegments(db: Queryable, jobId: string): Promise<Segment[] | undefined> {
  const { rows } = await db.query<{ segments: Segment[] | null }>(
    `select segments from job_parts
     where job_id = $1 and not exists (select from job_parts where job_id = $1 and segments is null)
     order by index`,
    [jobId],
  );
  if (rows.length === 0) return undefined;
  return rows.flatMap(({ segments }) => segments ?? []);
}

/**
 * Marks the account's oldest waiting parts as on offer, up to `mostOnOffer` including those on offer already.
 * The caller holds the lock of the account's queue row.
 */
export async function markOldestPartsDispatched(
  db: Queryable,
  accountId: string,
  mostOnOffer: number,
): Promise<AccountWorkItem[]> {
  const { rows } = await db.query<AccountWorkItem & { readonly part: number }>(
    `with unleased as (
       select job_id, index, dispatched_at from job_parts
       where account_id = $1 and lease_until is null and segments is null
     ), next as (
       select job_id, index from unleased where dispatched_at is null order by job_id, index
       limit greatest(0, $2 - (select count(*) from unleased where dispatched_at is not null))
     )
     update job_parts set dispatched_at = now()
     where (job_id, index) in (select job_id, index from next)
     returning job_id as "jobId", index as part, account_id as "accountId"`,
    [accountId, mostOnOffer],
  );
  return rows.sort((one, other) =>
    one.jobId === other.jobId ? one.part - other.part : one.jobId < other.jobId ? -1 : 1,
  );
}
