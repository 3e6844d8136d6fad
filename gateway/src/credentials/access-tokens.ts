import type { Clock } from '@audiosplit/chassis/clock';
import { ServiceError } from '@audiosplit/chassis/errors';
import { hasReason } from '@audiosplit/chassis/rpc/errors';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { Services } from '../services.ts';
import { createExpiringCache } from './expiring-cache.ts';
import { type AccountPrincipal, SCOPES } from './principal.ts';

/** Under the second within which a change of an account must show. */
const TRUSTED_MS = 900;
const MAX_CACHED_ACCOUNTS = 10_000;

/** Asymmetric only: with a shared secret every verifier could also issue. */
const ALGORITHMS = ['EdDSA', 'Ed25519', 'ES256', 'ES384', 'RS256', 'PS256'];

export interface AccessTokenOptions {
  readonly issuer: string;
  readonly audience: string;
  readonly findKey: JWTVerifyGetKey;
  readonly auth: Services['auth'];
  readonly clock: Clock;
}

/** Throws ServiceError UNAUTHORIZED for a token that is malformed, forged, expired or not meant for us. */
export function createAccessTokenVerifier(
  options: AccessTokenOptions,
): (token: string) => Promise<AccountPrincipal> {
  const account = createExpiringCache<AccountPrincipal>({
    ttlMs: TRUSTED_MS,
    maxEntries: MAX_CACHED_ACCOUNTS,
    clock: options.clock,
    load: async (accountId) => {
      const { limits, pendingDeletion } = await options.auth
        .getAccountLimits({ accountId })
        .catch((error) => {
          // A token outlives a purged account by up to its lifetime.
          throw hasReason(error, Reason.NOT_FOUND) ? invalidToken() : error;
        });
      if (limits === undefined) throw new Error('the auth service knows an account without limits');
      return {
        kind: 'account',
        accountId,
        scopes: SCOPES,
        requestsPerMinute: limits.requestsPerMinute,
        maxFileSizeBytes: Number(limits.maxFileSizeBytes),
        pendingDeletion,
      };
    },
  });
  return async (token) => account(await subjectOf(token, options));
}

async function subjectOf(
  token: string,
  { issuer, audience, findKey, clock }: AccessTokenOptions,
): Promise<string> {
  try {
    const { payload } = await jwtVerify(token, findKey, {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      requiredClaims: ['exp', 'sub'],
      currentDate: clock(),
    });
    if (payload.sub) return payload.sub;
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error;
  }
  throw invalidToken();
}

function invalidToken(): ServiceError {
  return new ServiceError(Reason.UNAUTHORIZED, 'The access token is not valid or has expired.');
}
