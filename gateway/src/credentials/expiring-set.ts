import type { Clock } from '@audiosplit/chassis/clock';

export interface ExpiringSet {
  /** Adds the member or restarts its lifetime. When full, one of the oldest members is dropped. */
  add(member: string): void;
  has(member: string): boolean;
  delete(member: string): void;
  clear(): void;
}

interface ExpiringSetOptions {
  readonly ttlMs: number;
  readonly maxEntries: number;
  readonly clock: Clock;
}

export function createExpiringSet({ ttlMs, maxEntries, clock }: ExpiringSetOptions): ExpiringSet {
  const expiries = new Map<string, number>();
  return {
    add(member) {
      // Re-inserting moves the member to the end, which keeps the map in order of age.
      expiries.delete(member);
      for (const oldest of expiries.keys()) {
        if (expiries.size < maxEntries) break;
        expiries.delete(oldest);
      }
      expiries.set(member, clock().getTime() + ttlMs);
    },
    has(member) {
      const leftMs = (expiries.get(member) ?? 0) - clock().getTime();
      // If the clock was set back, the age is unknown.
      return leftMs > 0 && leftMs <= ttlMs;
    },
    delete: (member) => void expiries.delete(member),
    clear: () => expiries.clear(),
  };
}
