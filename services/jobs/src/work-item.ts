/**
 * What splitters work on: a whole job, or a part of a divided job. Both are offered, leased and retried
 * alike. Pure.
 */
export interface WorkItem {
  readonly jobId: string;
  /** Undefined: the whole job. */
  readonly part: number | undefined;
}

export interface AccountWorkItem extends WorkItem {
  readonly accountId: string;
}

/** What a worker receives with its claim and sends with every later call. */
export interface Lease extends WorkItem {
  readonly fence: number;
}

/** The lease columns that jobs and parts have in common. */
export interface LeaseState {
  /** The fencing token: every claim raises it. */
  readonly fence: number;
  readonly attempts: number;
  readonly dispatchedAt: Date | undefined;
  /** With a worker: the end of its lease. Without: the end of the pause before the next attempt. */
  readonly leaseUntil: Date | undefined;
  readonly workerId: string | undefined;
  readonly isUnfinished: boolean;
}

export const MAX_ATTEMPTS = 3;

/** Whether there is an attempt left, and neither a lease nor a pause at `now`. */
export function isAvailable({ attempts, leaseUntil }: LeaseState, now: Date): boolean {
  return attempts < MAX_ATTEMPTS && (leaseUntil === undefined || leaseUntil.getTime() <= now.getTime());
}

/** The pause before the next attempt gives a failing source or store time to recover. */
export function retryDelayMs(attempts: number): number {
  return attempts <= 1 ? 3_000 : 15_000;
}
