/**
 * Limits password guessing in a sliding window of 15 minutes: by one caller for one address, by one caller
 * for any address, and by all callers for one address. A caller is a network.
 *
 * An attempt counts as a failure before its password is verified, and is undone if the password was right, so
 * that parallel guesses get no extra tries. A success does not reset earlier failures. A refused attempt does
 * not count. Unknown addresses count like known ones, so that the response reveals nothing. If a process dies
 * in between, one failure too many counts for 15 minutes.
 */
import { createHash } from 'node:crypto';
import { ServiceError } from '@audiosplit/chassis/errors';
import { networkOf } from '@audiosplit/chassis/net/client-network';
import type { Pool } from '@audiosplit/chassis/postgres/pool';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import type { SignInBounds } from '../config.ts';
import { count } from '../metrics.ts';
import { countAttempt, undoAttempt } from '../store/attempt-windows.ts';
import { windowIsFull } from './attempt-window.ts';

export const SIGN_IN_WINDOW_MS = 15 * 60_000;

interface Guess {
  readonly addressKey: string;
  /** Empty: unknown. All unknown callers count as one. */
  readonly clientIp: string;
  /** The account knows the caller: guesses by others do not affect it. */
  readonly isKnown: boolean;
  readonly at: Date;
}

interface SignInAttempt {
  /** RATE_LIMITED or SIGN_IN_LINK_SENT; undefined if the attempt is allowed, and counted as a failure until `judge`. */
  readonly refusal: ServiceError | undefined;
  /** Whether the password is right. If it is, or if the verification fails, the attempt does not count. */
  judge(verify: () => Promise<boolean>): Promise<boolean>;
}

type Bound = 'caller' | 'pair' | 'address';

interface Window {
  readonly bound: Bound;
  readonly subject: string;
  readonly limit: number;
}

export async function beginAttempt(pool: Pool, bounds: SignInBounds, guess: Guess): Promise<SignInAttempt> {
  const { at } = guess;
  const windowStart = new Date(at.getTime() - SIGN_IN_WINDOW_MS);
  const counted: Window[] = [];
  const undo = async () => {
    for (const { subject } of counted.splice(0)) await undoAttempt(pool, subject, at);
  };
  const judge = async (verify: () => Promise<boolean>) => {
    let isWrong = false;
    try {
      const isRight = await verify();
      isWrong = !isRight;
      return isRight;
    } finally {
      if (!isWrong) await undo();
    }
  };
  for (const window of windowsOf(bounds, guess)) {
    if (await countAttempt(pool, { ...window, at, windowStart })) {
      counted.push(window);
      continue;
    }
    await undo();
    return { refusal: await refusalOf(pool, window, at), judge };
  }
  return { refusal: undefined, judge };
}

function windowsOf(bounds: SignInBounds, { addressKey, clientIp, isKnown }: Guess): Window[] {
  // Hashed, because the text typed as an address can be long or private.
  const address = createHash('sha256').update(addressKey).digest('hex');
  const caller = clientIp === '' ? 'unknown' : networkOf(clientIp);
  const pair = `pair ${address} ${caller}`;
  return [
    ...(clientIp === ''
      ? []
      : [{ bound: 'caller', subject: `network ${caller}`, limit: bounds.wrongPasswordsPerCaller } as const]),
    { bound: 'pair', subject: pair, limit: bounds.wrongPasswordsPerPair },
    ...(isKnown
      ? []
      : [
          {
            bound: 'address',
            subject: `address ${address}`,
            limit: bounds.wrongPasswordsPerAddress,
          } as const,
        ]),
  ];
}

async function refusalOf(pool: Pool, { bound, subject, limit }: Window, now: Date): Promise<ServiceError> {
  count('audiosplit_sign_in_refusals_total', { bound });
  if (bound === 'address') {
    return new ServiceError(
      Reason.SIGN_IN_LINK_SENT,
      `There were ${limit} wrong passwords for this address within 15 minutes. If it is that of an account, a link to ` +
        'sign in is sent to it, once in five minutes.',
    );
  }
  return windowIsFull(pool, {
    subject,
    windowMs: SIGN_IN_WINDOW_MS,
    now,
    what: `More than ${limit} wrong passwords within 15 minutes`,
  });
}
