import { createPublicKey } from 'node:crypto';
import type { Clock } from '@audiosplit/chassis/clock';
import { ServiceError, UnavailableError } from '@audiosplit/chassis/errors';
import { runWithoutIdempotencyKey } from '@audiosplit/chassis/idempotency/idempotency-key';
import type { Logger } from '@audiosplit/chassis/process/log';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import type { JSONWebKeySet, JWK } from 'jose';
import type { Services } from '../services.ts';
import { type CountFirstSignIn, createAccessTokenVerifier } from './access-tokens.ts';
import { type AskForCaller, createApiKeyVerifier, type VerifiedKeys } from './api-keys.ts';
import { createKeySet, type KeySet } from './key-set.ts';
import type { Principal } from './principal.ts';
import { createExternalAccounts, createOwnAccounts } from './token-accounts.ts';

export type { AskForCaller };

export interface JwtConfig {
  readonly issuer: string;
  readonly audience: string;
  /** URL of an external issuer's keys. Default: our own auth service. */
  readonly jwksUrl?: string;
}

/** The credential headers of a request. */
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
  readonly verifyApiKey: (presented: PresentedCredentials, ask: AskForCaller) => Promise<Principal>;
  /** Drops cached limits of an account and asks auth to read them from billing, ahead of any event. */
  readonly refreshLimits: (accountId: string) => Promise<void>;
  /**
   * Drops the cached data of an account after it has changed how it signs in. Other gateways follow within a
   * second.
   */
  readonly forget: (accountId: string) => void;
  /** The auth service's public keys. */
  readonly ownKeys: KeySet;
  /** The issuer of account holders' tokens, if not the auth service. */
  readonly externalIssuer: string | undefined;
}

interface CredentialsOptions {
  readonly auth: Services['auth'];
  readonly jwt: JwtConfig;
  readonly clock: Clock;
  readonly log: Logger;
  readonly verifiedKeys: VerifiedKeys;
}

export function createCredentials({ auth, jwt, clock, log, verifiedKeys }: CredentialsOptions): Credentials {
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
  const keys = createApiKeyVerifier({ auth, clock, verifiedKeys });
  const forget = (accountId: string) => {
    tokens.forget(accountId);
    keys.forget(accountId);
  };
  return {
    ownKeys,
    externalIssuer: jwksUrl === undefined ? undefined : issuer,
    verifyAccount: async ({ authorization }, countFirstSignIn) => {
      const [, token] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
      if (token === undefined) throw unauthorized('Send an access token as `Authorization: Bearer <JWT>`.');
      return tokens.verify(token, countFirstSignIn);
    },
    verifyApiKey: async ({ apiKey }, ask) => {
      if (apiKey === undefined) throw unauthorized('Send an API key in the header X-API-Key.');
      return keys.verify(apiKey, ask);
    },
    refreshLimits: async (accountId) => {
      // The idempotency key of the current call must not be sent with this one.
      try {
        await runWithoutIdempotencyKey(() =>
          auth.getAccountLimits({ accountId, refresh: true }, { timeoutMs: REFRESH_TIMEOUT_MS }),
        );
      } finally {
        forget(accountId);
      }
    },
    forget,
  };
}

function unauthorized(message: string): ServiceError {
  return new ServiceError(Reason.UNAUTHORIZED, message);
}

/** The client's response waits for this call; its change is already committed, and the event repeats it. */
const REFRESH_TIMEOUT_MS = 1_000;
const JWKS_TIMEOUT_MS = 2_000;
/** RFC 7518, sections 3.3 and 3.5. */
const MIN_RSA_BITS = 2_048;
/** The issuer's clock may differ, and its tokens may carry a "not before" time. */
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
    // RFC 7517, section 5: keys that we cannot use are ignored.
    return { keys: parsed.keys.filter(isUsable) };
  }
  throw new Error('not a JSON Web Key Set');
}

/** An unusable key would make verification throw instead of rejecting the token. */
function isUsable(key: JWK): boolean {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPublicKey({ key, format: 'jwk' });
    return asymmetricKeyType !== 'rsa' || (asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_RSA_BITS;
  } catch {
    return false;
  }
}
