import type { Clock } from '@audiosplit/chassis/clock';
import { type RateLimiter, verdictAfter, verdictOn, WINDOW_SECONDS } from './rate-limiter.ts';

const MAX_REMEMBERED = 50_000;

/** Counts in memory, for this process. All buckets share one window, so its end clears them all. */
export function createMemoryRateLimiter(clock: Clock, windowSeconds = WINDOW_SECONDS): RateLimiter {
  let counts = new Map<string, number>();
  let resetAtSeconds = 0;
  const remembered = new Map<string, number>();

  /** Begins another window if it is time. Returns the time left in ms. */
  const untilReset = () => {
    const nowMs = clock().getTime();
    const windowEnd = (Math.floor(nowMs / 1_000 / windowSeconds) + 1) * windowSeconds;
    if (windowEnd !== resetAtSeconds) {
      counts = new Map();
      resetAtSeconds = windowEnd;
    }
    return resetAtSeconds * 1_000 - nowMs;
  };

  return {
    async take(bucket, limit) {
      const untilResetMs = untilReset();
      const count = (counts.get(bucket) ?? 0) + 1;
      counts.set(bucket, count);
      return verdictOn(count, limit, resetAtSeconds, untilResetMs);
    },
    async look(bucket, limit) {
      const untilResetMs = untilReset();
      return verdictAfter(counts.get(bucket) ?? 0, limit, resetAtSeconds, untilResetMs);
    },
    async remember(name, seconds) {
      remembered.delete(name);
      for (const oldest of remembered.keys()) {
        if (remembered.size < MAX_REMEMBERED) break;
        remembered.delete(oldest);
      }
      remembered.set(name, clock().getTime() + seconds * 1_000);
    },
    async remembers(name) {
      return clock().getTime() < (remembered.get(name) ?? 0);
    },
    async check() {},
    async [Symbol.asyncDispose]() {},
  };
}
