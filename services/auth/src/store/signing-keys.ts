import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { JWK } from 'jose';

export interface SigningKeyRow {
  readonly kid: string;
  readonly publicJwk: JWK;
  readonly sealedPrivateKey: Buffer;
  readonly activatesAt: Date;
}

/** Prevents other rotations until the transaction ends. Reading is not blocked. */
export async function lockSigningKeys(db: Queryable): Promise<void> {
  await db.query('lock table signing_keys in share row exclusive mode');
}

/** Oldest first. */
export async function selectSigningKeys(db: Queryable): Promise<SigningKeyRow[]> {
  const { rows } = await db.query<SigningKeyRow>(
    `select kid, public_jwk as "publicJwk", sealed_private_key as "sealedPrivateKey", activates_at as "activatesAt"
     from signing_keys order by activates_at, kid`,
  );
  return rows;
}

export async function insertSigningKey(db: Queryable, key: SigningKeyRow): Promise<void> {
  await db.query(
    'insert into signing_keys (kid, public_jwk, sealed_private_key, activates_at) values ($1, $2, $3, $4)',
    [key.kid, JSON.stringify(key.publicJwk), key.sealedPrivateKey, key.activatesAt],
  );
}

export async function deleteSigningKeys(db: Queryable, kids: readonly string[]): Promise<void> {
  await db.query('delete from signing_keys where kid = any ($1)', [kids]);
}
