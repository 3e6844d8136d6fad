/**
 * Slows down guessing: ten wrong passwords for an address, or a hundred from one network, within 15 minutes.
 *
 * An attempt is counted as a failure before its password is looked at and taken back if it was right: a
 * burst of parallel guesses gets no more tries than the same guesses one after the other. Failures of the
 * last 15 minutes count whatever happened in between; the window slides. Unknown addresses count like known
 * ones, so that the answer tells nothing. Where a process dies between the two steps, one failure too many
 * stays for 15 minutes.
 */
import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { Clock } from '@audiosplit/chassis/clock';
import { ServiceError } from '@audiosplit/chassis/errors';
import type { Pool } from '@audiosplit/chassis/postgres/pool';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { countFailure, oldestFailure, undoFailure } from '../store/sign-in-failures.ts';

export interface SignInThrottle {
  /** Throws RATE_LIMITED; otherwise the attempt counts as failed until `undo`. */
  begin(addressKey: string, clientIp: string): Promise<SignInAttempt>;
}

export interface SignInAttempt {
  undo(): Promise<void>;
}

export const SIGN_IN_WINDOW_MS = 15 * 60_000;
const MAX_FAILURES_PER_ADDRESS = 10;
/** Many people may share one address of a company or a carrier, few of them mistype at once. */
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

/** The network first: what it refuses does not count against the address. */
function subjectsOf(addressKey: string, clientIp: string): Subject[] {
  // Hashed, as whatever is typed into an address field may be long or private.
  const hash = createHash('sha256').update(addressKey).digest('hex');
  const address = { name: `address ${hash}`, limit: MAX_FAILURES_PER_ADDRESS };
  if (clientIp === '') return [address];
  return [{ name: `network ${networkOf(clientIp)}`, limit: MAX_FAILURES_PER_NETWORK }, address];
}

/**
 * An IPv6 client owns at least its /64 (RFC 6177), and may use any address of it. An IPv4 client of a
 * dual-stack socket appears as `::ffff:` and its address.
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
