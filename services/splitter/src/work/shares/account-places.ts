/**
 * Slots that accounts share. Each account has a queue; the next slot goes to the account that holds the
 * fewest and, among equals, to the one that has waited longest for a turn.
 *
 * If slots can be taken away, an account below its share does not wait: the account that holds the most loses
 * its newest slot. A share is the number of slots divided by the accounts that want one, at least 1.
 */

export interface AccountPlaces {
  /** `isFirst`: enters at the head of the account's queue. Rejects with the signal's reason. */
  enter(accountId: string, signal: AbortSignal, isFirst?: boolean): Promise<Place>;
  /** Takes a slot only if one is free and no account waits. */
  enterIfFree(accountId: string): Place | undefined;
  /** Takes a slot at once, even if none is free. The next one that is released goes to no account then. */
  enterBeside(accountId: string): Place;
  taken(): number;
  waiting(): number;
  /** Whether an account waits that holds fewer slots than this one. */
  isWantedFrom(accountId: string): boolean;
}

/** Disposing it releases the slot. Doing so again, or after it was taken away, has no effect. */
export interface Place extends Disposable {
  /** Aborts when the slot is given to another account. It is no longer held then. */
  readonly setAside: AbortSignal;
}

interface AccountPlacesOptions {
  readonly limit: number;
  /** Called for each slot that is taken away; absent: none is. */
  readonly onSetAside?: () => void;
}

type Waiter = (place: Place) => void;

export function createAccountPlaces({ limit, onSetAside }: AccountPlacesOptions): AccountPlaces {
  /** Slots by account; the newest last. */
  const held = new Map<string, Set<AbortController>>();
  /** Queues by account; the account with the longest wait for a turn first. */
  const lines = new Map<string, Waiter[]>();
  let taken = 0;

  const heldBy = (accountId: string) => held.get(accountId)?.size ?? 0;

  const free = (accountId: string, own: Set<AbortController>, place: AbortController): boolean => {
    if (!own.delete(place)) return false;
    if (own.size === 0) held.delete(accountId);
    taken -= 1;
    return true;
  };

  const give = (accountId: string): Place => {
    const place = new AbortController();
    const own = held.getOrInsertComputed(accountId, () => new Set());
    own.add(place);
    taken += 1;
    return {
      setAside: place.signal,
      [Symbol.dispose]() {
        if (free(accountId, own, place)) serve();
      },
    };
  };

  const next = (): string | undefined => {
    let chosen: string | undefined;
    for (const accountId of lines.keys()) {
      if (chosen === undefined || heldBy(accountId) < heldBy(chosen)) chosen = accountId;
    }
    return chosen;
  };

  const serve = (): void => {
    for (let accountId = next(); accountId !== undefined; accountId = next()) {
      if (taken >= limit && !makeRoomFor(accountId)) return;
      const line = lines.get(accountId) ?? [];
      const waiter = line.shift();
      lines.delete(accountId);
      if (line.length > 0) lines.set(accountId, line);
      waiter?.(give(accountId));
    }
  };

  const makeRoomFor = (accountId: string): boolean => {
    if (onSetAside === undefined) return false;
    const accounts = new Set([...held.keys(), ...lines.keys()]).size;
    const share = Math.max(1, Math.floor(limit / accounts));
    if (heldBy(accountId) >= share) return false;
    const [greediest, places] = [...held].reduce((one, other) => (other[1].size > one[1].size ? other : one));
    const newest = [...places].at(-1);
    if (places.size <= share || newest === undefined) return false;
    free(greediest, places, newest);
    onSetAside();
    newest.abort(new Error('the place was set aside'));
    return true;
  };

  return {
    enter(accountId, signal, isFirst = false) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const line = lines.getOrInsertComputed(accountId, () => []);
        const onAbort = () => {
          const own = lines.get(accountId) ?? [];
          own.splice(own.indexOf(waiter), 1);
          if (own.length === 0) lines.delete(accountId);
          reject(signal.reason);
        };
        const waiter: Waiter = (place) => {
          signal.removeEventListener('abort', onAbort);
          resolve(place);
        };
        signal.addEventListener('abort', onAbort, { once: true });
        if (isFirst) line.unshift(waiter);
        else line.push(waiter);
        serve();
      });
    },
    enterIfFree: (accountId) => (taken < limit && lines.size === 0 ? give(accountId) : undefined),
    enterBeside: give,
    taken: () => taken,
    waiting: () => [...lines.values()].reduce((sum, { length }) => sum + length, 0),
    isWantedFrom: (accountId) => lines.keys().some((each) => heldBy(each) < heldBy(accountId)),
  };
}
