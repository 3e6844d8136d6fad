import type { Clock } from '@audiosplit/chassis/clock';

export interface ExpiringCacheOptions<V> {
  readonly ttlMs: number;
  readonly maxEntries: number;
  readonly clock: Clock;
  readonly load: (key: string) => Promise<V>;
}

export interface ExpiringCache<V> {
  get(key: string): Promise<V>;
  /** Drops what is stale before its time, and what is only being loaded, as it may turn out to be. */
  forget(isStale: (value: V) => boolean): void;
}

interface Entry<V> {
  readonly value: Promise<V>;
  readonly askedAtMs: number;
  /** Once loaded. */
  loaded?: V;
}

/**
 * Remembers what `load` gave, per key, for `ttlMs` from the moment the load began: an answer is never used
 * past the time at which its source was asked plus `ttlMs`, however slow the source. Callers that ask at
 * once share one load. Failures are not kept; when full, the oldest entry goes.
 */
export function createExpiringCache<V>(options: ExpiringCacheOptions<V>): ExpiringCache<V> {
  const entries = new Map<string, Entry<V>>();
  const get = (key: string): Promise<V> => {
    const nowMs = options.clock().getTime();
    const known = entries.get(key);
    if (known !== undefined && isWithin(nowMs - known.askedAtMs, options.ttlMs)) return known.value;

    const entry: Entry<V> = { value: options.load(key), askedAtMs: nowMs };
    // Re-inserting moves the key to the end, which keeps the map in order of age.
    entries.delete(key);
    for (const oldest of entries.keys()) {
      if (entries.size < options.maxEntries) break;
      entries.delete(oldest);
    }
    entries.set(key, entry);
    entry.value.then(
      (value) => {
        entry.loaded = value;
      },
      () => {
        if (entries.get(key) === entry) entries.delete(key);
      },
    );
    return entry.value;
  };
  return {
    get,
    forget(isStale) {
      for (const [key, { loaded }] of entries) {
        if (loaded === undefined || isStale(loaded)) entries.delete(key);
      }
    },
  };
}

/** A clock that was put back tells nothing of an entry's age. */
function isWithin(ageMs: number, ttlMs: number): boolean {
  return ageMs >= 0 && ageMs < ttlMs;
}
