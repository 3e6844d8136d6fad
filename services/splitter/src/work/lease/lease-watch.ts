/**
 * Asks whether the leases of this process still hold: one question for all of them together, and none while there is no
 * lease. A cancel is thus heard of within `everyMs`, whether or not the job makes progress and whatever the event bus
 * does, and costs no write as earlier renewals would.
 *
 * It only triggers a renewal: who holds the lease asks by a renewal, whose refusal tells why. A question that fails is asked again at
 * the next turn; meanwhile the leases run on, and out if nothing at all gets through.
 */
import type { JobLeaseService } from '@audiosplit/proto/jobs/v1/jobs';
import type { Client } from '@connectrpc/connect';
import type { LeaseRef } from './lease.ts';

/** Disposing waits for the question that is on its way; nothing is asked any more. */
export interface LeaseWatch extends AsyncDisposable {
  /** Calls `onLeaseLost` at every turn at which the lease is found to be over. Disposing ends that. */
  follow(lease: LeaseRef, onLeaseLost: () => void): Disposable;
}

export interface LeaseWatchOptions {
  readonly leases: Pick<Client<typeof JobLeaseService>, 'checkLeases'>;
  readonly everyMs?: number;
}

/** Of the 2 s within which a cancel stops the work a quarter; the rest is for the call and for the work to end. */
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
      // The renewals, which go to the same service, tell the log and end what has to end.
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
