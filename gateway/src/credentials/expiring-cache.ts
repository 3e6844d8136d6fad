/**
 * Caches the result of `load` per key for `ttlMs`, counted from the start of the load, however slow the load is.
 * Concurrent callers share one load. Failures are not cached. When full, one of the oldest entries is dropped.
 *
 * A key that is read in the last third of its time is renewed in the background; the caller gets the cached value.
 * Without that, one caller in every `ttlMs` would wait for the load, and all concurrent ones with it. It costs up to
 * half as many loads again, and twice as many for a key that is read every 0.7 to 1 `ttlMs`.
 *
 * - A renewal that is refused drops the entry.
 * - A renewal that fails otherwise leaves the entry until it expires, and the next caller tries again.
 * - A renewal that is still running when the entry expires is awaited like any load.
 */
import type { Clock } from '@audiosplit/chassis/clock';
import { withoutSpans } from '@audiosplit/chassis/observability/spans';

interface ExpiringCacheOptions<V> {
  readonly ttlMs: number;
  readonly maxEntries: number;
  readonly clock: Clock;
  readonly load: (key: string) => Promise<V>;
  /** Whether an error of `load` is a decision about the key, and not an outage of the source. */
  readonly isRefusal: (error: unknown) => boolean;
}

export interface ExpiringCache<V> {
  get(key: string): Promise<V>;
  /** Drops stale entries before they expire, and all pending loads, as their result may be stale. */
  forget(isStale: (value: V) => boolean): void;
}

interface Entry<V> {
  readonly value: Promise<V>;
  readonly askedAtMs: number;
  /** Undefined while loading. */
  loaded?: V;
  /** The load that will replace this entry. */
  renewal?: Entry<V>;
}

/** Share of the lifetime after which a read renews the entry. The rest is the time for the load. */
const RENEWED_FROM = 2 / 3;

export function createExpiringCache<V>(options: ExpiringCacheOptions<V>): ExpiringCache<V> {
  const { ttlMs, maxEntries, clock, load, isRefusal } = options;
  const entries = new Map<string, Entry<V>>();

  const put = (key: string, entry: Entry<V>) => {
    // Re-inserting moves the key to the end, which keeps the map roughly in order of age.
    entries.delete(key);
    for (const oldest of entries.keys()) {
      if (entries.size < maxEntries) break;
      entries.delete(oldest);
    }
    entries.set(key, entry);
  };

  const ask = (key: string, nowMs: number): Entry<V> => {
    const entry: Entry<V> = { value: load(key), askedAtMs: nowMs };
    entry.value.then(
      (value) => {
        entry.loaded = value;
        if (entries.get(key)?.renewal === entry) put(key, entry);
      },
      (error) => {
        const current = entries.get(key);
        if (current === entry) entries.delete(key);
        if (current?.renewal !== entry) return;
        if (isRefusal(error)) entries.delete(key);
        else delete current.renewal;
      },
    );
    return entry;
  };

  return {
    get(key) {
      const nowMs = clock().getTime();
      const known = entries.get(key);
      if (known !== undefined && isYoung(known, ttlMs, nowMs)) {
        const isDue = known.loaded !== undefined && !isYoung(known, ttlMs * RENEWED_FROM, nowMs);
        // The renewal is not part of the trace of the request that starts it.
        if (isDue) known.renewal ??= withoutSpans(() => ask(key, nowMs));
        return known.value;
      }
      const renewal = known?.renewal;
      if (renewal !== undefined && isYoung(renewal, ttlMs, nowMs)) return renewal.value;
      const entry = ask(key, nowMs);
      put(key, entry);
      return entry.value;
    },
    forget(isStale) {
      for (const [key, entry] of entries) {
        if (entry.loaded === undefined || isStale(entry.loaded)) entries.delete(key);
        else delete entry.renewal;
      }
    },
  };
}

/** If the clock was set back, the age is unknown, so the entry counts as expired. */
function isYoung({ askedAtMs }: Entry<unknown>, limitMs: number, nowMs: number): boolean {
  const ageMs = nowMs - askedAtMs;
  return ageMs >= 0 && ageMs < limitMs;
}
