import type { Clock } from '@audiosplit/chassis/clock';
import { ServiceError, UnavailableError } from '@audiosplit/chassis/errors';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import type { JSONWebKeySet } from 'jose';
import type { Services } from '../services.ts';
import { createAccessTokenVerifier } from './access-tokens.ts';
import { createApiKeyVerifier } from './api-keys.ts';
import { createKeySet, type KeySet } from './key-set.ts';
import type { Principal } from './principal.ts';

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
  readonly verifyAccount: (presented: PresentedCredentials) => Promise<Principal>;
  readonly verifyApiKey: (presented: PresentedCredentials) => Promise<Principal>;
  /** Keys of the auth service's own access tokens. */
  readonly ownKeys: KeySet;
}

export function createCredentials(auth: Services['auth'], jwt: JwtConfig, clock: Clock): Credentials {
  const ownKeys = createKeySet(async () => parseKeySet((await auth.getJwks({})).jwksJson), clock);
  const { jwksUrl } = jwt;
  const trustedKeys = jwksUrl === undefined ? ownKeys : createKeySet(() => fetchKeySet(jwksUrl), clock);
  const verifyToken = createAccessTokenVerifier({ ...jwt, findKey: trustedKeys.findKey, auth, clock });
  const verifyKey = createApiKeyVerifier(auth, clock);
  return {
    ownKeys,
    verifyAccount: async ({ authorization }) => {
      const [, token] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
      if (token === undefined) throw unauthorized('Send an access token as `Authorization: Bearer <JWT>`.');
      return verifyToken(token);
    },
    verifyApiKey: async ({ apiKey }) => {
      if (apiKey === undefined) throw unauthorized('Send an API key in the header X-API-Key.');
      return verifyKey(apiKey);
    },
  };
}

function unauthorized(message: string): ServiceError {
  return new ServiceError(Reason.UNAUTHORIZED, message);
}

const JWKS_TIMEOUT_MS = 5_000;

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
    return { keys: parsed.keys };
  }
  throw new Error('not a JSON Web Key Set');
}
