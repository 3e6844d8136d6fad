/**
 * Keeps one job's lease while it is worked on, with the progress riding along.
 *
 * A renewal goes out at a third of the lease, and earlier when there is news to tell. `signal` aborts with
 * LeaseLostError when a renewal is refused, or when none has got through for the length of the lease:
 * whoever then still worked would work against another worker.
 */

import { hasReason } from '@audiosplit/chassis/rpc/errors';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import type { JobLeaseService } from '@audiosplit/proto/jobs/v1/jobs';
import type { Client } from '@connectrpc/connect';

export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

export interface LeaseKeeper extends AsyncDisposable {
  readonly signal: AbortSignal;
  report(fraction: number): void;
}

export interface LeaseKeeperOptions {
  readonly leases: Client<typeof JobLeaseService>;
  readonly jobId: string;
  readonly fence: bigint;
  readonly leaseMs: number;
}

/** People watch progress; more often than this is no use to them. */
const NEWS_INTERVAL_MS = 1_000;
const RENEWALS_PER_LEASE = 3;

export function keepLease({ leases, jobId, fence, leaseMs }: LeaseKeeperOptions): LeaseKeeper {
  const lost = new AbortController();
  const renewEveryMs = Math.ceil(leaseMs / RENEWALS_PER_LEASE);
  let progressPercent = 0;
  let toldPercent = 0;
  let renewedAt = performance.now();
  let inFlight: Promise<void> | undefined;
  let triedAt = performance.now();

  const renew = async () => {
    const percent = progressPercent;
    const sentAt = performance.now();
    try {
      await leases.renewLease({ jobId, fence, progressPercent: percent }, { timeoutMs: renewEveryMs });
      renewedAt = sentAt;
      toldPercent = percent;
    } catch (error) {
      if (hasReason(error, Reason.LEASE_LOST))
        lost.abort(new LeaseLostError(`job ${jobId} is another worker's, or over`));
    }
  };

  const tick = setInterval(
    () => {
      const now = performance.now();
      if (now - renewedAt >= leaseMs) {
        lost.abort(new LeaseLostError(`no renewal of job ${jobId} got through for ${leaseMs / 1000} s`));
        return;
      }
      const isDue = now - triedAt >= renewEveryMs;
      const isNews = progressPercent > toldPercent && now - triedAt >= NEWS_INTERVAL_MS;
      if ((isDue || isNews) && inFlight === undefined && !lost.signal.aborted) {
        triedAt = now;
        inFlight = renew().finally(() => {
          inFlight = undefined;
        });
      }
    },
    Math.min(250, renewEveryMs / 4),
  );

  return {
    signal: lost.signal,
    report(fraction) {
      progressPercent = Math.max(progressPercent, Math.min(99, Math.floor(fraction * 100)));
    },
    async [Symbol.asyncDispose]() {
      clearInterval(tick);
      await inFlight;
    },
  };
}
