/** A lease, and the ways in which it can end. */
import { errorInfoOf } from '@audiosplit/chassis/rpc/errors';
import { Reason } from '@audiosplit/proto/errors/v1/errors';

/** The lease of a job, or of a part of it. */
export interface LeaseRef {
  readonly jobId: string;
  readonly part?: number | undefined;
  readonly fence: bigint;
}

export class LeaseLostError extends Error {
  override readonly name: string = 'LeaseLostError';
}

/** The job's owner has canceled or removed it: no worker may continue it. */
export class EndedByOwnerError extends LeaseLostError {
  override readonly name = 'EndedByOwnerError';
}

/** Undefined unless the jobs service rejected the call because the lease is over. */
export function leaseLossOf(error: unknown): LeaseLostError | undefined {
  const { reason, publicMessage, endedByOwner } = errorInfoOf(error);
  if (reason !== Reason.LEASE_LOST) return undefined;
  return endedByOwner ? new EndedByOwnerError(publicMessage) : new LeaseLostError(publicMessage);
}
