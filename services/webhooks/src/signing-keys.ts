/** The keys that sign an account's notifications: created on first use, replaced on request. */
import { randomBytes } from 'node:crypto';
import { type Pool, type Queryable, withTransaction } from '@audiosplit/chassis/postgres/pool';
import type { SecretBox } from '@audiosplit/chassis/secrets/secret-box';
import { SIGNING_KEY_BYTES } from './delivery/signature.ts';
import {
  expireCurrentSecret,
  findCurrentSecret,
  findLiveSecrets,
  insertSecret,
  lockSecrets,
} from './store/signing-secrets.ts';

/** How long a replaced key still signs in addition to its successor. */
const ROTATION_OVERLAP_MS = 24 * 3_600_000;
/** Bounds the signature header: with more rotations a day the oldest keys stop signing early. */
const MAX_LIVE_KEYS = 5;

export interface SigningKeys {
  /** The account's current key, created if there is none. `db` is a transaction's client. */
  current(db: Queryable, accountId: string, now: Date): Promise<Buffer>;
  /** Creates a new key; the previous one signs for another 24 h. */
  rotate(pool: Pool, accountId: string, now: Date): Promise<Buffer>;
  /**
   * All keys that sign now, newest first; none for a purged account. A key that cannot be decrypted is left out if there
   * is another, so that a rotation repairs the account. Throws if none can be decrypted.
   */
  live(db: Queryable, accountId: string, now: Date): Promise<Buffer[]>;
}

export function createSigningKeys(cipher: SecretBox): SigningKeys {
  const addKey = async (db: Queryable, accountId: string, now: Date) => {
    const key = randomBytes(SIGNING_KEY_BYTES);
    await insertSecret(db, accountId, cipher.seal(key, accountId), now);
    return key;
  };
  return {
    async current(db, accountId, now) {
      let sealed = await findCurrentSecret(db, accountId);
      if (sealed === undefined) {
        await lockSecrets(db, accountId);
        sealed = await findCurrentSecret(db, accountId);
      }
      return sealed === undefined ? addKey(db, accountId, now) : cipher.open(sealed, accountId);
    },
    rotate: (pool, accountId, now) =>
      withTransaction(pool, async (client) => {
        await lockSecrets(client, accountId);
        await expireCurrentSecret(client, accountId, new Date(now.getTime() + ROTATION_OVERLAP_MS));
        return addKey(client, accountId, now);
      }),
    async live(db, accountId, now) {
      const sealed = await findLiveSecrets(db, accountId, now, MAX_LIVE_KEYS);
      const keys: Buffer[] = [];
      let refusal: unknown;
      for (const one of sealed) {
        try {
          keys.push(cipher.open(one, accountId));
        } catch (error) {
          refusal = error;
        }
      }
      if (keys.length === 0 && refusal !== undefined) throw refusal;
      return keys;
    },
  };
}
