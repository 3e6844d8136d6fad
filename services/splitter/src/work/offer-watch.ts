/**
 * Polls for offers that no event brings in time. An offer found here is claimed as if its event had arrived; the
 * claim of the late event is rejected, and so is one of two workers that claim the same offer.
 *
 * - While there is room for another job: overdue offers, which no worker has claimed although their event has been
 *   published. Events queue in the partition of one worker. While that worker is busy they would wait although
 *   others are idle, and while the bus is down no event arrives.
 * - While long jobs hold all slots: offers of accounts of which no job runs. They take turns with the long jobs
 *   (shares/core-turns.ts). An idle worker has mostly claimed them before.
 */
import type { Logger } from '@audiosplit/chassis/process/log';
import type { Offer } from '@audiosplit/proto/jobs/v1/jobs';
import type { CallOptions } from '@connectrpc/connect';

interface OfferWatchOptions {
  readonly everyMs: number;
  /** The number of jobs that may be claimed now. */
  readonly room: () => number;
  readonly find: (
    request: { readonly limit: number },
    options: CallOptions,
  ) => Promise<{ readonly offers: readonly Offer[] }>;
  /** Acquires a turn and claims. */
  readonly take: (offer: Offer, signal: AbortSignal) => Promise<void>;
  readonly log: Logger;
}

export const OVERDUE_CHECK_INTERVAL_MS = 2_000;
/** A short job beside long ones waits half of it, on average. */
export const FIRST_CHECK_INTERVAL_MS = 25;
/** A pause is at least this many times as long as the search before, so searches slow no busy database. */
const PAUSE_RATIO = 10;
const CALL_TIMEOUT_MS = 2_000;
/** Also the longest pause after a slow search. */
const FAILURE_PAUSE_MS = 1_000;
/** The jobs service returns at most this many. */
const MAX_OFFERS = 100;

/** Disposing waits for the call and the claim in flight. */
export function watchOffers(options: OfferWatchOptions): AsyncDisposable {
  const { everyMs, room, find, take, log } = options;
  const over = new AbortController();
  let checking: Promise<void> | undefined;
  let timer: NodeJS.Timeout;

  /** Resolves with the pause before the next one. */
  const check = async (): Promise<number> => {
    const limit = Math.min(room(), MAX_OFFERS);
    if (limit === 0) return everyMs;
    const startedMs = performance.now();
    let tookMs = 0;
    try {
      const { offers } = await find({ limit }, { timeoutMs: CALL_TIMEOUT_MS });
      tookMs = performance.now() - startedMs;
      for (const offer of offers) {
        if (over.signal.aborted || room() === 0) break;
        await take(offer, over.signal);
      }
    } catch (error) {
      // Claims and renewals log failures of the jobs service.
      log.debug({ err: error }, 'offers could not be searched');
      return Math.max(everyMs, FAILURE_PAUSE_MS);
    }
    return Math.max(everyMs, Math.min(tookMs * PAUSE_RATIO, FAILURE_PAUSE_MS));
  };
  const scheduleCheck = (pauseMs: number) => {
    timer = setTimeout(() => {
      checking = check().then((nextPauseMs) => {
        if (!over.signal.aborted) scheduleCheck(nextPauseMs);
      });
    }, pauseMs);
  };

  scheduleCheck(everyMs);
  return {
    async [Symbol.asyncDispose]() {
      over.abort();
      clearTimeout(timer);
      await checking;
    },
  };
}
