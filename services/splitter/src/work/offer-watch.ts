/**
 * Polls for overdue offers while there is room for another job: offers that no worker has claimed although
 * their event has been published.
 *
 * Events queue in the partition of one worker. While that worker is busy they would wait although others are
 * idle, and while the bus is down no event arrives. An offer found here is claimed as if its event had
 * arrived; the claim of the late event is rejected, and so is one of two workers that claim the same offer.
 */
import type { Logger } from '@audiosplit/chassis/process/log';
import type { JobLeaseService, Offer } from '@audiosplit/proto/jobs/v1/jobs';
import type { Client } from '@connectrpc/connect';

interface OfferWatchOptions {
  readonly leases: Pick<Client<typeof JobLeaseService>, 'findOverdueOffers'>;
  readonly everyMs?: number;
  readonly room: () => number;
  /** Acquires a turn and claims. */
  readonly take: (offer: Offer, signal: AbortSignal) => Promise<void>;
  readonly log: Logger;
}

const CHECK_INTERVAL_MS = 2_000;
const CALL_TIMEOUT_MS = 2_000;
/** The jobs service returns at most this many. */
const MAX_OFFERS = 100;

/** Disposing waits for the call and the claim in flight. */
export function watchOffers(options: OfferWatchOptions): AsyncDisposable {
  const { leases, everyMs = CHECK_INTERVAL_MS, room, take, log } = options;
  const over = new AbortController();
  let checking: Promise<void> | undefined;
  let timer: NodeJS.Timeout;

  const check = async () => {
    const limit = Math.min(room(), MAX_OFFERS);
    if (limit === 0) return;
    try {
      const { offers } = await leases.findOverdueOffers({ limit }, { timeoutMs: CALL_TIMEOUT_MS });
      for (const offer of offers) {
        if (over.signal.aborted || room() === 0) return;
        await take(offer, over.signal);
      }
    } catch (error) {
      // Claims and renewals log failures of the jobs service.
      log.debug({ err: error }, 'overdue offers could not be searched');
    }
  };
  const scheduleCheck = () => {
    timer = setTimeout(() => {
      checking = check().finally(() => {
        if (!over.signal.aborted) scheduleCheck();
      });
    }, everyMs);
  };

  scheduleCheck();
  return {
    async [Symbol.asyncDispose]() {
      over.abort();
      clearTimeout(timer);
      await checking;
    },
  };
}
