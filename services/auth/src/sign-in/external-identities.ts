/**
 * Accounts of people who sign in with an external OpenID Connect issuer.
 *
 * The first valid token of a subject creates its account. The account's id is derived from issuer and subject, so that
 * concurrent tokens agree on it, and a lost table does not lose the accounts. The id of a purged account is not reused
 * while the services still reject its late events: a subject who returns before gets the next id of its sequence.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '@audiosplit/chassis/clock';
import { InvalidParamsError, NotFoundError } from '@audiosplit/chassis/errors';
import { appendToOutbox } from '@audiosplit/chassis/outbox/outbox';
import { type Pool, type Queryable, withTransaction } from '@audiosplit/chassis/postgres/pool';
import { accountProfileChanged, accountRegistered } from '../events.ts';
import { isPurged } from '../store/account-projections.ts';
import type { Account } from '../store/accounts.ts';
import {
  type ExternalIdentity,
  findByAccount,
  findBySubject,
  insertExternalIdentity,
  lockSubject,
  type Subject,
  updateExternalIdentity,
} from '../store/external-identities.ts';
import { isDisplayName } from './display-name.ts';
import { parseEmailAddress } from './email-address.ts';

interface SubjectClaims extends Subject {
  /** Verified by the issuer. An absent field keeps its stored value. */
  readonly email?: string;
  readonly name?: string;
  /** An older token does not replace the profile of a newer one. */
  readonly issuedAt?: Date;
}

export interface ExternalIdentities {
  /**
   * Returns the id of the subject's account. Throws INVALID_PARAMS for an invalid `sub`. With `knownOnly` it throws
   * NOT_FOUND instead of creating an account.
   */
  admit(claims: SubjectClaims, options?: { readonly knownOnly?: boolean }): Promise<string>;
  find(accountId: string): Promise<Account | undefined>;
}

interface ExternalIdentitiesOptions {
  readonly pool: Pool;
  readonly wakeRelay: () => void;
  readonly clock: Clock;
}

/** OpenID Connect Core, 2: at most 255 ASCII characters. Only printable ones, because Postgres rejects NUL. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/;
/** The alphabet and length of other ids. */
const ID_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const ID_LENGTH = 26;

export function createExternalIdentities({
  pool,
  wakeRelay,
  clock,
}: ExternalIdentitiesOptions): ExternalIdentities {
  return {
    async admit(claims, { knownOnly = false } = {}) {
      if (!SUBJECT.test(claims.subject)) {
        throw new InvalidParamsError('subject', 'give 1 to 255 printable characters of ASCII.');
      }
      const known = await findBySubject(pool, claims);
      if (known !== undefined && !changes(known, claims)) return known.accountId;
      if (known === undefined && knownOnly) throw new NotFoundError('The account of this subject');
      const accountId = await withTransaction(pool, async (client) => {
        await lockSubject(client, claims);
        return write(client, claims, clock());
      });
      wakeRelay();
      return accountId;
    },

    async find(accountId) {
      const identity = await findByAccount(pool, accountId);
      return identity && toAccount(identity);
    },
  };
}

/** Runs with the subject locked. */
async function write(db: Queryable, claims: SubjectClaims, now: Date): Promise<string> {
  const known = await findBySubject(db, claims);
  if (known === undefined) {
    const { issuer, subject, issuedAt = null } = claims;
    const accountId = await nextAccountId(db, claims);
    const blank = { accountId, issuer, subject, email: null, name: '', createdAt: now };
    const identity: ExternalIdentity = { ...blank, ...profileIn(claims), profileIssuedAt: issuedAt };
    await insertExternalIdentity(db, identity);
    await appendToOutbox(db, [accountRegistered(toAccount(identity))]);
    return accountId;
  }
  if (changes(known, claims)) {
    const { issuedAt = known.profileIssuedAt } = claims;
    const identity: ExternalIdentity = { ...known, ...profileIn(claims), profileIssuedAt: issuedAt };
    await updateExternalIdentity(db, identity);
    await appendToOutbox(db, [accountProfileChanged(toAccount(identity), now)]);
  }
  return known.accountId;
}

async function nextAccountId(db: Queryable, subject: Subject): Promise<string> {
  for (let generation = 0; ; generation++) {
    const accountId = externalAccountId(subject, generation);
    if (!(await isPurged(db, accountId))) return accountId;
  }
}

/** `acc_` and 130 bits of a SHA-256, in place of the time and random bits of other ids. */
export function externalAccountId({ issuer, subject }: Subject, generation = 0): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([issuer, subject, generation]))
    .digest();
  const digits = Array.from(digest.subarray(0, ID_LENGTH), (byte) => ID_ALPHABET.charAt(byte & 31));
  return `acc_${digits.join('')}`;
}

/** The valid fields of a profile. Invalid ones are ignored, so that they do not prevent the sign-in. */
function profileIn({ email, name }: SubjectClaims): Partial<Pick<ExternalIdentity, 'email' | 'name'>> {
  const address = email === undefined ? undefined : addressIn(email);
  return {
    ...(address === undefined ? {} : { email: address }),
    ...(name !== undefined && isDisplayName(name) ? { name } : {}),
  };
}

function addressIn(value: string): string | undefined {
  try {
    return parseEmailAddress(value).text;
  } catch (error) {
    if (error instanceof InvalidParamsError) return undefined;
    throw error;
  }
}

function changes(known: ExternalIdentity, claims: SubjectClaims): boolean {
  const { issuedAt = known.profileIssuedAt } = claims;
  if (issuedAt !== null && known.profileIssuedAt !== null && issuedAt < known.profileIssuedAt) return false;
  const { email = known.email, name = known.name } = profileIn(claims);
  return email !== known.email || name !== known.name;
}

function toAccount({ accountId, email, name, createdAt }: ExternalIdentity): Account {
  return { id: accountId, email: email ?? '', name, createdAt };
}
