/**
 * Links that sign in. While many guess the password of an address, callers that its account does not know are refused, and
 * its holder gets such a link by mail. The account service mails it: auth publishes that one is wanted, and gives the token
 * when that service asks for it, so that no token is on the bus.
 */
import { createHash, randomBytes } from 'node:crypto';
import { NotFoundError } from '@audiosplit/chassis/errors';
import { appendToOutbox } from '@audiosplit/chassis/outbox/outbox';
import { type Pool, type Queryable, withTransaction } from '@audiosplit/chassis/postgres/pool';
import { signInLinkRequested } from '../events.ts';
import type { Account } from '../store/accounts.ts';
import { countAttempt } from '../store/attempt-windows.ts';
import { insertSignInLink, spendSignInLink } from '../store/sign-in-links.ts';

export const LINK_LIFETIME_MS = 30 * 60_000;
const MAIL_EVERY_MS = 5 * 60_000;
/** 256 random bits, as many as the hash has. */
const RANDOM_BYTES = 32;

/** Wants a link for the account, if there is one: a mail in five minutes. An address without account costs as much. */
export async function requestLink(
  pool: Pool,
  addressKey: string,
  accountId: string | undefined,
  at: Date,
): Promise<void> {
  await withTransaction(pool, async (client) => {
    const isDue = await countAttempt(client, {
      subject: `link ${createHash('sha256').update(addressKey).digest('hex')}`,
      at,
      windowStart: new Date(at.getTime() - MAIL_EVERY_MS),
      limit: 1,
    });
    if (isDue && accountId !== undefined) await appendToOutbox(client, [signInLinkRequested(accountId, at)]);
  });
}

/** Throws NOT_FOUND. */
export async function createLink(
  db: Queryable,
  accountId: string,
  now: Date,
): Promise<{ readonly token: string; readonly expiresAt: Date }> {
  const token = `asl_${randomBytes(RANDOM_BYTES).toString('base64url')}`;
  const expiresAt = new Date(now.getTime() + LINK_LIFETIME_MS);
  if (!(await insertSignInLink(db, accountId, sha256Of(token), expiresAt)))
    throw new NotFoundError('The account');
  return { token, expiresAt };
}

/** Undefined for a link that was used, is old or wrong. */
export function useLink(db: Queryable, token: string, now: Date): Promise<Account | undefined> {
  return spendSignInLink(db, sha256Of(token), now);
}

/** Stored instead of the token. A fast hash is enough for a random token. */
function sha256Of(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
