/**
 * The concurrent attempts of this replica. An attempt mostly waits for its receiver, so it uses no slot of
 * the scheduled work and no database connection; this limit bounds the memory and sockets of all attempts.
 *
 * If all places are taken, an account without one gets the place of the newest attempt of the account with
 * the most. That attempt is aborted and does not count, and its delivery is attempted later.
 */

export interface AttemptPlaces {
  /**
   * Undefined if the account has its share and all places are taken. The account is then recorded as refused.
   */
  take(accountId: string): Place | undefined;
  /** Whether all places are taken and the account has none of them. */
  isLeftOut(accountId: string): boolean;
  /**
   * `onPlace` receives the next place for an account without one. Another account may lose an attempt for it.
   * Does nothing if the account has got a place meanwhile.
   */
  lineUp(accountId: string): void;
  taken(): number;
  /** Work that `drain` waits for. */
  track(work: Promise<void>): void;
  /** Gives out no more places. Lets the attempts end by themselves for `graceMs`, then aborts them. */
  drain(graceMs: number): Promise<void>;
}

/** Disposing it releases the place; doing so again has no effect. */
export interface Place extends Disposable {
  /** Aborts when another account needs the place, or the process stops. */
  readonly signal: AbortSignal;
  /**
   * Releases a place that no attempt used. Returns the accounts that were refused a place while they had
   * others: none of their attempts has ended now, so nothing else wakes them.
   */
  returnUnused(): readonly string[];
}

interface AttemptPlacesOptions {
  readonly limit: number;
  readonly perAccount: number;
  readonly onPlace: (accountId: string, place: Place) => void;
}

interface HeldPlace {
  readonly controller: AbortController;
  /** Set when it is aborted for a waiting account. */
  isYielding: boolean;
}

export function createAttemptPlaces({ limit, perAccount, onPlace }: AttemptPlacesOptions): AttemptPlaces {
  /** Places by account; the newest last. */
  const held = new Map<string, Set<HeldPlace>>();
  const line = new Set<string>();
  const refused = new Set<string>();
  const tracked = new Set<Promise<void>>();
  let taken = 0;
  let yielding = 0;
  let isClosed = false;

  const give = (accountId: string): Place => {
    const place: HeldPlace = { controller: new AbortController(), isYielding: false };
    const own = held.get(accountId) ?? new Set();
    held.set(accountId, own.add(place));
    taken += 1;
    const free = () => {
      if (!own.delete(place)) return;
      if (own.size === 0) held.delete(accountId);
      taken -= 1;
      if (place.isYielding) yielding -= 1;
      serveLine();
    };
    return {
      signal: place.controller.signal,
      [Symbol.dispose]: free,
      returnUnused() {
        free();
        const waiting = [...refused];
        refused.clear();
        return waiting;
      },
    };
  };

  const serveLine = () => {
    const [next] = line;
    if (next === undefined || isClosed || taken >= limit) return;
    line.delete(next);
    onPlace(next, give(next));
  };

  /** Aborts an attempt for each waiting account, while some account has more than one. */
  const makeRoom = () => {
    while (yielding < line.size) {
      const staying = [...held.values()].map((places) => [...places].filter((place) => !place.isYielding));
      const most = staying.reduce((one, other) => (other.length > one.length ? other : one), []);
      const newest = most.at(-1);
      if (newest === undefined || most.length < 2) return;
      newest.isYielding = true;
      yielding += 1;
      newest.controller.abort();
    }
  };

  return {
    take(accountId) {
      const own = held.get(accountId)?.size ?? 0;
      if (!isClosed && own < perAccount && taken < limit) return give(accountId);
      refused.add(accountId);
      return undefined;
    },
    isLeftOut: (accountId) => !isClosed && taken >= limit && !held.has(accountId),
    lineUp(accountId) {
      if (isClosed || held.has(accountId)) return;
      line.add(accountId);
      serveLine();
      makeRoom();
    },
    taken: () => taken,
    track(work) {
      tracked.add(work);
      void work.finally(() => tracked.delete(work));
    },
    async drain(graceMs) {
      isClosed = true;
      const abortAll = () => {
        for (const places of held.values()) for (const { controller } of places) controller.abort();
      };
      const grace = setTimeout(abortAll, graceMs);
      while (tracked.size > 0) await Promise.all(tracked);
      clearTimeout(grace);
    },
  };
}
