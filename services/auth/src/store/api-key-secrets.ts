import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Scope } from '../api-keys/scopes.ts';

export async function insertSecret(db: Queryable, keyId: string, sha256: Buffer): Promise<void> {
  await db.query('insert into api_key_secrets (sha256, key_id) values ($1, $2)', [sha256, keyId]);
}

/** Ends all current secrets of a key at `graceEndsAt` at the latest. */
export async function retireSecrets(db: Queryable, keyId: string, graceEndsAt: Date): Promise<void> {
  await db.query('update api_key_secrets set grace_ends_at = least(grace_ends_at, $2) where key_id = $1', [
    keyId,
    graceEndsAt,
  ]);
}

export interface KeyOfSecret {
  readonly keyId: string;
  readonly accountId: string;
  readonly scopes: readonly Scope[];
  /** The earlier of the key's expiry and the end of the secret's grace. */
  readonly usableUntil: Date | null;
  readonly accountBeingDeleted: boolean;
}

export async function findKeyOfSecret(db: Queryable, sha256: Uint8Array): Promise<KeyOfSecret | undefined> {
  const { rows } = await db.query<KeyOfSecret>(
    `select key.id as "keyId", key.account_id as "accountId", key.scopes,
       least(key.expires_at, secret.grace_ends_at) as "usableUntil",
       exists (select from account_deletions where account_id = key.account_id) as "accountBeingDeleted"
     from api_key_secrets as secret join api_keys as key on key.id = secret.key_id
     where secret.sha256 = $1`,
    [Buffer.from(sha256)],
  );
  return rows[0];
}

export async function pruneSecrets(db: Queryable, now: Date): Promise<void> {
  await db.query('delete from api_key_secrets where grace_ends_at <= $1', [now]);
}
