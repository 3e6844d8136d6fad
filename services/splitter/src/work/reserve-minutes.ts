import type { ClaimJobResponse, JobLeaseService } from '@audiosplit/proto/jobs/v1/jobs';
import type { Client } from '@connectrpc/connect';
import { retryWhileLeased } from './retry-while-leased.ts';

/**
 * The job must wait for minutes of its account, or has failed because it has none; the jobs service has taken
 * it back.
 */
export class NotReservedError extends Error {
  override readonly name = 'NotReservedError';
}

/** Reserves the account's minutes for the job's need. Does nothing if they are unlimited. */
export function minutesOf(
  leases: Pick<Client<typeof JobLeaseService>, 'reserveMinutes'>,
  jobId: string,
  { fence, reservesMinutes, leaseMs }: Pick<ClaimJobResponse, 'fence' | 'reservesMinutes' | 'leaseMs'>,
): (neededMs: number) => Promise<void> {
  let reservedMs: number | undefined;
  return async (neededMs) => {
    if (!reservesMinutes || neededMs === reservedMs) return;
    let isGranted = false;
    const ask = async () => {
      const { granted } = await leases.reserveMinutes({ jobId, fence, neededMs: BigInt(neededMs) });
      isGranted = granted;
    };
    await retryWhileLeased(ask, leaseMs);
    if (!isGranted)
      throw new NotReservedError(`job ${jobId} gets no ${neededMs} ms of its account's minutes`);
    reservedMs = neededMs;
  };
}
