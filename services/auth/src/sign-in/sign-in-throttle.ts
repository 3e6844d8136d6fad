/**
 * Limits password guessing to ten failures for an address, and a hundred from one network, in a sliding window of 15
 * minutes.
 *
 * An attempt counts as a failure before its password is verified, and is undone if the password was right, so that
 * parallel guesses get no extra tries. A success does not reset earlier failures. Unknown addresses count like known
 * ones, so that the response reveals nothing. If a process dies in between, one failure too many counts for 15 minutes.
 */
import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { Clock } from '@audiosplit/chassis/clock';
import { ServiceError } from '@audiosplit/chassis/errors';
import type { Pool } from '@audiosplit/chassis/postgres/pool';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { countFailure, oldestFailure, undoFailure } from '../store/sign-in-failures.ts';

export interface SignInThrottle {
  /** Throws RATE_LIMITED. Otherwise the attempt counts as a failure until `undo`. */
  begin(addressKey: string, clientIp: string): Promise<SignInAttempt>;
}

interface SignInAttempt {
  undo(): Promise<void>;
}

export const SIGN_IN_WINDOW_MS = 15 * 60_000;
const MAX_FAILURES_PER_ADDRESS = 10;
/** High, because many people can share the address of a company or a carrier. */
const MAX_FAILURES_PER_NETWORK = 100;

interface Subject {
  readonly name: string;
  readonly limit: number;
}

export function createSignInThrottle(pool: Pool, clock: Clock): SignInThrottle {
  return {
    async begin(addressKey, clientIp) {
      const at = clock();
      const windowStart = new Date(at.getTime() - SIGN_IN_WINDOW_MS);
      const subjects = subjectsOf(addressKey, clientIp);
      for (const { name, limit } of subjects) {
        if (await countFailure(pool, { subject: name, at, windowStart, limit })) continue;
        const oldest = (await oldestFailure(pool, name, windowStart)) ?? windowStart;
        throw tooManyFailures(oldest, at);
      }
      return {
        async undo() {
          for (const { name } of subjects) await undoFailure(pool, name, at);
        },
      };
    },
  };
}

/** The network comes first: an attempt that it rejects does not count for the address. */
function subjectsOf(addressKey: string, clientIp: string): Subject[] {
  // Hashed, because the text typed as an address can be long or private.
  const hash = createHash('sha256').update(addressKey).digest('hex');
  const address = { name: `address ${hash}`, limit: MAX_FAILURES_PER_ADDRESS };
  if (clientIp === '') return [address];
  return [{ name: `network ${networkOf(clientIp)}`, limit: MAX_FAILURES_PER_NETWORK }, address];
}

/**
 * An IPv6 client can use any address of its /64 (RFC 6177). On a dual-stack socket an IPv4 client appears as `::ffff:`
 * and its address.
 */
export function networkOf(clientIp: string): string {
  const ip = clientIp.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!isIPv6(ip)) return ip;
  const [head = '', tail] = new URL(`http://[${ip.split('%')[0]}]`).hostname.slice(1, -1).split('::');
  const groupsOf = (part: string) => (part === '' ? [] : part.split(':'));
  const leading = groupsOf(head);
  const trailing = tail === undefined ? [] : groupsOf(tail);
  const elided = new Array<string>(8 - leading.length - trailing.length).fill('0');
  return `${[...leading, ...elided, ...trailing].slice(0, 4).join(':')}::/64`;
}

function tooManyFailures(oldest: Date, now: Date): ServiceError {
  const waitMs = oldest.getTime() + SIGN_IN_WINDOW_MS - now.getTime();
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new ServiceError(
    Reason.RATE_LIMITED,
    `Too many wrong passwords; try again in ${retryAfterSeconds} seconds.`,
    { retryAfterSeconds },
  );
}
