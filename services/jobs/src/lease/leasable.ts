/** The row that holds a work item's lease, and how it is locked. */
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Job } from '../job.ts';
import type { Part } from '../parts/part.ts';
import { lockJobInQueue } from '../store/job/lock-job.ts';
import { lockPart } from '../store/lease/parts.ts';
import type { AccountQueue } from '../store/queue/account-queue.ts';
import type { LeaseState, WorkItem } from '../work-item.ts';

export interface Leasable<Row extends LeaseState = LeaseState> extends WorkItem {
  /** Call it after locking the job's row. */
  readonly lockRow: (db: Queryable, job: Job) => Promise<Row | undefined>;
}

export interface LockedItem<Row extends LeaseState> {
  readonly queue: AccountQueue;
  readonly job: Job;
  readonly row: Row | undefined;
  /** The transaction's clock; all decisions on leases use it. */
  readonly now: Date;
}

export function wholeJob(jobId: string): Leasable<Job> {
  return { jobId, part: undefined, lockRow: async (_db, job) => job };
}

export function partOf(jobId: string, part: number): Leasable<Part> {
  return { jobId, part, lockRow: (db) => lockPart(db, jobId, part) };
}

export function leasable({ jobId, part }: WorkItem): Leasable {
  return part === undefined ? wholeJob(jobId) : partOf(jobId, part);
}

/** Locks the account's queue row, the job's row and the part's row, in this order. Undefined: the job does not exist. */
export async function lockItem<Row extends LeaseState>(
  db: Queryable,
  item: Leasable<Row>,
): Promise<LockedItem<Row> | undefined> {
  const locked = await lockJobInQueue(db, item.jobId);
  return locked && { ...locked, row: await item.lockRow(db, locked.job) };
}
