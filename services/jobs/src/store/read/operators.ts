/**
 * Queues, leases and stalled jobs of all accounts, for operators. Every query is bounded and uses the indexes of the lease
 * protocol; nothing is locked. Times are the database's.
 */
import type { Queryable } from '@audiosplit/chassis/postgres/pool';

export interface BusyAccount {
  readonly accountId: string;
  readonly queued: number;
  readonly offered: number;
  readonly processing: number;
  /** Null while the limits are unknown. */
  readonly concurrentJobs: number | null;
  readonly oldestQueuedAt: Date | null;
}

/** Accounts with queued or running jobs, the longest waiting first: one index lookup for each. */
export async function listBusyAccounts(db: Queryable, limit: number): Promise<BusyAccount[]> {
  const { rows } = await db.query<BusyAccount>(
    `select account_id as "accountId", queued, dispatched as offered, processing,
            concurrent_jobs as "concurrentJobs", oldest.created_at as "oldestQueuedAt"
     from account_queues left join account_limits using (account_id)
     left join lateral (
       select created_at from jobs
       where queued > 0 and jobs.account_id = account_queues.account_id and status = 'queued'
       order by created_at limit 1
     ) oldest on true
     where queued > 0 or processing > 0
     order by oldest.created_at nulls last, processing desc, account_id limit $1`,
    [limit],
  );
  return rows;
}

/** Whole jobs and parts that are leased to a worker. */
const LEASES = `
  select worker_id, id as job_id, null::integer as part, account_id, fence, attempts, progress_percent, lease_until,
         deadline_at
  from jobs where lease_until is not null and worker_id is not null
  union all
  select part.worker_id, job_id, part.index, part.account_id, part.fence, part.attempts, part.progress_percent,
         part.lease_until, deadline_at
  from job_parts part join jobs on id = job_id
  where part.lease_until is not null and part.worker_id is not null`;

export interface Worker {
  readonly workerId: string;
  readonly leaseCount: number;
  readonly earliestLeaseUntil: Date;
}

export async function listWorkers(db: Queryable, limit: number): Promise<Worker[]> {
  const { rows } = await db.query<Worker>(
    `select worker_id as "workerId", count(*)::integer as "leaseCount", min(lease_until) as "earliestLeaseUntil"
     from (${LEASES}) lease group by worker_id order by worker_id limit $1`,
    [limit],
  );
  return rows;
}

export interface Lease {
  readonly jobId: string;
  readonly part: number | null;
  readonly accountId: string;
  readonly workerId: string;
  readonly fence: number;
  readonly attempt: number;
  readonly progressPercent: number;
  readonly leaseUntil: Date;
  readonly deadlineAt: Date;
}

/** The first by worker and job, and the total. */
export async function listLeases(
  db: Queryable,
  limit: number,
): Promise<{ readonly leases: Lease[]; readonly total: number }> {
  const { rows } = await db.query<Lease & { readonly total: number }>(
    `select job_id as "jobId", part, account_id as "accountId", worker_id as "workerId", fence, attempts as attempt,
            progress_percent as "progressPercent", lease_until as "leaseUntil", deadline_at as "deadlineAt",
            count(*) over () as total
     from (${LEASES}) lease order by worker_id, job_id, part limit $1`,
    [limit],
  );
  return { leases: rows.map(({ total: _, ...lease }) => lease), total: rows[0]?.total ?? 0 };
}

export type StuckReason = 'leaseOver' | 'notTaken' | 'timeOver';

export interface StuckJob {
  readonly jobId: string;
  readonly part: number | null;
  readonly accountId: string;
  readonly reason: StuckReason;
  readonly since: Date;
  readonly attempts: number;
}

export interface Patience {
  /** How long a lease may be over before the reaper should have returned it. */
  readonly leaseOverMs: number;
  /** How long an offer may wait for a splitter. */
  readonly notTakenMs: number;
}

/** At most `limit` of each reason, the longest stalled first. */
export async function findStuckJobs(db: Queryable, patience: Patience, limit: number): Promise<StuckJob[]> {
  const { rows } = await db.query<StuckJob>(
    `select job_id as "jobId", part, account_id as "accountId", reason, since, attempts
     from (
       select *, row_number() over (partition by reason order by since) as place
       from (
         (select id as job_id, null::integer as part, account_id, 'leaseOver' as reason, lease_until as since, attempts
          from jobs where lease_until < now() - $1 * interval '1 millisecond' order by lease_until limit $3)
         union all
         (select job_id, index, account_id, 'leaseOver', lease_until, attempts
          from job_parts where lease_until < now() - $1 * interval '1 millisecond' order by lease_until limit $3)
         union all
         (select id, null, account_id, 'notTaken', dispatched_at, attempts
          from jobs where status in ('queued', 'processing') and lease_until is null
            and dispatched_at < now() - $2 * interval '1 millisecond' order by dispatched_at limit $3)
         union all
         (select job_id, index, account_id, 'notTaken', dispatched_at, attempts
          from job_parts where lease_until is null and segments is null
            and dispatched_at < now() - $2 * interval '1 millisecond' order by dispatched_at limit $3)
         union all
         (select id, null, account_id, 'timeOver', deadline_at, attempts
          from job_divisions join jobs on id = job_id
          where deadline_at < now() - $1 * interval '1 millisecond' order by deadline_at limit $3)
       ) stalled
     ) ranked
     where place <= $3 order by since, job_id, part`,
    [patience.leaseOverMs, patience.notTakenMs, limit],
  );
  return rows;
}
