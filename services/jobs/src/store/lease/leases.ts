/** Dispatch, leases and attempts. Every comparison of times uses the database's clock. */
import { type OutboxMessage, outboxValues } from '@audiosplit/chassis/outbox/outbox';
import { onlyRow, type Queryable } from '@audiosplit/chassis/postgres/pool';
import type { FetchProgress, Job, JobRef, SourceUse } from '../../job.ts';
import type { AccountWorkItem, Lease, WorkItem } from '../../work-item.ts';
import { fromRow, JOB_COLUMNS, type JobRow } from '../job/job-row.ts';
import { renewPartLease } from './parts.ts';

/** The transaction's clock; all decisions on leases use it. */
export async function readDatabaseClock(db: Queryable): Promise<Date> {
  return onlyRow(await db.query<{ now: Date }>('select now()')).now;
}

/**
 * Marks up to `count` of the account's oldest waiting jobs as dispatched, counts them, and returns their ids,
 * oldest first.
 */
export async function dispatchOldest(db: Queryable, accountId: string, count: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `with next as (
       update jobs set dispatched_at = now()
       where id in (
         select id from jobs where account_id = $1 and status = 'queued' and dispatched_at is null
         order by created_at, id limit $2
       )
       returning id
     ), counted as (
       update account_queues set dispatched = dispatched + (select count(*) from next) where account_id = $1
     )
     select id from next`,
    [accountId, count],
  );
  return rows.map((row) => row.id).sort();
}

export async function clearDispatch(db: Queryable, jobId: string): Promise<void> {
  await db.query('update jobs set dispatched_at = null where id = $1', [jobId]);
}

/**
 * The next attempt at a job. A job that was queued leaves the queue, with an event. It is not async, so that an event which
 * is too large throws before the commit is sent.
 */
export function leaseJob(
  db: Queryable,
  { id, accountId }: JobRef,
  claim: {
    readonly workerId: string;
    readonly fenceStep: number;
    readonly leaseMs: number;
    readonly wallClockLimitMs: number;
    readonly reservedMs: number | undefined;
    /** Undefined if the job was processing already. */
    readonly begun: OutboxMessage | undefined;
  },
): Promise<Job> {
  const { begun } = claim;
  const leased = db.query<JobRow>(
    `with leased as (
       update jobs
       set status = 'processing', fence = fence + $5, attempts = attempts + 1, worker_id = $2,
           lease_until = now() + $3 * interval '1 millisecond', fetched_bytes = 0, fetch_total_bytes = null,
           reserved_ms = $6, deadline_at = coalesce(deadline_at, now() + $4 * interval '1 millisecond')
       where id = $1
       returning ${JOB_COLUMNS}
     ), counted as (
       update account_queues set queued = queued - 1, dispatched = dispatched - 1, processing = processing + 1
       where account_id = $7 and $8::text is not null
     ), event as (
       insert into outbox (topic, key, value, headers)
       select $8::text, $9::text, $10::bytea, $11::jsonb where $8::text is not null
     )
     select * from leased`,
    [
      id,
      claim.workerId,
      claim.leaseMs,
      claim.wallClockLimitMs,
      claim.fenceStep,
      claim.reservedMs ?? null,
      accountId,
      ...(begun === undefined ? [null, null, null, null] : outboxValues(db, begun)),
    ],
  );
  return leased.then((result) => fromRow(onlyRow(result)));
}

export interface Renewal {
  readonly leaseMs: number;
  readonly progressPercent: number;
  /** For a whole job; parts read the source that the job has stored. */
  readonly sourceUse: SourceUse | undefined;
  readonly fetching: FetchProgress | undefined;
}

/** False when the lease is lost. */
export function renewLease(db: Queryable, { jobId, part, fence }: Lease, renewal: Renewal): Promise<boolean> {
  return part === undefined
    ? renewJobLease(db, jobId, fence, renewal)
    : renewPartLease(db, { jobId, part, fence }, renewal);
}

/** One statement without the account's lock: it changes no counter. */
async function renewJobLease(
  db: Queryable,
  jobId: string,
  fence: number,
  { leaseMs, progressPercent, sourceUse, fetching }: Renewal,
): Promise<boolean> {
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
      sourceUse?.fetchMs ?? null,
      sourceUse?.resumes ?? null,
      fetching?.fetchedBytes ?? null,
      fetching?.totalBytes ?? null,
    ],
  );
  return rowCount === 1;
}

/**
 * Ends an attempt and keeps the item: it can be claimed at once (no pause) or after the pause. Its minutes
 * are released.
 */
export async function endAttempt(
  db: Queryable,
  { jobId, part }: WorkItem,
  options: {
    readonly pauseMs: number | undefined;
    readonly countAttempt: boolean;
    readonly sourceUse?: SourceUse | undefined;
  },
): Promise<void> {
  const ended = `worker_id = null, attempts = attempts - $3, dispatched_at = now(),
         lease_until = now() + $2::integer * interval '1 millisecond'`;
  const values = [jobId, options.pauseMs ?? null, options.countAttempt ? 0 : 1];
  if (part !== undefined) {
    await db.query(`update job_parts set ${ended} where job_id = $1 and index = $4`, [...values, part]);
    return;
  }
  // Keeps the largest values of the source's use, because reports of one attempt may arrive out of order.
  const { fetchMs = null, resumes = null } = options.sourceUse ?? {};
  await db.query(
    `update jobs
     set ${ended}, fetched_bytes = null, fetch_total_bytes = null, reserved_ms = null,
         source_fetch_ms = greatest(source_fetch_ms, $4), source_resumes = greatest(source_resumes, $5)
     where id = $1`,
    [...values, fetchMs, resumes],
  );
}

/** Sets the time of its offer to now. */
export async function touchDispatch(db: Queryable, { jobId, part }: WorkItem): Promise<void> {
  const [table, isItem] =
    part === undefined ? ['jobs', 'id = $1'] : ['job_parts', 'job_id = $1 and index = $2'];
  await db.query(
    `update ${table} set dispatched_at = now() where ${isItem}`,
    part === undefined ? [jobId] : [jobId, part],
  );
}

const JOB_AS_ITEM = 'select id as "jobId", null::integer as part, account_id as "accountId" from jobs';
const PART_AS_ITEM = 'select job_id as "jobId", index as part, account_id as "accountId" from job_parts';

/** Items whose lease, or whose pause before the next attempt, is over: at most `limit` jobs, and as many parts. */
export function findExpiredLeases(db: Queryable, limit: number): Promise<AccountWorkItem[]> {
  return findItems(
    db,
    `(${JOB_AS_ITEM} where lease_until < now() order by lease_until, id limit $1)
     union all
     (${PART_AS_ITEM} where lease_until < now() order by lease_until, job_id, index limit $1)`,
    [limit],
  );
}

/** Bounds the search, among the oldest offers and among the newest. */
const SEARCHED_OFFERS = 250;

/** To be selected in an order, with a limit. */
const OFFERS = `id, account_id, status, dispatched_at from jobs
  where lease_until is null and status in ('queued', 'processing') and dispatched_at is not null`;

/**
 * Queued jobs on offer whose accounts have no job in processing: at most one of each account. The account whose offers
 * have waited longest comes first; an account offers its next job whenever one ends, so with the newest first it would
 * overtake all others each time.
 */
export async function findFirstOffers(db: Queryable, limit: number): Promise<WorkItem[]> {
  const { rows } = await db.query<{ jobId: string }>(
    `select min(id) as "jobId" from (
       (select ${OFFERS} order by dispatched_at limit $1) union (select ${OFFERS} order by dispatched_at desc limit $1)
     ) offered
     where status = 'queued' and exists (
       select from account_queues
       where account_queues.account_id = offered.account_id and processing = 0 and not awaits_minutes
     )
     group by account_id order by min(dispatched_at) limit $2`,
    [SEARCHED_OFFERS, limit],
  );
  return rows.map(({ jobId }) => ({ jobId, part: undefined }));
}

/** Items that have been on offer for so long that their event must be lost: at most `limit` parts, then as many jobs. */
export async function findStaleOffers(
  db: Queryable,
  olderThanMs: number,
  limit: number,
): Promise<AccountWorkItem[]> {
  const isStale = "lease_until is null and dispatched_at < now() - $1 * interval '1 millisecond'";
  const oldest = 'order by dispatched_at limit $2';
  const values = [olderThanMs, limit];
  return [
    ...(await findItems(db, `${PART_AS_ITEM} where ${isStale} and segments is null ${oldest}`, values)),
    ...(await findItems(
      db,
      `${JOB_AS_ITEM} where ${isStale} and status in ('queued', 'processing') ${oldest}`,
      values,
    )),
  ];
}

async function findItems(
  db: Queryable,
  text: string,
  values: readonly unknown[],
): Promise<AccountWorkItem[]> {
  const { rows } = await db.query<{ jobId: string; part: number | null; accountId: string }>(text, [
    ...values,
  ]);
  return rows.map(({ part, ...item }) => ({ ...item, part: part ?? undefined }));
}
