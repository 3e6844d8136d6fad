import type { Clock } from '@audiosplit/chassis/clock';
import { BUCKETS, expose } from '../metrics.ts';
import type { RateLimiter } from './rate-limiter.ts';

type BucketKind = (typeof BUCKETS)[number];

interface MeasuredLimiter extends Disposable {
  readonly limiter: RateLimiter;
}

/**
 * The same limiter with metrics, until disposed: the usage of the fullest bucket of each kind in this window,
 * and whether the gateway counts alone. A memory limiter always does and does not count as degraded.
 */
export function measureLimiter(
  limiter: RateLimiter & { readonly degraded?: boolean },
  clock: Clock,
): MeasuredLimiter {
  const fullest = new Map<string, { readonly ratio: number; readonly resetAtSeconds: number }>();
  using exposed = new DisposableStack();
  exposed.use(
    expose('audiosplit_rate_limiter_degraded', () => [
      { labels: {}, value: limiter.degraded === true ? 1 : 0 },
    ]),
  );
  const ratioOf = (bucket: BucketKind) => {
    const { ratio = 0, resetAtSeconds = 0 } = fullest.get(bucket) ?? {};
    return clock().getTime() < resetAtSeconds * 1_000 ? ratio : 0;
  };
  exposed.use(
    expose('audiosplit_rate_limit_fullest_ratio', () =>
      BUCKETS.map((bucket) => ({ labels: { bucket }, value: ratioOf(bucket) })),
    ),
  );
  const metrics = exposed.move();
  return {
    limiter: {
      async take(bucket, limit) {
        const verdict = await limiter.take(bucket, limit);
        const kind = bucket.slice(0, bucket.indexOf(':'));
        const ratio = 1 - verdict.remaining / verdict.limit;
        const known = fullest.get(kind);
        if (known?.resetAtSeconds !== verdict.resetAtSeconds || ratio > known.ratio) {
          fullest.set(kind, { ratio, resetAtSeconds: verdict.resetAtSeconds });
        }
        return verdict;
      },
      look: (bucket, limit) => limiter.look(bucket, limit),
      remember: (name, seconds) => limiter.remember(name, seconds),
      remembers: (name) => limiter.remembers(name),
      check: () => limiter.check(),
      [Symbol.asyncDispose]: () => limiter[Symbol.asyncDispose](),
    },
    [Symbol.dispose]: () => metrics.dispose(),
  };
}
