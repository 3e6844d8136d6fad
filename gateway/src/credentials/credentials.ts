import { createPublicKey } from 'node:crypto';
import type { Clock } from '@audiosplit/chassis/clock';
import { ServiceError, UnavailableError } from '@audiosplit/chassis/errors';
import { runWithoutIdempotencyKey } from '@audiosplit/chassis/idempotency/idempotency-key';
import type { Logger } from '@audiosplit/chassis/process/log';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import type { JSONWebKeySet, JWK } from 'jose';
import type { Services } from '../services.ts';
import { type CountFirstSignIn, createAccessTokenVerifier } from './access-tokens.ts';
import { createApiKeyVerifier } from './api-keys.ts';
import { createKeySet, type KeySet } from './key-set.ts';
import type { Principal } from './principal.ts';
import { createExternalAccounts, createOwnAccounts } from './token-accounts.ts';

export interface JwtConfig {
  readonly issuer: string;
  readonly audience: string;
  /** Where an external issuer publishes its keys; our own auth service otherwise. */
  readonly jwksUrl?: string;
}

/** What a request carries to prove who calls. */
export interface PresentedCredentials {
  readonly authorization: string | undefined;
  readonly apiKey: string | undefined;
}

export interface Credentials {
  /** Each throws ServiceError UNAUTHORIZED when its credential is missing or not valid. */
  readonly verifyAccount: (
    presented: PresentedCredentials,
    countFirstSignIn: CountFirstSignIn,
  ) => Promise<Principal>;
  readonly verifyApiKey: (presented: PresentedCredentials) => Promise<Principal>;
  /** Has the next request of an account meet what it may do now, whatever events are on their way. */
  readonly refreshLimits: (accountId: string) => Promise<void>;
  /** Keys of the auth service's own access tokens. */
  readonly ownKeys: KeySet;
  /** Who vouches for account holders instead of the auth service. */
  readonly externalIssuer: string | undefined;
}

export interface CredentialsOptions {
  readonly auth: Services['auth'];
  readonly jwt: JwtConfig;
  readonly clock: Clock;
  readonly log: Logger;
}

export function createCredentials({ auth, jwt, clock, log }: CredentialsOptions): Credentials {
  const loadOwn = async () => parseKeySet((await auth.getJwks({})).jwksJson);
  const ownKeys = createKeySet({ load: loadOwn, clock, log });
  const { jwksUrl } = jwt;
  const { issuer, audience } = jwt;
  const tokens = createAccessTokenVerifier(
    jwksUrl === undefined
      ? {
          issuer,
          audience,
          findKey: ownKeys.findKey,
          accounts: createOwnAccounts(auth),
          clockToleranceSeconds: 0,
          clock,
        }
      : {
          issuer,
          audience,
          findKey: createKeySet({ load: () => fetchKeySet(jwksUrl), clock, log }).findKey,
          accounts: createExternalAccounts(auth, issuer),
          clockToleranceSeconds: EXTERNAL_CLOCK_TOLERANCE_SECONDS,
          clock,
        },
  );
  const keys = createApiKeyVerifier(auth, clock);
  return {
    ownKeys,
    externalIssuer: jwksUrl === undefined ? undefined : issuer,
    verifyAccount: async ({ authorization }, countFirstSignIn) => {
      const [, token] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
      if (token === undefined) throw unauthorized('Send an access token as `Authorization: Bearer <JWT>`.');
      return tokens.verify(token, countFirstSignIn);
    },
    verifyApiKey: async ({ apiKey }) => {
      if (apiKey === undefined) throw unauthorized('Send an API key in the header X-API-Key.');
      return keys.verify(apiKey);
    },
    refreshLimits: async (accountId) => {
      // The key of the call that has changed them belongs to that call alone.
      try {
        await runWithoutIdempotencyKey(() =>
          auth.getAccountLimits({ accountId, refresh: true }, { timeoutMs: REFRESH_TIMEOUT_MS }),
        );
      } finally {
        tokens.forget(accountId);
        keys.forget(accountId);
      }
    },
  };
}

function unauthorized(message: string): ServiceError {
  return new ServiceError(Reason.UNAUTHORIZED, message);
}

/** An answer waits for it that is true already; later the event is as fast. */
const REFRESH_TIMEOUT_MS = 1_000;
const JWKS_TIMEOUT_MS = 2_000;
/** RFC 7518, sections 3.3 and 3.5. */
const MIN_RSA_BITS = 2_048;
/** Machines of another operator keep their own time, and tokens may say that they are not valid before it. */
const EXTERNAL_CLOCK_TOLERANCE_SECONDS = 30;

async function fetchKeySet(url: string): Promise<JSONWebKeySet> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(JWKS_TIMEOUT_MS) });
    if (!response.ok) throw new Error(`${url} answered ${response.status}`);
    return parseKeySet(await response.text());
  } catch (error) {
    throw new UnavailableError(error);
  }
}

function parseKeySet(text: string): JSONWebKeySet {
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed === 'object' && parsed !== null && 'keys' in parsed && Array.isArray(parsed.keys)) {
    // RFC 7517, section 5: what we cannot use of a set is no reason to refuse the rest.
    return { keys: parsed.keys.filter(isUsable) };
  }
  throw new Error('not a JSON Web Key Set');
}

/** A key that is of no use would break the verification of a token that names it, instead of failing it. */
function isUsable(key: JWK): boolean {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPublicKey({ key, format: 'jwk' });
    return asymmetricKeyType !== 'rsa' || (asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_RSA_BITS;
  } catch {
    return false;
  }
}
