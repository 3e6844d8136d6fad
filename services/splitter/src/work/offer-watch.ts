/**
 * Looks for offers that no event has brought to anybody, while there is a free slot.
 *
 * Events wait behind one another in the partition of one worker. Where that is busy for an hour, so would they, though
 * other workers are idle; and while the bus is away none comes at all. What is found is claimed as if its event had come;
 * the event itself is then refused by the claim. Two that look at once may race for the same offer, and one of them is
 * refused.
 */
import type { Logger } from '@audiosplit/chassis/process/log';
import type { JobLeaseService, Offer } from '@audiosplit/proto/jobs/v1/jobs';
import type { Client } from '@connectrpc/connect';

export interface OfferWatchOptions {
  readonly leases: Pick<Client<typeof JobLeaseService>, 'findOverdueOffers'>;
  readonly everyMs?: number;
  readonly freeSlots: () => number;
  /** Takes a slot and claims. */
  readonly take: (offer: Offer, signal: AbortSignal) => Promise<void>;
  readonly log: Logger;
}

const CHECK_INTERVAL_MS = 2_000;
const CALL_TIMEOUT_MS = 2_000;
/** That jobs takes at once. */
const MAX_OFFERS = 100;

/** Disposing waits for the look and the claim that are under way. */
export function watchOffers(options: OfferWatchOptions): AsyncDisposable {
  const { leases, everyMs = CHECK_INTERVAL_MS, freeSlots, take, log } = options;
  const over = new AbortController();
  let checking: Promise<void> | undefined;
  let timer: NodeJS.Timeout;

  const check = async () => {
    const limit = Math.min(freeSlots(), MAX_OFFERS);
    if (limit === 0) return;
    try {
      const { offers } = await leases.findOverdueOffers({ limit }, { timeoutMs: CALL_TIMEOUT_MS });
      for (const offer of offers) {
        if (over.signal.aborted || freeSlots() === 0) return;
        await take(offer, over.signal);
      }
    } catch (error) {
      // Whatever is wrong with the jobs service is told by the claims and renewals of whoever works.
      log.debug({ err: error }, 'no look for overdue offers');
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
