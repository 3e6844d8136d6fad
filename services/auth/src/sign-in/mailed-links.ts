/**
 * Links in mails: each serves one purpose, works once, and expires after 30 minutes. Auth publishes an event
 * that requests a mail. The account service writes the mail and fetches the token from auth at that moment,
 * so no token is on the bus (decision 52).
 *
 * While many wrong passwords are tried for an address, callers that its account does not know are refused,
 * and its holder gets a link that signs in. Other links reset the password or verify an address.
 */
import { createHash, randomBytes } from 'node:crypto';
import { NotFoundError, ServiceError } from '@audiosplit/chassis/errors';
import { appendToOutbox, type OutboxMessage } from '@audiosplit/chassis/outbox/outbox';
import { type Pool, type Queryable, withTransaction } from '@audiosplit/chassis/postgres/pool';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { signInLinkRequested } from '../events.ts';
import { findHolder, type Holder } from '../store/accounts.ts';
import { countAttempt } from '../store/attempt-windows.ts';
import { findLink, insertLink, type LinkPurpose, type SpentLink, spendLink } from '../store/mailed-links.ts';
import { addressKeyOf } from './email-address.ts';

export const LINK_LIFETIME_MS = 30 * 60_000;
const MAIL_EVERY_MS = 5 * 60_000;
/** 256 random bits, the length of the hash. */
const RANDOM_BYTES = 32;

/** The token prefix of each purpose. */
const PREFIXES: Readonly<Record<LinkPurpose, string>> = {
  'sign-in': 'asl_',
  'reset-password': 'apr_',
  'verify-email': 'aev_',
};

export interface Link {
  readonly token: string;
  readonly expiresAt: Date;
}

/**
 * Whether a mail of this purpose to this address may be sent: one in five minutes. Takes the same time for
 * any address.
 */
export function isMailDue(
  db: Queryable,
  purpose: LinkPurpose,
  addressKey: string,
  at: Date,
): Promise<boolean> {
  const name = purpose === 'sign-in' ? 'link' : purpose;
  return countAttempt(db, {
    subject: `${name} ${createHash('sha256').update(addressKey).digest('hex')}`,
    at,
    windowStart: new Date(at.getTime() - MAIL_EVERY_MS),
    limit: 1,
  });
}

/**
 * Requests a mail to the holder of an address, if there is one. Takes the same time for an address without an
 * account.
 */
export async function requestMail(
  pool: Pool,
  purpose: LinkPurpose,
  { addressKey, at }: { readonly addressKey: string; readonly at: Date },
  event: OutboxMessage | undefined,
): Promise<void> {
  await withTransaction(pool, async (client) => {
    const isDue = await isMailDue(client, purpose, addressKey, at);
    if (isDue && event !== undefined) await appendToOutbox(client, [event]);
  });
}

export async function requestSignInLink(
  pool: Pool,
  addressKey: string,
  accountId: string | undefined,
  at: Date,
): Promise<void> {
  const event = accountId === undefined ? undefined : signInLinkRequested(accountId, at);
  await requestMail(pool, 'sign-in', { addressKey, at }, event);
}

/** Throws NOT_FOUND. */
export async function createSignInLink(db: Queryable, accountId: string, now: Date): Promise<Link> {
  return createLink(db, { accountId, purpose: 'sign-in', addressKey: null }, now);
}

/** Also throws NOT_FOUND if the account has another address meanwhile. */
export async function createMailedLink(
  db: Queryable,
  {
    accountId,
    purpose,
    email,
  }: { readonly accountId: string; readonly purpose: string; readonly email: string },
  now: Date,
): Promise<Link> {
  if (purpose !== 'reset-password' && purpose !== 'verify-email') throw new NotFoundError('The purpose');
  const holder = await findHolder(db, accountId);
  const addressKey = addressKeyOf(email);
  if (holder === undefined || addressKey !== addressFor(purpose, holder))
    throw new NotFoundError('The account');
  return createLink(db, { accountId, purpose, addressKey }, now);
}

/** The account of a valid link, before the link is spent: the following steps may be costly or be refused. */
export function accountOfLink(
  db: Queryable,
  purpose: LinkPurpose,
  token: string,
  now: Date,
): Promise<string | undefined> {
  return findLink(db, digestOf(purpose, token), now);
}

/** Undefined for a link that is used, expired or invalid, or whose address the account no longer has. */
export async function useLink(
  db: Queryable,
  purpose: LinkPurpose,
  token: string,
  now: Date,
): Promise<SpentLink | undefined> {
  const spent = await spendLink(db, digestOf(purpose, token), now);
  if (spent === undefined || spent.addressKey === null) return spent;
  return spent.addressKey === addressFor(purpose, spent.holder) ? spent : undefined;
}

export function linkRefused(): ServiceError {
  return new ServiceError(
    Reason.UNAUTHORIZED,
    'The link was used before, is too old or is wrong; ask for another.',
  );
}

/** The key of the address to which links of a purpose are mailed. */
function addressFor(purpose: LinkPurpose, { email, pendingEmail }: Holder): string {
  return addressKeyOf(purpose === 'verify-email' ? (pendingEmail ?? email) : email);
}

async function createLink(
  db: Queryable,
  about: { readonly accountId: string; readonly purpose: LinkPurpose; readonly addressKey: string | null },
  now: Date,
): Promise<Link> {
  const token = `${PREFIXES[about.purpose]}${randomBytes(RANDOM_BYTES).toString('base64url')}`;
  const expiresAt = new Date(now.getTime() + LINK_LIFETIME_MS);
  const isKept = await insertLink(db, { ...about, sha256: digestOf(about.purpose, token), expiresAt });
  if (!isKept) throw new NotFoundError('The account');
  return { token, expiresAt };
}

/**
 * Stored instead of the token. A fast hash is enough for a random token. The hash covers the purpose, so a
 * link serves no other one. Links that sign in are hashed without it, as in previous releases.
 */
function digestOf(purpose: LinkPurpose, token: string): Buffer {
  return createHash('sha256')
    .update(purpose === 'sign-in' ? token : JSON.stringify([purpose, token]))
    .digest();
}
