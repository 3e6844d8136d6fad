/**
 * An account's queue row: its lock serialises changes of the account's jobs, and it holds their exact
 * counters.
 *
 * Lock order, everywhere: the account's queue row, then the job's row, then its parts.
 */
import { onlyRow, type Queryable } from '@audiosplit/chassis/postgres/pool';
import { isPurged } from '@audiosplit/chassis/purged-accounts';
import { MAX_OFFERS_PER_ACCOUNT } from '../../job.ts';

export interface AccountQueue {
  readonly queued: number;
  readonly dispatched: number;
  readonly processing: number;
  /** A job has found too few minutes while other jobs hold some. */
  readonly awaitsMinutes: boolean;
  /** The account's cap, read under the lock; null: its limits are not known. */
  readonly concurrentJobs: number | null;
}

export interface LockedQueue extends AccountQueue {
  /** The account is about to be deleted. */
  readonly closed: boolean;
}

/**
 * The account's queue row and its limits, both locked. A statement that has waited for a lock sees the newest
 * state of the rows that it locks, but an older state of all others.
 */
export function lockedQueue(accountId: string): string {
  return `(select account_id, queued, dispatched, processing, closed, awaits_minutes as "awaitsMinutes"
     from account_queues where account_id = ${accountId} for update) queue
   left join lateral (select concurrent_jobs as "concurrentJobs"
     from account_limits where account_id = queue.account_id for update) limits on true`;
}

export const QUEUE_COLUMNS = 'queued, dispatched, processing, closed, "awaitsMinutes", "concurrentJobs"';

const LOCK_QUEUE = `select ${QUEUE_COLUMNS} from ${lockedQueue('$1')}`;

/** A purged account has no jobs and takes none. */
const QUEUE_OF_PURGED: LockedQueue = {
  queued: 0,
  dispatched: 0,
  processing: 0,
  awaitsMinutes: false,
  concurrentJobs: null,
  closed: true,
};

/**
 * Locks the account's queue row, inserting it if it is missing, and returns its counters. A purged account
 * gets no row.
 */
export async function lockAccountQueue(db: Queryable, accountId: string): Promise<LockedQueue> {
  const { rows } = await db.query<LockedQueue>(LOCK_QUEUE, [accountId]);
  const [queue] = rows;
  if (queue !== undefined) return queue;
  await db.query('insert into account_queues (account_id) values ($1) on conflict do nothing', [accountId]);
  // Checked after the insert: a purge that is recorded later waits for the row, and deletes it.
  if (await isPurged(db, accountId)) {
    await db.query('delete from account_queues where account_id = $1', [accountId]);
    return QUEUE_OF_PURGED;
  }
  return onlyRow(await db.query<LockedQueue>(LOCK_QUEUE, [accountId]));
}

/** Without the lock: used only for the error of a refused client. */
export async function isClosed(db: Queryable, accountId: string): Promise<boolean> {
  const { closed } = onlyRow(
    await db.query<{ closed: boolean }>(
      `select coalesce((select closed from account_queues where account_id = $1),
                       exists (select from purged_accounts where account_id = $1)) as closed`,
      [accountId],
    ),
  );
  return closed;
}

export type QueueCounter = 'queued' | 'dispatched' | 'processing' | 'completed' | 'failed';

export async function changeCounters(
  db: Queryable,
  accountId: string,
  changes: Partial<Record<QueueCounter, number>>,
): Promise<void> {
  const { queued = 0, dispatched = 0, processing = 0, completed = 0, failed = 0 } = changes;
  await db.query(
    `update account_queues
     set queued = queued + $2, dispatched = dispatched + $3, processing = processing + $4,
         completed = completed + $5, failed = failed + $6
     where account_id = $1`,
    [accountId, queued, dispatched, processing, completed, failed],
  );
}

/** Accounts with waiting jobs that could be offered; not those that wait for minutes. */
export async function findAccountsWithWaitingJobs(db: Queryable, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ account_id: string }>(
    `select account_id from account_queues join account_limits using (account_id)
     where queued > dispatched and not awaits_minutes and dispatched < $2 and processing + dispatched < concurrent_jobs
     order by account_id limit $1`,
    [limit, MAX_OFFERS_PER_ACCOUNT],
  );
  return rows.map((row) => row.account_id);
}
