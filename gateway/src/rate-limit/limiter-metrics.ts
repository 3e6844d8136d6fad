import { expose } from '../metrics.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** Exposes whether the gateway counts alone, until disposed. A memory limiter always does, and is not degraded. */
export function exposeLimiter(limiter: RateLimiter & { readonly degraded?: boolean }): Disposable {
  return expose('audiosplit_rate_limiter_degraded', () => [
    { labels: {}, value: limiter.degraded === true ? 1 : 0 },
  ]);
}
