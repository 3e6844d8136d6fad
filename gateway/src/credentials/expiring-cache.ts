import type { Clock } from '@audiosplit/chassis/clock';

export interface ExpiringCacheOptions<V> {
  readonly ttlMs: number;
  readonly maxEntries: number;
  readonly clock: Clock;
  readonly load: (key: string) => Promise<V>;
}

/**
 * Remembers what `load` gave, per key, for `ttlMs` from the moment the load began: an answer is never used
 * past the time at which its source was asked plus `ttlMs`, however slow the source. Callers that ask at
 * once share one load. Failures are not kept; when full, the oldest entry goes.
 */
export function createExpiringCache<V>(options: ExpiringCacheOptions<V>): (key: string) => Promise<V> {
  const entries = new Map<string, { readonly value: Promise<V>; readonly expiresAtMs: number }>();
  return (key) => {
    const nowMs = options.clock().getTime();
    const known = entries.get(key);
    if (known !== undefined && nowMs < known.expiresAtMs) return known.value;

    const entry = { value: options.load(key), expiresAtMs: nowMs + options.ttlMs };
    // Re-inserting moves the key to the end, which keeps the map in order of age.
    entries.delete(key);
    for (const oldest of entries.keys()) {
      if (entries.size < options.maxEntries) break;
      entries.delete(oldest);
    }
    entries.set(key, entry);
    entry.value.catch(() => {
      if (entries.get(key) === entry) entries.delete(key);
    });
    return entry.value;
  };
}
