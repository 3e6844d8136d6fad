import { hash } from 'node:crypto';
import type { Clock } from '@audiosplit/chassis/clock';
import { ServiceError } from '@audiosplit/chassis/errors';
import { hasReason } from '@audiosplit/chassis/rpc/errors';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import type { RateLimiter } from '../rate-limit/rate-limiter.ts';
import type { Services } from '../services.ts';
import { isWellFormedApiKey } from './api-key-format.ts';
import { createExpiringCache } from './expiring-cache.ts';
import { createExpiringSet } from './expiring-set.ts';
import type { ApiKeyPrincipal } from './principal.ts';
import { fromProtoSuspension } from './suspension.ts';

/**
 * Lifetime of a cached verification. A revoked key must stop working everywhere within a second, even without an event;
 * the rest of the second is for requests in flight.
 */
const TRUSTED_MS = 900;
const MAX_CACHED_KEYS = 10_000;
/** A key verified within this time is accepted even if the window of its address is spent. */
const RECENT_MS = 300_000;
const MAX_RECENT_KEYS = 50_000;
/** A verified key is stored for the other gateways at most this often. */
const SHARED_EVERY_MS = 30_000;
/** A refused key is refused again without a call for this time. */
const REFUSED_MS = 30_000;
const MAX_REFUSED_KEYS = 10_000;

/**
 * Called before auth is queried about a key that was not verified recently. Throws if the caller may not
 * query; `mayPass` says whether another gateway knows the key.
 */
export type AskForCaller = (mayPass: () => Promise<boolean>) => Promise<void>;

/** The gateways' shared memory of keys that auth has verified. */
export type VerifiedKeys = Pick<RateLimiter, 'remember' | 'remembers'>;

interface VerifiedKey {
  readonly principal: ApiKeyPrincipal;
  readonly expiresAtMs: number;
}

interface ApiKeyVerifier {
  /** Throws ServiceError UNAUTHORIZED for a key that is malformed, unknown, revoked or expired. */
  verify(secret: string, ask: AskForCaller): Promise<ApiKeyPrincipal>;
  /** Drops what is cached about an account. */
  forget(accountId: string): void;
}

interface ApiKeyOptions {
  readonly auth: Services['auth'];
  readonly clock: Clock;
  readonly verifiedKeys: VerifiedKeys;
}

export function createApiKeyVerifier({ auth, clock, verifiedKeys }: ApiKeyOptions): ApiKeyVerifier {
  const recent = createExpiringSet({ ttlMs: RECENT_MS, maxEntries: MAX_RECENT_KEYS, clock });
  const shared = createExpiringSet({ ttlMs: SHARED_EVERY_MS, maxEntries: MAX_RECENT_KEYS, clock });
  const refused = createExpiringSet({ ttlMs: REFUSED_MS, maxEntries: MAX_REFUSED_KEYS, clock });
  const note = (sha256: string) => {
    recent.add(sha256);
    if (shared.has(sha256)) return;
    shared.add(sha256);
    void verifiedKeys.remember(nameOf(sha256), (RECENT_MS + SHARED_EVERY_MS) / 1_000);
  };
  const verified = createExpiringCache<VerifiedKey>({
    ttlMs: TRUSTED_MS,
    maxEntries: MAX_CACHED_KEYS,
    clock,
    isRefusal: (error) => hasReason(error, Reason.UNAUTHORIZED),
    load: async (sha256) => {
      const key = await auth
        .verifyApiKey({ secretSha256: Buffer.from(sha256, 'base64url') })
        .catch((error: unknown) => {
          if (hasReason(error, Reason.UNAUTHORIZED)) {
            refused.add(sha256);
            recent.delete(sha256);
          }
          throw error;
        });
      note(sha256);
      if (key.limits === undefined) throw new Error('the auth service verified a key without its limits');
      return {
        principal: {
          kind: 'apiKey',
          keyId: key.keyId,
          accountId: key.accountId,
          scopes: key.scopes,
          requestsPerMinute: key.limits.requestsPerMinute,
          maxFileSizeBytes: Number(key.limits.maxFileSizeBytes),
          mustVerifyEmail: key.mustVerifyEmail,
          suspension: fromProtoSuspension(key.limits),
        },
        expiresAtMs: key.expiresAt === undefined ? Number.POSITIVE_INFINITY : timestampMs(key.expiresAt),
      };
    },
  });

  return {
    async verify(secret, ask) {
      if (!isWellFormedApiKey(secret)) throw invalidKey();
      const sha256 = hash('sha256', secret, 'base64url');
      if (refused.has(sha256)) throw invalidKey();
      if (!recent.has(sha256)) {
        await ask(() => verifiedKeys.remembers(nameOf(sha256)));
        // Another caller may have received the refusal meanwhile.
        if (refused.has(sha256)) throw invalidKey();
      }
      const { principal, expiresAtMs } = await verified.get(sha256);
      if (clock().getTime() >= expiresAtMs) throw invalidKey();
      return principal;
    },
    forget(accountId) {
      verified.forget(({ principal }) => principal.accountId === accountId);
      // It is not known to whom these keys belong, and those of a restored account are valid again.
      refused.clear();
    },
  };
}

/** Hashed again, so that the shared name cannot be compared with the hash that auth stores. */
function nameOf(sha256: string): string {
  return hash('sha256', `verified key ${sha256}`, 'base64url');
}

function invalidKey(): ServiceError {
  return new ServiceError(Reason.UNAUTHORIZED, 'The API key is not valid.');
}
