/**
 * Places for requests to another service that identify callers of suspect addresses: those of whose window calls
 * are used. An address has one at a time, and all share a few, each of which stays taken for a while after its
 * use. So a flood from many addresses, each within its window, occupies that service for little of its time.
 *
 * Calls that wait hold a connection and a request, so their number and their time are bounded too. When too many
 * wait, the address with the most loses its newest one.
 */
import { createKeyedSemaphore } from '@audiosplit/chassis/keyed-semaphore';
import { createSemaphore } from '@audiosplit/chassis/semaphore';

const PAUSE_MS = 50;
export const MAX_SUSPECT_WAIT_MS = 3_000;
/** Less than load shedding admits while the event loop is late. */
export const MAX_WAITING_SUSPECTS = 200;

export interface SuspectPlaces {
  readonly taken: number;
  /** Waits for the address's turn. Undefined if too many wait, or after waiting for too long. */
  enter(address: string): Promise<SuspectTurn | undefined>;
}

/** Disposing it ends the turn, and releases the place if one was taken. */
export interface SuspectTurn extends Disposable {
  /** False after waiting for too long, counted from the beginning. */
  takePlace(): Promise<boolean>;
}

export function createSuspectPlaces(limit: number): SuspectPlaces {
  const ofAddresses = createKeyedSemaphore(1);
  const shared = createSemaphore(limit);
  /** The newest last. */
  const waits = new Map<string, Set<AbortController>>();

  const count = () => waits.values().reduce((sum, { size }) => sum + size, 0);

  const makeRoomFor = (address: string): boolean => {
    if (count() < MAX_WAITING_SUSPECTS) return true;
    const [greediest, own] = [...waits].reduce((one, other) => (other[1].size > one[1].size ? other : one));
    if (own.size <= (waits.get(address)?.size ?? 0) + 1 || greediest === address) return false;
    [...own].at(-1)?.abort();
    return true;
  };

  /** Resolves with undefined if the wait is given up. */
  const wait = async (
    address: string,
    signal: AbortSignal,
    acquire: (signal: AbortSignal) => Promise<Disposable>,
  ): Promise<Disposable | undefined> => {
    if (!makeRoomFor(address)) return undefined;
    const leaving = new AbortController();
    const own = waits.get(address) ?? new Set();
    waits.set(address, own.add(leaving));
    const given = AbortSignal.any([signal, leaving.signal]);
    try {
      return await acquire(given);
    } catch (error) {
      if (given.aborted) return undefined;
      throw error;
    } finally {
      own.delete(leaving);
      if (own.size === 0) waits.delete(address);
    }
  };

  return {
    get taken() {
      return limit - shared.free();
    },
    async enter(address) {
      const signal = AbortSignal.timeout(MAX_SUSPECT_WAIT_MS);
      const turn = await wait(address, signal, (given) => ofAddresses.acquire(address, given));
      if (turn === undefined) return undefined;
      const held = new DisposableStack();
      held.use(turn);
      return {
        async takePlace() {
          const place = await wait(address, signal, (given) => shared.acquire(given));
          if (place === undefined) return false;
          held.defer(() => void setTimeout(() => place[Symbol.dispose](), PAUSE_MS).unref());
          return true;
        },
        [Symbol.dispose]: () => held.dispose(),
      };
    },
  };
}
