/**
 * Places for requests to another service that identify callers of suspect addresses: those of whose window calls
 * are used. An address has one at a time, and all share a few, each of which stays taken for a while after its
 * use. So a flood from many addresses, each within its window, occupies that service for little of its time.
 *
 * Calls that wait hold a connection and a request, so their number and their time are bounded too.
 */
import { createKeyedSemaphore } from '@audiosplit/chassis/keyed-semaphore';
import { createSemaphore } from '@audiosplit/chassis/semaphore';

const PAUSE_MS = 50;
const MAX_WAIT_MS = 3_000;
/** Less than load shedding admits while the event loop is late. */
const MAX_WAITING = 200;

export interface SuspectPlaces {
  readonly taken: number;
  /** Undefined if too many wait, or after waiting for too long. */
  take(address: string): Promise<Disposable | undefined>;
}

export function createSuspectPlaces(limit: number): SuspectPlaces {
  const ofAddresses = createKeyedSemaphore(1);
  const shared = createSemaphore(limit);
  let waiting = 0;
  return {
    get taken() {
      return limit - shared.free();
    },
    async take(address) {
      if (waiting >= MAX_WAITING) return undefined;
      waiting += 1;
      const signal = AbortSignal.timeout(MAX_WAIT_MS);
      using taking = new DisposableStack();
      try {
        taking.use(await ofAddresses.acquire(address, signal));
        const place = await shared.acquire(signal);
        taking.defer(() => void setTimeout(() => place[Symbol.dispose](), PAUSE_MS).unref());
        return taking.move();
      } catch (error) {
        if (signal.aborted) return undefined;
        throw error;
      } finally {
        waiting -= 1;
      }
    },
  };
}
