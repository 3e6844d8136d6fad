import type { Clock } from '@audiosplit/chassis/clock';
import { errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { createExpiringCache } from './expiring-cache.ts';
import type { AccountPrincipal } from './principal.ts';
import { FirstSignInError, invalidToken, isOfUnknownAccount, type TokenAccounts } from './token-accounts.ts';

/** Below one second, within which a change of an account must take effect. */
const TRUSTED_MS = 900;
const MAX_CACHED_ACCOUNTS = 10_000;

/** Asymmetric only: with a shared secret every verifier could also issue tokens. */
const ALGORITHMS = [
  ...['EdDSA', 'Ed25519', 'ES256', 'ES384', 'ES512'],
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
];

interface AccessTokenOptions {
  readonly issuer: string;
  readonly audience: string;
  readonly findKey: JWTVerifyGetKey;
  readonly accounts: TokenAccounts;
  /** Allowed difference between the issuer's clock and ours. */
  readonly clockToleranceSeconds: number;
  readonly clock: Clock;
}

/** Called before an account is created for a new subject. Throws to reject it. */
export type CountFirstSignIn = () => Promise<void>;

interface AccessTokenVerifier {
  /** Throws ServiceError UNAUTHORIZED for a token that is malformed, forged, expired or for another audience. */
  verify(token: string, countFirstSignIn: CountFirstSignIn): Promise<AccountPrincipal>;
  /** Drops what is cached about an account. */
  forget(accountId: string): void;
}

export function createAccessTokenVerifier(options: AccessTokenOptions): AccessTokenVerifier {
  const account = createExpiringCache<AccountPrincipal>({
    ttlMs: TRUSTED_MS,
    maxEntries: MAX_CACHED_ACCOUNTS,
    clock: options.clock,
    load: options.accounts.find,
    isRefusal: isOfUnknownAccount,
  });
  return {
    async verify(token, countFirstSignIn) {
      const key = await accountKeyOf(token, options);
      try {
        return await account.get(key);
      } catch (error) {
        if (!(error instanceof FirstSignInError)) throw error;
        await countFirstSignIn();
        await options.accounts.register?.(key);
        return account.get(key);
      }
    },
    forget: (accountId) => account.forget((known) => known.accountId === accountId),
  };
}

async function accountKeyOf(
  token: string,
  { issuer, audience, findKey, accounts, clockToleranceSeconds, clock }: AccessTokenOptions,
): Promise<string> {
  try {
    const { payload } = await jwtVerify(token, findKey, {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: clockToleranceSeconds,
      currentDate: clock(),
    });
    const key = accounts.keyOf(payload);
    if (key !== undefined) return key;
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error;
  }
  throw invalidToken();
}
