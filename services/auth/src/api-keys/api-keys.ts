/** API keys: managing and verifying them. A secret is returned once, when it is minted; only its SHA-256 is stored. */
import type { Clock } from '@audiosplit/chassis/clock';
import { NotFoundError, ServiceError } from '@audiosplit/chassis/errors';
import { isId, newId } from '@audiosplit/chassis/ids';
import { appendToOutbox } from '@audiosplit/chassis/outbox/outbox';
import { type Pool, type Queryable, withTransaction } from '@audiosplit/chassis/postgres/pool';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { apiKeyChanged } from '../events.ts';
import { findKeyOfSecret, insertSecret, type KeyOfSecret, retireSecrets } from '../store/api-key-secrets.ts';
import {
  type ApiKey,
  type ApiKeyPage,
  countLiveKeys,
  deleteApiKey,
  findApiKey,
  insertApiKey,
  type KeyUse,
  listApiKeys,
  lockKeysOf,
  recordKeyUses,
  updateApiKey,
} from '../store/api-keys.ts';
import { checkExpiry, checkGrace, checkKeyName, isLive, MAX_LIVE_KEYS } from './api-key.ts';
import { mintApiKeySecret, previewOfApiKeySecret, sha256OfSecret } from './api-key-secret.ts';
import { checkMayGrant, DEFAULT_SCOPES, parseScopes } from './scopes.ts';

interface ApiKeysOptions {
  readonly pool: Pool;
  readonly wakeRelay: () => void;
  readonly clock: Clock;
}

/** The account whose keys are managed, and the scopes of the caller's credential. */
export interface KeyManager {
  readonly accountId: string;
  readonly scopes: readonly string[];
}

interface NewApiKey {
  readonly name: string;
  /** Empty: all. */
  readonly scopes: readonly string[];
  readonly expiresAt: Date | null;
}

/** Absent fields stay unchanged. */
export interface ApiKeyChanges {
  readonly name?: string;
  readonly scopes?: readonly string[];
  readonly expiresAt?: Date | null;
}

interface MintedApiKey {
  readonly key: ApiKey;
  readonly secret: string;
}

export interface ApiKeys {
  /** Throws INVALID_PARAMS, INSUFFICIENT_SCOPE, KEY_LIMIT_REACHED. */
  create(manager: KeyManager, fields: NewApiKey): Promise<MintedApiKey>;
  /** Throws INVALID_PARAMS, INSUFFICIENT_SCOPE, NOT_FOUND, and KEY_LIMIT_REACHED if it revives an expired key. */
  update(manager: KeyManager, keyId: string, changes: ApiKeyChanges): Promise<ApiKey>;
  /** Throws NOT_FOUND. */
  get(manager: KeyManager, keyId: string): Promise<ApiKey>;
  list(manager: KeyManager, page: number, limit: number): Promise<ApiKeyPage>;
  /** Throws NOT_FOUND. */
  revoke(manager: KeyManager, keyId: string): Promise<void>;
  /**
   * Gives the key a new secret. Earlier secrets work for `graceSeconds` more. Throws INVALID_PARAMS,
   * INSUFFICIENT_SCOPE, NOT_FOUND.
   */
  rotate(manager: KeyManager, keyId: string, graceSeconds: number): Promise<MintedApiKey>;
  /** Throws UNAUTHORIZED. */
  verify(secretSha256: Uint8Array): Promise<KeyOfSecret>;
  recordUses(uses: readonly KeyUse[]): Promise<void>;
}

const ID_PREFIX = 'key';
const USE_INTERVAL_MS = 60_000;

export function createApiKeys({ pool, wakeRelay, clock }: ApiKeysOptions): ApiKeys {
  /** Serialises the changes of an account, and wakes the relay after the commit. */
  const change = async <T>(accountId: string, work: (db: Queryable, now: Date) => Promise<T>): Promise<T> => {
    const result = await withTransaction(pool, async (client) => {
      await lockKeysOf(client, accountId);
      return work(client, clock());
    });
    wakeRelay();
    return result;
  };

  return {
    create: (manager, fields) =>
      change(manager.accountId, async (db, now) => {
        checkKeyName(fields.name);
        const scopes = fields.scopes.length === 0 ? DEFAULT_SCOPES : parseScopes(fields.scopes);
        if (fields.expiresAt !== null) checkExpiry(fields.expiresAt, now);
        checkMayGrant(manager.scopes, scopes);
        await checkRoomForKey(db, manager.accountId, now);
        const secret = mintApiKeySecret();
        const key: ApiKey = {
          id: newId(ID_PREFIX, now),
          accountId: manager.accountId,
          name: fields.name,
          preview: previewOfApiKeySecret(secret),
          scopes,
          createdAt: now,
          updatedAt: null,
          expiresAt: fields.expiresAt,
          lastUsedAt: null,
        };
        await insertApiKey(db, key);
        await insertSecret(db, key.id, sha256OfSecret(secret));
        return { key, secret };
      }),

    update: (manager, keyId, changes) =>
      change(manager.accountId, async (db, now) => {
        const key = await getApiKey(db, manager.accountId, keyId);
        if (Object.keys(changes).length === 0) return key;
        if (changes.name !== undefined) checkKeyName(changes.name);
        const scopes = changes.scopes === undefined ? key.scopes : parseScopes(changes.scopes);
        if (changes.expiresAt) checkExpiry(changes.expiresAt, now);
        checkMayGrant(manager.scopes, scopes);
        const updated: ApiKey = {
          ...key,
          name: changes.name ?? key.name,
          scopes,
          expiresAt: changes.expiresAt === undefined ? key.expiresAt : changes.expiresAt,
          updatedAt: now,
        };
        if (!isLive(key, now) && isLive(updated, now)) await checkRoomForKey(db, manager.accountId, now);
        await updateApiKey(db, updated);
        await appendToOutbox(db, [apiKeyChanged(updated, false, now)]);
        return updated;
      }),

    get: (manager, keyId) => getApiKey(pool, manager.accountId, keyId),

    list: (manager, page, limit) => listApiKeys(pool, manager.accountId, page, limit),

    revoke: (manager, keyId) =>
      change(manager.accountId, async (db, now) => {
        await getApiKey(db, manager.accountId, keyId);
        await deleteApiKey(db, keyId);
        await appendToOutbox(db, [apiKeyChanged({ id: keyId, accountId: manager.accountId }, true, now)]);
      }),

    rotate: (manager, keyId, graceSeconds) =>
      change(manager.accountId, async (db, now) => {
        checkGrace(graceSeconds);
        const key = await getApiKey(db, manager.accountId, keyId);
        checkMayGrant(manager.scopes, key.scopes);
        const secret = mintApiKeySecret();
        await retireSecrets(db, keyId, new Date(now.getTime() + graceSeconds * 1000));
        await insertSecret(db, keyId, sha256OfSecret(secret));
        const rotated: ApiKey = { ...key, preview: previewOfApiKeySecret(secret), updatedAt: now };
        await updateApiKey(db, rotated);
        await appendToOutbox(db, [apiKeyChanged(rotated, false, now)]);
        return { key: rotated, secret };
      }),

    async verify(secretSha256) {
      const found = await findKeyOfSecret(pool, secretSha256);
      if (found === undefined || (found.usableUntil !== null && found.usableUntil <= clock())) {
        throw new ServiceError(Reason.UNAUTHORIZED, 'The API key is unknown, revoked or expired.');
      }
      if (found.accountBeingDeleted) {
        throw new ServiceError(
          Reason.UNAUTHORIZED,
          'The account of this API key is about to be deleted; restore the account to use it.',
        );
      }
      return found;
    },

    recordUses: (uses) => recordKeyUses(pool, uses, clock(), USE_INTERVAL_MS),
  };
}

async function getApiKey(db: Queryable, accountId: string, keyId: string): Promise<ApiKey> {
  const key = isId(ID_PREFIX, keyId) ? await findApiKey(db, accountId, keyId) : undefined;
  if (key === undefined) throw new NotFoundError('The API key');
  return key;
}

async function checkRoomForKey(db: Queryable, accountId: string, now: Date): Promise<void> {
  if ((await countLiveKeys(db, accountId, now)) >= MAX_LIVE_KEYS) {
    throw new ServiceError(
      Reason.KEY_LIMIT_REACHED,
      `An account has at most ${MAX_LIVE_KEYS} keys; revoke one that is not needed any more.`,
    );
  }
}
