/**
 * Links in mail, each for one purpose, once, for 30 minutes. Auth publishes that a mail is wanted; the account service, which
 * mails it, asks auth for the token when it writes it, so that no token is on the bus (decision 52).
 *
 * While many guess the password of an address, callers that its account does not know are refused, and its holder gets a
 * link that signs in. The others reset the password, and verify an address.
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
/** 256 random bits, as many as the hash has. */
const RANDOM_BYTES = 32;

/** The beginning of the tokens of each purpose. */
const PREFIXES: Readonly<Record<LinkPurpose, string>> = {
  'sign-in': 'asl_',
  'reset-password': 'apr_',
  'verify-email': 'aev_',
};

export interface Link {
  readonly token: string;
  readonly expiresAt: Date;
}

/** Whether a mail of this purpose to this address is due: one in five minutes. Costs the same for any address. */
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

/** Wants a mail to the holder of an address, if there is one. An address without account costs as much. */
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

/** Throws NOT_FOUND too where the account has another address by now. */
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

/** The account of a good link, before it is spent: what follows may be costly, or refused. */
export function accountOfLink(
  db: Queryable,
  purpose: LinkPurpose,
  token: string,
  now: Date,
): Promise<string | undefined> {
  return findLink(db, digestOf(purpose, token), now);
}

/** Undefined for a link that was used, is old, wrong, or of an address that the account no longer has. */
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

/** The key of the address that links of a purpose are mailed to. */
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
 * Stored instead of the token. A fast hash is enough for a random token. It covers the purpose, so that a link serves no
 * other one; without it for links that sign in, as releases before have it.
 */
function digestOf(purpose: LinkPurpose, token: string): Buffer {
  return createHash('sha256')
    .update(purpose === 'sign-in' ? token : JSON.stringify([purpose, token]))
    .digest();
}
