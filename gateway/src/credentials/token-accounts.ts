/** Maps the claims of a verified access token to its account. */
import { ServiceError } from '@audiosplit/chassis/errors';
import { hasReason } from '@audiosplit/chassis/rpc/errors';
import type { GetAccountLimitsResponse } from '@audiosplit/proto/auth/v1/auth';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import type { JWTPayload } from 'jose';
import type { Services } from '../services.ts';
import { type AccountPrincipal, SCOPES } from './principal.ts';
import { fromProtoSuspension } from './suspension.ts';

export interface TokenAccounts {
  /** The claims that identify the account, as text. Undefined for claims that identify none. */
  keyOf(claims: JWTPayload): string | undefined;
  /** Throws ServiceError UNAUTHORIZED if there is no account, and FirstSignInError if one may be created. */
  find(key: string): Promise<AccountPrincipal>;
  /** Creates the account, after a FirstSignInError. */
  register?(key: string): Promise<void>;
}

/** The token is valid, and its subject has no account yet. */
export class FirstSignInError extends Error {
  override readonly name = 'FirstSignInError';
}

/** Whether `find` failed because there is no such account, and not because auth is unavailable. */
export function isOfUnknownAccount(error: unknown): boolean {
  if (error instanceof FirstSignInError) return true;
  if (error instanceof ServiceError) return error.reason === Reason.UNAUTHORIZED;
  return hasReason(error, Reason.UNAUTHORIZED);
}

/**
 * Our own tokens: `sub` is the account's id, and `sid` its session's. Tokens of previous releases have no
 * `sid`.
 */
export function createOwnAccounts(auth: Services['auth']): TokenAccounts {
  return {
    keyOf({ sub, sid }) {
      const accountId = textIn(sub);
      return accountId && JSON.stringify([accountId, textIn(sid) ?? '']);
    },
    async find(key) {
      const [accountId, sessionId]: [string, string] = JSON.parse(key);
      const standing = await auth.getAccountLimits({ accountId, sessionId }).catch((error) => {
        // A token may outlive a purged account by its lifetime.
        throw hasReason(error, Reason.NOT_FOUND) ? invalidToken() : error;
      });
      return principalOf(accountId, sessionId, standing);
    },
  };
}

type SubjectKey = readonly [
  subject: string,
  email: string | undefined,
  name: string | undefined,
  issuedAt: number | undefined,
];

/** OpenID Connect Core, 2. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/;
/** Limit of a protobuf Timestamp: the end of the year 9999. */
const MAX_TIME_SECONDS = 253_402_300_799;
/** Longer than any stored value. Bounds the memory that a token can take. */
const MAX_CLAIM_LENGTH = 1_000;

/** Tokens of an external issuer: auth keeps one account per subject. */
export function createExternalAccounts(auth: Services['auth'], issuer: string): TokenAccounts {
  const admit = (key: string, knownOnly: boolean) => {
    const [subject, email, name, issuedAt] = JSON.parse(key);
    return auth.admitSubject({
      issuer,
      subject,
      knownOnly,
      ...(email === null ? {} : { email }),
      ...(name === null ? {} : { name }),
      ...(issuedAt === null ? {} : { issuedAt: { seconds: BigInt(issuedAt) } }),
    });
  };
  return {
    keyOf(claims) {
      const { email, email_verified: verified, name, iat } = claims;
      const sub = textIn(claims.sub);
      if (sub === undefined || !SUBJECT.test(sub)) return undefined;
      // Some issuers, such as Amazon Cognito, send the boolean as text.
      const isVerified = verified === true || verified === 'true';
      const key: SubjectKey = [sub, isVerified ? textIn(email) : undefined, textIn(name), timeIn(iat)];
      return JSON.stringify(key.map((part) => part ?? null));
    },
    async find(key) {
      const { accountId, ...standing } = await admit(key, true).catch((error) => {
        throw hasReason(error, Reason.NOT_FOUND) ? new FirstSignInError() : error;
      });
      return principalOf(accountId, '', standing);
    },
    async register(key) {
      await admit(key, false);
    },
  };
}

/** Claims may have any type until checked. */
function textIn(claim: unknown): string | undefined {
  return typeof claim === 'string' && claim !== '' && claim.length <= MAX_CLAIM_LENGTH ? claim : undefined;
}

/** NumericDate (RFC 7519, section 2): seconds, maybe a fraction of them. */
function timeIn(claim: unknown): number | undefined {
  return typeof claim === 'number' && claim >= 0 && claim <= MAX_TIME_SECONDS ? Math.floor(claim) : undefined;
}

type Standing = Pick<GetAccountLimitsResponse, 'limits' | 'pendingDeletion'> &
  Partial<Pick<GetAccountLimitsResponse, 'mustVerifyEmail'>>;

function principalOf(
  accountId: string,
  sessionId: string,
  { limits, pendingDeletion, mustVerifyEmail = false }: Standing,
): AccountPrincipal {
  if (limits === undefined) throw new Error('the auth service knows an account without limits');
  return {
    kind: 'account',
    accountId,
    scopes: SCOPES,
    requestsPerMinute: limits.requestsPerMinute,
    maxFileSizeBytes: Number(limits.maxFileSizeBytes),
    pendingDeletion,
    sessionId,
    mustVerifyEmail,
    suspension: fromProtoSuspension(limits),
  };
}

export function invalidToken(): ServiceError {
  return new ServiceError(Reason.UNAUTHORIZED, 'The access token is not valid or has expired.');
}
