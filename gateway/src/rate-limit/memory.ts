import type { Clock } from '@audiosplit/chassis/clock';
import { type RateLimiter, verdictOn, WINDOW_SECONDS } from './rate-limiter.ts';

/** Counts in memory, for this process. All buckets share one window, so its end clears them all. */
export function createMemoryRateLimiter(clock: Clock, windowSeconds = WINDOW_SECONDS): RateLimiter {
  let counts = new Map<string, number>();
  let resetAtSeconds = 0;

  return {
    async take(bucket, limit) {
      const nowMs = clock().getTime();
      const windowEnd = (Math.floor(nowMs / 1_000 / windowSeconds) + 1) * windowSeconds;
      if (windowEnd !== resetAtSeconds) {
        counts = new Map();
        resetAtSeconds = windowEnd;
      }
      const count = (counts.get(bucket) ?? 0) + 1;
      counts.set(bucket, count);
      return verdictOn(count, limit, resetAtSeconds, resetAtSeconds * 1_000 - nowMs);
    },
    async check() {},
    async [Symbol.asyncDispose]() {},
  };
}
