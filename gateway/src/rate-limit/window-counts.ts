import type { Clock } from '@audiosplit/chassis/clock';

interface WindowCountsOptions {
  readonly clock: Clock;
  readonly windowSeconds: number;
  /** So many names clear the counts early, so that they use no more memory. Default: unlimited. */
  readonly maxNames?: number;
}

export interface WindowCounts {
  /** Over all names. */
  readonly total: number;
  of(name: string): number;
  add(name: string, count?: number): void;
}

/** Counts by name in this process. All names share one window of the clock, so its end clears them all. */
export function createWindowCounts(options: WindowCountsOptions): WindowCounts {
  const { clock, windowSeconds, maxNames = Number.POSITIVE_INFINITY } = options;
  const counts = new Map<string, number>();
  let window = 0;
  let total = 0;
  const clear = () => {
    counts.clear();
    total = 0;
  };
  /** Begins another window if it is time. */
  const begin = () => {
    const now = Math.floor(clock().getTime() / 1_000 / windowSeconds);
    if (now !== window) clear();
    window = now;
  };
  return {
    get total() {
      begin();
      return total;
    },
    of(name) {
      begin();
      return counts.get(name) ?? 0;
    },
    add(name, count = 1) {
      begin();
      if (counts.size >= maxNames) clear();
      counts.set(name, (counts.get(name) ?? 0) + count);
      total += count;
    },
  };
}
