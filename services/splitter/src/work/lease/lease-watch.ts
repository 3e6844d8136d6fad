/**
 * Checks whether the leases of this process still hold, in one call for all of them. A cancel is noticed
 * within `everyMs`, even if the job makes no progress or the event bus is down. Unlike a renewal, a check
 * costs no write.
 *
 * It only triggers a renewal: the lease holder learns the reason from the renewal's error. A call that fails
 * is repeated at the next check; the leases expire if no renewal succeeds either.
 */
import type { JobLeaseService } from '@audiosplit/proto/jobs/v1/jobs';
import type { Client } from '@connectrpc/connect';
import type { LeaseRef } from './lease.ts';

/** Disposing ends the checks and waits for the one in flight. */
export interface LeaseWatch extends AsyncDisposable {
  /** Calls `onLeaseLost` at every check that finds the lease over. Disposing ends that. */
  follow(lease: LeaseRef, onLeaseLost: () => void): Disposable;
}

interface LeaseWatchOptions {
  readonly leases: Pick<Client<typeof JobLeaseService>, 'checkLeases'>;
  readonly everyMs?: number | undefined;
}

/**
 * A cancel must stop the work within 2 s. This is a quarter of them; the rest is for the call and for ending
 * the work.
 */
const CHECK_INTERVAL_MS = 500;
const CALL_TIMEOUT_MS = 1_000;

export function createLeaseWatch({ leases, everyMs = CHECK_INTERVAL_MS }: LeaseWatchOptions): LeaseWatch {
  const followed = new Map<string, { readonly lease: LeaseRef; readonly onLeaseLost: () => void }>();
  let timer: NodeJS.Timeout | undefined;
  let checking: Promise<void> | undefined;

  const check = async () => {
    timer = undefined;
    if (followed.size === 0) return;
    try {
      const held = [...followed.values()].map(({ lease }) => lease);
      const { over } = await leases.checkLeases({ leases: held }, { timeoutMs: CALL_TIMEOUT_MS });
      for (const lease of over) followed.get(keyOf(lease))?.onLeaseLost();
    } catch {
      // Renewals use the same service: they log the failure and end the attempt.
    }
  };
  const scheduleCheck = () => {
    if (timer !== undefined || checking !== undefined || followed.size === 0) return;
    timer = setTimeout(() => {
      checking = check().finally(() => {
        checking = undefined;
        scheduleCheck();
      });
    }, everyMs);
  };

  return {
    follow(lease, onLeaseLost) {
      const key = keyOf(lease);
      followed.set(key, { lease, onLeaseLost });
      scheduleCheck();
      return {
        [Symbol.dispose]() {
          followed.delete(key);
        },
      };
    },
    async [Symbol.asyncDispose]() {
      followed.clear();
      clearTimeout(timer);
      await checking;
    },
  };
}

function keyOf({ jobId, part, fence }: LeaseRef): string {
  return `${jobId}/${part ?? ''}/${fence}`;
}
