/**
 * Dispatch, leases and attempts. Every comparison of times uses the database's clock.
 */
import { onlyRow, type Queryable } from '@audiosplit/chassis/postgres/pool';
import type { FetchProgress, Job, SourceUse } from '../job.ts';
import { fromRow, JOB_COLUMNS, type JobRow } from './job-row.ts';

/** The transaction's clock, the only one that leases are judged by. */
export async function readDatabaseClock(db: Queryable): Promise<Date> {
  return onlyRow(await db.query<{ now: Date }>('select now()')).now;
}

/** Marks up to `count` of the account's oldest waiting jobs as dispatched and gives their ids, oldest first. */
export async function markOldestDispatched(
  db: Queryable,
  accountId: string,
  count: number,
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `update jobs set dispatched_at = now()
     where id in (
       select id from jobs where account_id = $1 and status = 'queued' and dispatched_at is null
       order by created_at, id limit $2
     )
     returning id`,
    [accountId, count],
  );
  return rows.map((row) => row.id).sort();
}

export async function clearDispatch(db: Queryable, jobId: string): Promise<void> {
  await db.query('update jobs set dispatched_at = null where id = $1', [jobId]);
}

export async function touchDispatch(db: Queryable, jobId: string): Promise<void> {
  await db.query('update jobs set dispatched_at = now() where id = $1', [jobId]);
}

export async function claimJob(
  db: Queryable,
  jobId: string,
  claim: { readonly workerId: string; readonly leaseMs: number; readonly wallClockLimitMs: number },
): Promise<Job> {
  const result = await db.query<JobRow>(
    `update jobs
     set status = 'processing', fence = fence + 1, attempts = attempts + 1, worker_id = $2,
         lease_until = now() + $3 * interval '1 millisecond', fetched_bytes = 0, fetch_total_bytes = null,
         deadline_at = coalesce(deadline_at, now() + $4 * interval '1 millisecond')
     where id = $1
     returning ${JOB_COLUMNS}`,
    [jobId, claim.workerId, claim.leaseMs, claim.wallClockLimitMs],
  );
  return fromRow(onlyRow(result));
}

/** One statement without the account's lock: it changes nothing that counts. False when the lease is lost. */
export async function renewLease(
  db: Queryable,
  jobId: string,
  fence: number,
  renewal: {
    readonly leaseMs: number;
    readonly progressPercent: number;
    readonly sourceUse: SourceUse | undefined;
    readonly fetching: FetchProgress | undefined;
  },
): Promise<boolean> {
  const { leaseMs, progressPercent, sourceUse, fetching } = renewal;
  const { rowCount } = await db.query(
    `update jobs
     set lease_until = now() + $3 * interval '1 millisecond', progress_percent = greatest(progress_percent, $4),
         source_fetch_ms = greatest(source_fetch_ms, $5), source_resumes = greatest(source_resumes, $6),
         fetched_bytes = $7, fetch_total_bytes = $8
     where id = $1 and fence = $2 and status = 'processing' and worker_id is not null and deadline_at > now()`,
    [
      jobId,
      fence,
      leaseMs,
      progressPercent,
      ...usedOf(sourceUse),
      fetching?.fetchedBytes ?? null,
      fetching?.totalBytes ?? null,
    ],
  );
  return rowCount === 1;
}

/** The greatest reported values are kept, as reports of one attempt may arrive out of order. */
function usedOf(use: SourceUse | undefined): readonly (number | null)[] {
  return use === undefined ? [null, null] : [use.fetchMs, use.resumes];
}

/** Ends an attempt and keeps the job: it can be claimed at once (no pause) or after the pause. */
export async function endAttempt(
  db: Queryable,
  jobId: string,
  options: {
    readonly pauseMs: number | undefined;
    readonly countAttempt: boolean;
    readonly sourceUse?: SourceUse | undefined;
  },
): Promise<void> {
  await db.query(
    `update jobs
     set worker_id = null, attempts = attempts - $3,
         lease_until = case when $2::integer is null then null else now() + $2 * interval '1 millisecond' end,
         dispatched_at = now(), fetched_bytes = null, fetch_total_bytes = null,
         source_fetch_ms = greatest(source_fetch_ms, $4), source_resumes = greatest(source_resumes, $5)
     where id = $1`,
    [jobId, options.pauseMs ?? null, options.countAttempt ? 0 : 1, ...usedOf(options.sourceUse)],
  );
}

export interface JobRef {
  readonly id: string;
  readonly accountId: string;
}

/** Jobs whose lease, or whose pause before the next attempt, is over. */
export async function findExpiredLeases(db: Queryable, limit: number): Promise<JobRef[]> {
  const { rows } = await db.query<JobRef>(
    `select id, account_id as "accountId" from jobs where lease_until < now() order by lease_until limit $1`,
    [limit],
  );
  return rows;
}

/** Jobs that have been on offer for so long that their event must have got lost. */
export async function findStaleDispatches(
  db: Queryable,
  olderThanMs: number,
  limit: number,
): Promise<JobRef[]> {
  const { rows } = await db.query<JobRef>(
    `select id, account_id as "accountId" from jobs
     where status in ('queued', 'processing') and lease_until is null and dispatched_at < now() - $1 * interval '1 millisecond'
     order by dispatched_at limit $2`,
    [olderThanMs, limit],
  );
  return rows;
}
