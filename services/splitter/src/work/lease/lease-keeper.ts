/**
 * Keeps the lease of a job, or of a part, while it is worked on. Renewals also report the progress.
 *
 * A renewal is sent every third of the lease, and earlier when there is new progress or when the watch has
 * found the lease to be over. `signal` aborts with LeaseLostError when a renewal is rejected, or when none
 * has succeeded for the length of the lease: another worker may have the job by then.
 */

import type { JobLeaseService } from '@audiosplit/proto/jobs/v1/jobs';
import type { Client } from '@connectrpc/connect';
import { type SourceUse, toProtoUse } from '../../source/source-use.ts';
import { LeaseLostError, type LeaseRef, leaseLossOf } from './lease.ts';
import type { LeaseWatch } from './lease-watch.ts';

/** Progress, as shown to users. */
export interface ProgressReport {
  report(fraction: number): void;
  /** Undefined once the source has been fetched. */
  reportFetching(progress: FetchedSoFar | undefined): void;
}

interface FetchedSoFar {
  readonly fetchedBytes: number;
  /** Undefined if the source does not report its size. */
  readonly totalBytes: number | undefined;
}

interface LeaseKeeper extends ProgressReport, AsyncDisposable {
  readonly signal: AbortSignal;
}

interface LeaseKeeperOptions {
  readonly leases: Pick<Client<typeof JobLeaseService>, 'renewLease'>;
  readonly lease: LeaseRef;
  readonly leaseMs: number;
  /** Reported with the renewals. */
  readonly use?: SourceUse | undefined;
  /** Absent: the end of a lease is noticed at the next renewal. */
  readonly watch?: LeaseWatch | undefined;
  readonly nowMs?: () => number;
}

/** Users do not need more frequent progress. */
const NEWS_INTERVAL_MS = 1_000;
/** Every chunk of a source changes the byte count, and every renewal writes to the job's row. */
const FETCHING_INTERVAL_MS = 5_000;
const RENEWALS_PER_LEASE = 3;
/** A renewal that hangs for longer would delay the one that reports a cancel. */
const MAX_RENEWAL_MS = 5_000;

export function keepLease({
  leases,
  lease,
  leaseMs,
  use,
  watch,
  nowMs = () => performance.now(),
}: LeaseKeeperOptions): LeaseKeeper {
  const lost = new AbortController();
  const renewEveryMs = Math.ceil(leaseMs / RENEWALS_PER_LEASE);
  let progressPercent = 0;
  let reportedPercent = 0;
  let fetching: FetchedSoFar | undefined;
  let reportedFetching: FetchedSoFar | undefined;
  let renewedAt = nowMs();
  let inFlight: Promise<void> | undefined;
  let triedAt = nowMs();
  let lastFailure: unknown;

  const renew = async () => {
    const percent = progressPercent;
    const fetched = fetching;
    const sentAt = nowMs();
    try {
      await leases.renewLease(
        {
          ...lease,
          progressPercent: percent,
          ...toProtoUse(use),
          ...(fetched === undefined ? {} : { fetching: toProtoFetching(fetched) }),
        },
        { timeoutMs: Math.min(renewEveryMs, MAX_RENEWAL_MS) },
      );
      renewedAt = sentAt;
      reportedPercent = percent;
      reportedFetching = fetched;
    } catch (error) {
      const loss = leaseLossOf(error);
      if (loss !== undefined) lost.abort(loss);
      lastFailure = error;
    }
  };

  const renewNow = () => {
    if (inFlight !== undefined || lost.signal.aborted) return;
    triedAt = nowMs();
    inFlight = renew().finally(() => {
      inFlight = undefined;
    });
  };

  const tick = setInterval(
    () => {
      const now = nowMs();
      if (now - renewedAt >= leaseMs) {
        lost.abort(
          new LeaseLostError(`no renewal of job ${lease.jobId} succeeded for ${leaseMs / 1000} s`, {
            cause: lastFailure,
          }),
        );
        return;
      }
      const sinceTriedMs = now - triedAt;
      const isDue = sinceTriedMs >= renewEveryMs;
      const hasNewPercent = progressPercent > reportedPercent && sinceTriedMs >= NEWS_INTERVAL_MS;
      const hasNewFetching = fetching !== reportedFetching && sinceTriedMs >= FETCHING_INTERVAL_MS;
      if (isDue || hasNewPercent || hasNewFetching) renewNow();
    },
    Math.min(250, renewEveryMs / 4),
  );
  const following = watch?.follow(lease, renewNow);

  return {
    signal: lost.signal,
    report(fraction) {
      progressPercent = Math.max(progressPercent, Math.min(99, Math.floor(fraction * 100)));
    },
    reportFetching(progress) {
      fetching = progress;
    },
    async [Symbol.asyncDispose]() {
      clearInterval(tick);
      following?.[Symbol.dispose]();
      await inFlight;
    },
  };
}

function toProtoFetching({ fetchedBytes, totalBytes }: FetchedSoFar) {
  return {
    fetchedBytes: BigInt(fetchedBytes),
    ...(totalBytes === undefined ? {} : { totalBytes: BigInt(totalBytes) }),
  };
}
