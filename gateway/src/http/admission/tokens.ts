/** Takes a call from a bucket of the rate limiter, for the headers of the response and the refusal. */
import type { Clock } from '@audiosplit/chassis/clock';
import { UnavailableError } from '@audiosplit/chassis/errors';
import { type RateLimiter, type RateLimitVerdict, WINDOW_SECONDS } from '../../rate-limit/rate-limiter.ts';
import { ApiError } from '../errors/api-error.ts';

export interface Bucket {
  /** The kind of bucket, a colon, and its owner. */
  readonly name: string;
  readonly limit: number;
  /** If it is that of an address, whose caller may be anyone. */
  readonly address?: string;
}

export interface Counted {
  readonly headers: Readonly<Record<string, string>>;
  /** Why no token was taken. */
  readonly refusal: Error | undefined;
}

interface TokenOptions {
  readonly limiter: RateLimiter;
  readonly clock: Clock;
}

export async function takeToken({ limiter, clock }: TokenOptions, bucket: Bucket): Promise<Counted> {
  let verdict: RateLimitVerdict;
  try {
    verdict = await limiter.take(bucket.name, bucket.limit);
  } catch (error) {
    return { headers: uncountedHeaders(clock(), bucket.limit), refusal: new UnavailableError(error) };
  }
  const refusal = verdict.allowed
    ? undefined
    : new ApiError('RATE_LIMITED', `More than ${verdict.limit} requests within a minute.`, {
        retryAfterSeconds: verdict.retryAfterSeconds,
        ...(bucket.address === undefined
          ? {}
          : { addressRefusal: { address: bucket.address, isWindowSpent: true } }),
      });
  return { headers: limitHeaders(verdict), refusal };
}

/** Headers for a caller who was not counted. */
export function uncountedHeaders(now: Date, limit: number): Record<string, string> {
  const windowMs = WINDOW_SECONDS * 1000;
  const resetAtSeconds = (Math.floor(now.getTime() / windowMs) + 1) * WINDOW_SECONDS;
  return limitHeaders({ limit, remaining: 0, resetAtSeconds });
}

type LimitFigures = Pick<RateLimitVerdict, 'limit' | 'remaining' | 'resetAtSeconds'>;

function limitHeaders({ limit, remaining, resetAtSeconds }: LimitFigures): Record<string, string> {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetAtSeconds),
  };
}
