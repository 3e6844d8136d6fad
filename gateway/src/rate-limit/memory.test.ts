import { createMemoryRateLimiter } from './memory.ts';
import { testRateLimiterContract } from './rate-limiter.contract.ts';

let nowMs = Date.UTC(2026, 0, 31, 23, 59, 30);

testRateLimiterContract('memory', {
  open: async (windowSeconds) => [createMemoryRateLimiter(() => new Date(nowMs), windowSeconds)],
  nowMs: async () => nowMs,
  async nextWindow(windowSeconds) {
    nowMs = (Math.floor(nowMs / 1_000 / windowSeconds) + 1) * windowSeconds * 1_000;
  },
});
