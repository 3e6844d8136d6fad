/**
 * Remembers what `load` gave, per key, for `ttlMs` from the moment the load began: an answer is never used past the time
 * at which its source was asked plus `ttlMs`, however slow the source. Callers that ask at once share one load. Failures
 * are not kept; when full, one of the oldest entries goes.
 *
 * A key in steady use, asked for at least once in the last third of that time, is renewed ahead: the caller is answered
 * at once from what is known, and sets off the load from which later ones are answered. Otherwise one caller in every `ttlMs`
 * would wait for the source, and with it all that come meanwhile; at a hundred calls a second those are the slowest hundredth.
 * It costs half as many loads again, twice as many for a key whose calls are 0.7 to 1 times `ttlMs` apart.
 *
 * - A renewal that is refused ends what it was to renew, as the refusal is known now.
 * - One that fails otherwise says nothing of the key: what is known holds until its time, and the next caller tries again.
 * - One that has not come by the end of that time is waited for, as the load that it is.
 */
import type { Clock } from '@audiosplit/chassis/clock';
import { withoutSpans } from '@audiosplit/chassis/observability/spans';

export interface ExpiringCacheOptions<V> {
  readonly ttlMs: number;
  readonly maxEntries: number;
  readonly clock: Clock;
  readonly load: (key: string) => Promise<V>;
  /** Whether a failure of `load` is the source's word on the key, and not that it is away. */
  readonly isRefusal: (error: unknown) => boolean;
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

/** Share of an answer's time: what is left of it is for the source to answer in. */
const RENEWED_FROM = 2 / 3;

export function createExpiringCache<V>(options: ExpiringCacheOptions<V>): ExpiringCache<V> {
  const { ttlMs, maxEntries, clock, load, isRefusal } = options;
  const entries = new Map<string, Entry<V>>();

  const put = (key: string, entry: Entry<V>) => {
    // Re-inserting moves the key to the end, which keeps the map about in order of age.
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
        // The request that sets it off does not wait for it, so it is no part of that one's trace.
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

/** A clock that was put back tells nothing of an entry's age. */
function isYoung({ askedAtMs }: Entry<unknown>, limitMs: number, nowMs: number): boolean {
  const ageMs = nowMs - askedAtMs;
  return ageMs >= 0 && ageMs < limitMs;
}
