import { InvalidParamsError, NotFoundError } from '@audiosplit/chassis/errors';
import type { Pool } from '@audiosplit/chassis/postgres/pool';
import type { SignInBounds } from '../config.ts';
import { findHolder, findPasswordHash } from '../store/accounts.ts';
import { addressKeyOf } from './email-address.ts';
import type { PasswordHasher } from './password.ts';
import { beginAttempt } from './sign-in-throttle.ts';

export interface PasswordCheck {
  readonly pool: Pool;
  readonly passwords: PasswordHasher;
  readonly bounds: SignInBounds;
}

interface PresentPassword {
  readonly accountId: string;
  readonly current: string;
  /** Empty: unknown. */
  readonly clientIp: string;
  readonly at: Date;
}

/**
 * Checks the password of a signed-in account before a change of how it signs in. A wrong password counts as
 * at a sign-in. Unlike there, after too many wrong ones the right one is refused too: a person who has found
 * an open session cannot guess any further, and the holder can reset the password by mail.
 *
 * Throws INVALID_PARAMS, RATE_LIMITED, and NOT_FOUND for an account without a password here.
 */
export async function checkPassword(
  { pool, passwords, bounds }: PasswordCheck,
  { accountId, current, clientIp, at }: PresentPassword,
): Promise<void> {
  const [holder, passwordHash] = await Promise.all([
    findHolder(pool, accountId),
    findPasswordHash(pool, accountId),
  ]);
  if (holder === undefined || passwordHash === undefined) throw new NotFoundError('The account');
  const guess = { addressKey: addressKeyOf(holder.email), clientIp, isKnown: true, at };
  const attempt = await beginAttempt(pool, bounds, guess);
  if (attempt.refusal !== undefined) throw attempt.refusal;
  if (!(await attempt.judge(() => passwords.verify(passwordHash, current, clientIp)))) {
    throw new InvalidParamsError('current', 'is not the password of the account.');
  }
}
