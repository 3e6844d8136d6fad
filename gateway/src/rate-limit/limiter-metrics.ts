import { expose } from '../metrics.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** Whether the gateway counts alone for now, until it is disposed of. One that always does is not degraded by it. */
export function exposeLimiter(limiter: RateLimiter & { readonly degraded?: boolean }): Disposable {
  return expose('audiosplit_rate_limiter_degraded', () => [
    { labels: {}, value: limiter.degraded === true ? 1 : 0 },
  ]);
}
