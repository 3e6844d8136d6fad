import { hash } from 'node:crypto';
import type { Clock } from '@audiosplit/chassis/clock';
import { ServiceError } from '@audiosplit/chassis/errors';
import { hasReason } from '@audiosplit/chassis/rpc/errors';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import type { Services } from '../services.ts';
import { isWellFormedApiKey } from './api-key-format.ts';
import { createExpiringCache } from './expiring-cache.ts';
import type { ApiKeyPrincipal } from './principal.ts';

/**
 * Lifetime of a cached verification. A revoked key must stop working everywhere within a second, even without an event;
 * the rest of the second is for requests in flight.
 */
const TRUSTED_MS = 900;
const MAX_CACHED_KEYS = 10_000;

interface VerifiedKey {
  readonly principal: ApiKeyPrincipal;
  readonly expiresAtMs: number;
}

interface ApiKeyVerifier {
  /** Throws ServiceError UNAUTHORIZED for a key that is malformed, unknown, revoked or expired. */
  verify(secret: string): Promise<ApiKeyPrincipal>;
  /** Drops what is cached about an account. */
  forget(accountId: string): void;
}

export function createApiKeyVerifier(auth: Services['auth'], clock: Clock): ApiKeyVerifier {
  const verified = createExpiringCache<VerifiedKey>({
    ttlMs: TRUSTED_MS,
    maxEntries: MAX_CACHED_KEYS,
    clock,
    isRefusal: (error) => hasReason(error, Reason.UNAUTHORIZED),
    load: async (sha256) => {
      const key = await auth.verifyApiKey({ secretSha256: Buffer.from(sha256, 'base64url') });
      if (key.limits === undefined) throw new Error('the auth service verified a key without its limits');
      return {
        principal: {
          kind: 'apiKey',
          keyId: key.keyId,
          accountId: key.accountId,
          scopes: key.scopes,
          requestsPerMinute: key.limits.requestsPerMinute,
          maxFileSizeBytes: Number(key.limits.maxFileSizeBytes),
        },
        expiresAtMs: key.expiresAt === undefined ? Number.POSITIVE_INFINITY : timestampMs(key.expiresAt),
      };
    },
  });

  return {
    async verify(secret) {
      if (!isWellFormedApiKey(secret)) throw invalidKey();
      const sha256 = hash('sha256', secret, 'base64url');
      const { principal, expiresAtMs } = await verified.get(sha256);
      if (clock().getTime() >= expiresAtMs) throw invalidKey();
      return principal;
    },
    forget: (accountId) => verified.forget(({ principal }) => principal.accountId === accountId),
  };
}

function invalidKey(): ServiceError {
  return new ServiceError(Reason.UNAUTHORIZED, 'The API key is not valid.');
}
