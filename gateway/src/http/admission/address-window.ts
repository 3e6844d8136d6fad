/**
 * The window of an address: calls without a credential, and calls whose credential is refused (decision 51).
 *
 * A call counts once it is known to be one of these. Before that, a call whose caller must be identified by
 * another process reserves a place here. There are never more places than calls left in the window, so a
 * flood of unknown keys cannot reach that process; a call without a place waits for the results of the
 * others.
 *
 * An address of whose window calls are used is suspect. It has one place, and all suspect addresses share some,
 * each of which stays taken for a while after its use. So a flood from many addresses, each within its window,
 * occupies that process for little of its time, and callers of other addresses do not wait for it.
 */
import type { Clock } from '@audiosplit/chassis/clock';
import { createSemaphore } from '@audiosplit/chassis/semaphore';
import { count } from '../../metrics.ts';
import type { RateLimiter, RateLimitVerdict } from '../../rate-limit/rate-limiter.ts';
import { ApiError } from '../errors/api-error.ts';
import { addressBucket } from '../server/client-address.ts';
import { type Bucket, type Counted, takeToken } from './tokens.ts';

/** Concurrent queries of one address. */
const MAX_ASKING = 10;
const SUSPECT_PAUSE_MS = 50;
const MAX_WAIT_MS = 3_000;
/** If more calls wait, further ones are refused. */
const MAX_WAITING = 200;

export interface AddressWindow {
  /** Places that suspect addresses have taken. */
  readonly suspectLookups: number;
  bucketOf(ip: string): Bucket;
  count(ip: string): Promise<Counted>;
  /**
   * Reserves a place for a query to identify the caller. Dispose it after `count`, or once the caller is
   * known. Throws RATE_LIMITED if the window is spent, unless `mayPass` says that the caller is known, and
   * SERVICE_UNAVAILABLE after waiting for too long.
   */
  placeToAsk(ip: string, mayPass?: () => Promise<boolean>): Promise<Disposable>;
}

interface Line {
  asking: number;
  readonly waiting: (() => void)[];
}

interface AddressWindowOptions {
  readonly limiter: RateLimiter;
  readonly clock: Clock;
  readonly requestsPerMinute: number;
  readonly maxSuspectLookups: number;
}

export function createAddressWindow(options: AddressWindowOptions): AddressWindow {
  const { limiter, requestsPerMinute: limit, maxSuspectLookups } = options;
  const suspects = createSemaphore(maxSuspectLookups);
  const lines = new Map<string, Line>();
  const bucketOf = (ip: string) => ({ name: `ip:${addressBucket(ip)}`, limit, isOfAddress: true });

  const lineOf = (name: string) => {
    const line = lines.get(name) ?? { asking: 0, waiting: [] };
    lines.set(name, line);
    return line;
  };
  /** Each call that leaves wakes the next one, which checks for itself. */
  const leave = (name: string, line: Line) => {
    const next = line.waiting.shift();
    if (next !== undefined) next();
    else if (line.asking === 0) lines.delete(name);
  };

  const take = async (name: string, mayPass: (() => Promise<boolean>) | undefined): Promise<Disposable> => {
    const startedMs = performance.now();
    for (;;) {
      const verdict = await limiter.look(name, limit);
      const line = lineOf(name);
      if (!verdict.allowed) {
        leave(name, line);
        if (mayPass !== undefined && (await mayPass())) return { [Symbol.dispose]: () => undefined };
        throw spent(name, verdict);
      }
      if (performance.now() - startedMs > MAX_WAIT_MS) {
        leave(name, line);
        throw tooManySuspects(maxSuspectLookups);
      }
      const isSuspect = verdict.remaining < limit;
      if (line.asking < (isSuspect ? 1 : Math.min(MAX_ASKING, verdict.remaining))) {
        line.asking += 1;
        using place = new DisposableStack();
        place.defer(() => {
          line.asking -= 1;
          leave(name, line);
        });
        if (isSuspect) place.use(await takeSuspectPlace());
        return place.move();
      }
      if (line.waiting.length >= MAX_WAITING) throw tooManyAsking(name);
      await new Promise<void>((resolve) => line.waiting.push(resolve));
    }
  };

  const takeSuspectPlace = async (): Promise<Disposable> => {
    const signal = AbortSignal.timeout(MAX_WAIT_MS);
    const place = await suspects.acquire(signal).catch(() => {
      throw tooManySuspects(maxSuspectLookups);
    });
    return {
      [Symbol.dispose]: () => void setTimeout(() => place[Symbol.dispose](), SUSPECT_PAUSE_MS).unref(),
    };
  };

  return {
    get suspectLookups() {
      return maxSuspectLookups - suspects.free();
    },
    bucketOf,
    count: (ip) => takeToken(options, bucketOf(ip)),
    placeToAsk: (ip, mayPass) => take(bucketOf(ip).name, mayPass),
  };
}

function spent(name: string, { limit, retryAfterSeconds }: RateLimitVerdict): ApiError {
  return new ApiError('RATE_LIMITED', `More than ${limit} requests within a minute.`, {
    retryAfterSeconds,
    spentWindow: name,
  });
}

function tooManySuspects(limit: number): ApiError {
  count('audiosplit_http_requests_refused_total', { reason: 'overloaded' });
  return new ApiError(
    'SERVICE_UNAVAILABLE',
    `All ${limit} requests at once that identify callers of addresses with refused calls are taken.`,
    { retryAfterSeconds: MAX_WAIT_MS / 1_000, isLogged: true },
  );
}

function tooManyAsking(name: string): ApiError {
  return new ApiError(
    'RATE_LIMITED',
    `More than ${MAX_WAITING} requests with new credentials at once from this address.`,
    { retryAfterSeconds: 1, spentWindow: name },
  );
}
