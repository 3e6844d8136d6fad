import { ServiceError } from '@audiosplit/chassis/errors';
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { oldestAttempt } from '../store/attempt-windows.ts';

interface FullWindow {
  readonly subject: string;
  readonly windowMs: number;
  readonly now: Date;
  /** The beginning of a sentence that says which limit was exceeded. */
  readonly what: string;
}

/** RATE_LIMITED, until the oldest attempt leaves the window. */
export async function windowIsFull(
  db: Queryable,
  { subject, windowMs, now, what }: FullWindow,
): Promise<ServiceError> {
  const windowStart = new Date(now.getTime() - windowMs);
  const oldest = (await oldestAttempt(db, subject, windowStart)) ?? windowStart;
  const waitMs = oldest.getTime() + windowMs - now.getTime();
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new ServiceError(Reason.RATE_LIMITED, `${what}; try again in ${retryAfterSeconds} seconds.`, {
    retryAfterSeconds,
  });
}
