/** Locks a job together with its account's queue in one statement, in the lock order used everywhere. */
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Job } from '../../job.ts';
import { type AccountQueue, type LockedQueue, lockedQueue, QUEUE_COLUMNS } from '../queue/account-queue.ts';
import { fromRow, JOB_COLUMNS, type JobRow } from './job-row.ts';

export interface LockedJob {
  readonly queue: AccountQueue;
  readonly job: Job;
  /** The transaction's clock; all decisions on leases use it. */
  readonly now: Date;
}

const LOCK_JOB = `select ${QUEUE_COLUMNS}, now() as now, job.*
  from ${lockedQueue('(select account_id from jobs where id = $1)')}
  cross join lateral (
    select ${JOB_COLUMNS} from jobs where id = $1 and account_id = queue.account_id for update
  ) job`;

/** Undefined: the job does not exist. */
export async function lockJobInQueue(db: Queryable, jobId: string): Promise<LockedJob | undefined> {
  const { rows } = await db.query<JobRow & LockedQueue & { readonly now: Date }>(LOCK_JOB, [jobId]);
  const [row] = rows;
  return row && { queue: row, job: fromRow(row), now: row.now };
}
