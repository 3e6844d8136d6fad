/** Reservations of minutes, and completed jobs that billing may not have counted yet. */
import { onlyRow, type Queryable } from '@audiosplit/chassis/postgres/pool';

/** The maximum that one query to billing may name. Later queries settle the rest. */
const MAX_ASKED = 1_000;
/** Longer than any claim takes after it has queried billing. */
const SETTLED_KEPT = "interval '1 hour'";

export interface Unsettled {
  readonly jobId: string;
  readonly meteredMs: number;
}

/** Completed jobs to ask billing about, and the database's time before they were read. */
export interface AskedJobs {
  readonly asOf: Date;
  readonly jobIds: readonly string[];
}

/** Columns of AskedJobs: the unsettled jobs. */
export function askedJobs(accountId: string): string {
  return `statement_timestamp() as "asOf", array(
    select job_id from unsettled_usage where account_id = ${accountId} and settled_at is null
    order by job_id limit ${MAX_ASKED}) as "jobIds"`;
}

export async function listUnsettled(db: Queryable, accountId: string): Promise<AskedJobs> {
  return onlyRow(await db.query<AskedJobs>(`select ${askedJobs('$1')}`, [accountId]));
}

export interface HeldMinutes {
  readonly unsettled: readonly Unsettled[];
  /** The reservations of the account's other jobs. */
  readonly heldMs: number;
}

/**
 * Part of a statement that marks jobs as settled, because billing has counted them. They are kept for a while, for claims
 * that queried billing earlier. The time is that of the mark, not of the beginning of its transaction: it must be later
 * than the moment at which those claims read the jobs.
 *
 * Rows that another transaction has locked are skipped: it does the same to them. Not all of these statements run under the lock
 * of the account's queue row, so otherwise two could wait for each other.
 */
function settle(accountId: string, jobIds: string): string {
  return `settled as (
      update unsettled_usage set settled_at = clock_timestamp() where job_id in (
        select job_id from unsettled_usage where job_id = any(${jobIds}) and settled_at is null for update skip locked)
    ), forgotten as (
      delete from unsettled_usage where job_id in (
        select job_id from unsettled_usage
        where account_id = ${accountId} and settled_at < clock_timestamp() - ${SETTLED_KEPT} for update skip locked)
    )`;
}

/**
 * Completed jobs that were not settled at `asOf`, and the reservations of running ones. The caller holds the
 * lock of the account's queue row, so no job completes meanwhile. Settles jobs in addition; the result is as it
 * was before.
 */
export async function settleAndReadHeld(
  db: Queryable,
  asked: {
    readonly accountId: string;
    readonly exceptJobId: string;
    readonly asOf: Date;
    readonly settledJobIds: readonly string[];
  },
): Promise<HeldMinutes> {
  return onlyRow(
    await db.query<HeldMinutes>(
      `with ${settle('$1', '$4')}
       select (
           select coalesce(sum(reserved_ms), 0)::bigint from jobs
           where account_id = $1 and id <> $2 and reserved_ms is not null and status = 'processing'
         ) as "heldMs", coalesce((
           select json_agg(json_build_object('jobId', job_id, 'meteredMs', metered_ms)) from unsettled_usage
           where account_id = $1 and (settled_at is null or settled_at > $3)
         ), '[]') as unsettled`,
      [asked.accountId, asked.exceptJobId, asked.asOf, asked.settledJobIds],
    ),
  );
}

/**
 * For an account without a limit, whose claims read no minutes. The commit need not wait for the disk: jobs whose mark a
 * crash of the server loses are asked about again.
 */
export async function markSettled(
  db: Queryable,
  accountId: string,
  jobIds: readonly string[],
): Promise<void> {
  if (jobIds.length === 0) return;
  await db.query(
    `with unflushed as materialized (select set_config('synchronous_commit', 'off', true)),
       ${settle('$1', '$2')}
     select from unflushed`,
    [accountId, jobIds],
  );
}

/** The worker has reported the job's need, and it is granted. */
export async function setReservation(db: Queryable, jobId: string, neededMs: number): Promise<void> {
  await db.query('update jobs set reserved_ms = $2, needed_ms = $2 where id = $1', [jobId, neededMs]);
}

/**
 * The job waits for minutes: neither leased nor on offer, and with its full time limit. It stays `processing`
 * if it was. An attempt that has started does not count.
 */
export async function putInLine(
  db: Queryable,
  jobId: string,
  { neededMs, begunAttempts }: { readonly neededMs: number | undefined; readonly begunAttempts: 0 | 1 },
): Promise<void> {
  await db.query(
    `update jobs
     set worker_id = null, lease_until = null, dispatched_at = null, deadline_at = null, reserved_ms = null,
         needed_ms = coalesce($2, needed_ms), attempts = attempts - $3, fetched_bytes = null, fetch_total_bytes = null
     where id = $1`,
    [jobId, neededMs ?? null, begunAttempts],
  );
}

export async function setAwaitsMinutes(db: Queryable, accountId: string, awaits: boolean): Promise<void> {
  await db.query('update account_queues set awaits_minutes = $2 where account_id = $1', [accountId, awaits]);
}

/**
 * Puts the account's started jobs that wait for minutes on offer, and returns their ids, the oldest first.
 */
export async function markAwaitingDispatched(db: Queryable, accountId: string): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `update jobs set dispatched_at = now()
     where account_id = $1 and status = 'processing' and not is_divided
       and dispatched_at is null and lease_until is null and worker_id is null
     returning id`,
    [accountId],
  );
  return rows.map(({ id }) => id).sort();
}

/** Accounts that wait for minutes although none of their jobs holds any. */
export async function findAwaitingInVain(db: Queryable, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ accountId: string }>(
    `select account_id as "accountId" from account_queues queue
     where awaits_minutes and not exists (
       select from jobs
       where account_id = queue.account_id and reserved_ms is not null and status = 'processing')
     order by account_id limit $1`,
    [limit],
  );
  return rows.map(({ accountId }) => accountId);
}

export interface ReservedMinutes {
  readonly reservedMs: number;
  readonly accountsAwaiting: number;
}

/** Of all accounts together. */
export async function readReservedMinutes(db: Queryable): Promise<ReservedMinutes> {
  return onlyRow(
    await db.query<ReservedMinutes>(
      `select (select coalesce(sum(reserved_ms), 0)::float8 from jobs
               where reserved_ms is not null and status = 'processing') as "reservedMs",
              (select count(*)::float8 from account_queues where awaits_minutes) as "accountsAwaiting"`,
    ),
  );
}
