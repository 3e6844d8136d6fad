/**
 * The attempts that this replica makes at the same time. An attempt mostly waits for its receiver, so it takes no slot of
 * the scheduled work and no database connection; a place bounds the memory and sockets of all.
 *
 * Where all places are taken, an account that has none gets the place of the newest attempt of the account that has most.
 * That attempt is aborted, does not count, and its delivery is made later.
 */

export interface AttemptPlaces {
  /** Undefined where the account has its share, and where all places are taken. */
  take(accountId: string): Place | undefined;
  /** Whether all places are taken, and the account has none of them. */
  isLeftOut(accountId: string): boolean;
  /** `onPlace` gets the next place for an account that is left out. Another account may lose an attempt for it. */
  lineUp(accountId: string): void;
  taken(): number;
  /** Work that `drain` waits for. */
  track(work: Promise<void>): void;
  /** Gives no more places. Lets the attempts end by themselves for `graceMs`, then aborts them. */
  drain(graceMs: number): Promise<void>;
}

/** Disposing it frees the place; doing so again does nothing. */
export interface Place extends Disposable {
  /** Aborts when the place is needed, or the process stops. */
  readonly signal: AbortSignal;
}

interface AttemptPlacesOptions {
  readonly limit: number;
  readonly perAccount: number;
  readonly onPlace: (accountId: string, place: Place) => void;
}

interface HeldPlace {
  readonly controller: AbortController;
  /** Aborted for an account in line. */
  isYielding: boolean;
}

export function createAttemptPlaces({ limit, perAccount, onPlace }: AttemptPlacesOptions): AttemptPlaces {
  /** By account; the newest last. */
  const held = new Map<string, Set<HeldPlace>>();
  const line = new Set<string>();
  const tracked = new Set<Promise<void>>();
  let taken = 0;
  let yielding = 0;
  let isClosed = false;

  const give = (accountId: string): Place => {
    const place: HeldPlace = { controller: new AbortController(), isYielding: false };
    const own = held.get(accountId) ?? new Set();
    held.set(accountId, own.add(place));
    taken += 1;
    return {
      signal: place.controller.signal,
      [Symbol.dispose]() {
        if (!own.delete(place)) return;
        if (own.size === 0) held.delete(accountId);
        taken -= 1;
        if (place.isYielding) yielding -= 1;
        serveLine();
      },
    };
  };

  const serveLine = () => {
    const [next] = line;
    if (next === undefined || isClosed || taken >= limit) return;
    line.delete(next);
    onPlace(next, give(next));
  };

  /** Aborts an attempt for each account in line, while some account has more than one. */
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
      return isClosed || own >= perAccount || taken >= limit ? undefined : give(accountId);
    },
    isLeftOut: (accountId) => !isClosed && taken >= limit && !held.has(accountId),
    lineUp(accountId) {
      if (isClosed) return;
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
