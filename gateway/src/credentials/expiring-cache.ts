/**
 * Remembers what `load` gave, per key, for `ttlMs` from the moment the load began: an answer is never used past the time
 * at which its source was asked plus `ttlMs`, however slow the source. Callers that ask at once share one load. Failures
 * are not kept; when full, the oldest entry goes.
 *
 * A key in steady use is renewed ahead of that time: whoever asks for what is older than RENEWED_FROM of it is answered at
 * once, and sets off the load that those who come later are answered from. Without, one caller in every `ttlMs` waits for the
 * source, and all that come meanwhile: at a hundred calls a second that is what their 99th percentile consists of. A key that is
 * asked for less often than that costs no more loads than without, or one that nobody has needed.
 *
 * - A renewal that fails ends what it was to renew, so a refusal is in force as soon as it is known.
 * - One that has not come by the end is waited for, as the load that it is.
 */
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
  /** What is to take its place once loaded. */
  renewal?: Entry<V>;
}

/** Share of an answer's time after which it is renewed: what is left of it is for the source to answer in. */
const RENEWED_FROM = 2 / 3;

export function createExpiringCache<V>(options: ExpiringCacheOptions<V>): ExpiringCache<V> {
  const { ttlMs, maxEntries, clock, load } = options;
  const entries = new Map<string, Entry<V>>();

  const put = (key: string, entry: Entry<V>) => {
    // Re-inserting moves the key to the end, which keeps the map in order of age.
    entries.delete(key);
    for (const oldest of entries.keys()) {
      if (entries.size < maxEntries) break;
      entries.delete(oldest);
    }
    entries.set(key, entry);
  };

  const ask = (key: string, nowMs: number): Entry<V> => {
    const entry: Entry<V> = { value: load(key), askedAtMs: nowMs };
    const isCurrent = () => entries.get(key) === entry;
    const isRenewal = () => entries.get(key)?.renewal === entry;
    entry.value.then(
      (value) => {
        entry.loaded = value;
        if (isRenewal()) put(key, entry);
      },
      () => {
        if (isCurrent() || isRenewal()) entries.delete(key);
      },
    );
    return entry;
  };

  return {
    get(key) {
      const nowMs = clock().getTime();
      const known = entries.get(key);
      const ageMs = known === undefined ? undefined : nowMs - known.askedAtMs;
      if (known !== undefined && isWithin(ageMs, ttlMs)) {
        const isDue = known.loaded !== undefined && !isWithin(ageMs, ttlMs * RENEWED_FROM);
        if (isDue) known.renewal ??= ask(key, nowMs);
        return known.value;
      }
      const renewal = known?.renewal;
      if (renewal !== undefined && isWithin(nowMs - renewal.askedAtMs, ttlMs)) return renewal.value;
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

/** A clock that was put back tells nothing of an entry's age. */
function isWithin(ageMs: number | undefined, limitMs: number): boolean {
  return ageMs !== undefined && ageMs >= 0 && ageMs < limitMs;
}
