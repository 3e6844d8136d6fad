/**
 * The window of an address: calls without a credential, and calls whose credential is refused (decision 51).
 *
 * A call counts once it is known to be one of these. Before that, a call whose caller must be identified by
 * another process reserves a place here. For each process there are never more places than calls left in the
 * window, so a flood of unknown keys cannot reach that process; a call without a place waits for the results of the
 * others. Once calls of its window are used, an address is suspect, and shares a few places with others of
 * its kind (suspect-places.ts).
 */
import type { Clock } from '@audiosplit/chassis/clock';
import type { RateLimiter, RateLimitVerdict } from '../../rate-limit/rate-limiter.ts';
import { ApiError } from '../errors/api-error.ts';
import { addressBucket } from '../server/client-address.ts';
import {
  MAX_SUSPECT_WAIT_MS,
  MAX_WAITING_SUSPECTS,
  type SuspectPlaces,
  type SuspectTurn,
} from './suspect-places.ts';
import { type Bucket, type Counted, takeToken } from './tokens.ts';

/** Concurrent queries of one address. */
const MAX_ASKING = 10;
/** If more calls wait, further ones are refused. */
const MAX_WAITING = 200;

/** Services that identify callers. */
type AskedService = 'auth' | 'billing';

export interface AddressWindow {
  bucketOf(ip: string): BucketOfAddress;
  count(ip: string): Promise<Counted>;
  /**
   * Reserves a place for a query to identify the caller. Dispose it after `count`, or once the caller is
   * known. Throws RATE_LIMITED if the window is spent or too many calls wait, unless `mayPass` says that the
   * caller is known.
   */
  placeToAsk(service: AskedService, ip: string, mayPass?: () => Promise<boolean>): Promise<Disposable>;
}

type BucketOfAddress = Bucket & Required<Pick<Bucket, 'address'>>;

interface Line {
  asking: number;
  readonly waiting: (() => void)[];
}

interface AddressWindowOptions {
  readonly limiter: RateLimiter;
  readonly clock: Clock;
  readonly requestsPerMinute: number;
  readonly suspectPlaces: Readonly<Record<AskedService, SuspectPlaces>>;
}

export function createAddressWindow(options: AddressWindowOptions): AddressWindow {
  const { limiter, requestsPerMinute: limit, suspectPlaces } = options;
  const lines = new Map<string, Line>();
  const bucketOf = (ip: string) => {
    const address = addressBucket(ip);
    return { name: `ip:${address}`, limit, address };
  };

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

  const take = async (
    service: AskedService,
    { name, address }: BucketOfAddress,
    mayPass = async () => false,
  ): Promise<Disposable> => {
    using place = new DisposableStack();
    let turn: SuspectTurn | undefined;
    // A service that hangs makes no caller of the other one wait.
    const key = `${service} ${name}`;
    for (;;) {
      const verdict = await limiter.look(name, limit);
      const line = lineOf(key);
      if (!verdict.allowed) {
        leave(key, line);
        if (await mayPass()) return place.move();
        throw spent(address, verdict);
      }
      if (verdict.count > 0 && turn === undefined) {
        leave(key, line);
        if (await mayPass()) return place.move();
        turn = await suspectPlaces[service].enter(name);
        if (turn === undefined) throw tooManySuspects(address);
        place.use(turn);
        continue;
      }
      if (line.asking < Math.min(MAX_ASKING, verdict.remaining)) {
        line.asking += 1;
        place.defer(() => {
          line.asking -= 1;
          leave(key, line);
        });
        if (turn !== undefined && !(await turn.takePlace())) throw tooManySuspects(address);
        return place.move();
      }
      if (line.waiting.length >= MAX_WAITING) throw tooManyAsking(address);
      await new Promise<void>((resolve) => line.waiting.push(resolve));
    }
  };

  return {
    bucketOf,
    count: (ip) => takeToken(options, bucketOf(ip)),
    placeToAsk: (service, ip, mayPass) => take(service, bucketOf(ip), mayPass),
  };
}

function spent(address: string, { limit, retryAfterSeconds }: RateLimitVerdict): ApiError {
  return new ApiError('RATE_LIMITED', `More than ${limit} requests within a minute.`, {
    retryAfterSeconds,
    addressRefusal: { address, isWindowSpent: true },
  });
}

function tooManyAsking(address: string): ApiError {
  return new ApiError(
    'RATE_LIMITED',
    `More than ${MAX_WAITING} requests with new credentials at once from this address.`,
    { retryAfterSeconds: 1, addressRefusal: { address, isWindowSpent: false } },
  );
}

function tooManySuspects(address: string): ApiError {
  return new ApiError(
    'RATE_LIMITED',
    `Requests with new credentials from addresses with refused or anonymous requests wait for ${MAX_SUSPECT_WAIT_MS / 1_000} s at most, ${MAX_WAITING_SUSPECTS} at once.`,
    { retryAfterSeconds: 3, addressRefusal: { address, isWindowSpent: false } },
  );
}
