import type { Queryable } from '@audiosplit/chassis/postgres/pool';

/** Until the transaction ends, no other transaction adds a secret to the account. */
export async function lockSecrets(db: Queryable, accountId: string): Promise<void> {
  await db.query("select pg_advisory_xact_lock(hashtext('webhooks.secrets'), hashtext($1))", [accountId]);
}

export async function findCurrentSecret(db: Queryable, accountId: string): Promise<Buffer | undefined> {
  const { rows } = await db.query<{ sealed: Buffer }>(
    'select sealed from signing_secrets where account_id = $1 and expires_at is null',
    [accountId],
  );
  return rows[0]?.sealed;
}

/** Newest first. */
export async function findLiveSecrets(
  db: Queryable,
  accountId: string,
  now: Date,
  limit: number,
): Promise<Buffer[]> {
  const { rows } = await db.query<{ sealed: Buffer }>(
    `select sealed from signing_secrets where account_id = $1 and (expires_at is null or expires_at > $2)
     order by number desc limit $3`,
    [accountId, now, limit],
  );
  return rows.map((row) => row.sealed);
}

export async function insertSecret(
  db: Queryable,
  accountId: string,
  sealed: Buffer,
  now: Date,
): Promise<void> {
  await db.query('insert into signing_secrets (account_id, sealed, created_at) values ($1, $2, $3)', [
    accountId,
    sealed,
    now,
  ]);
}

export async function expireCurrentSecret(db: Queryable, accountId: string, expiresAt: Date): Promise<void> {
  await db.query('update signing_secrets set expires_at = $2 where account_id = $1 and expires_at is null', [
    accountId,
    expiresAt,
  ]);
}

export async function deleteExpiredSecrets(db: Queryable, now: Date): Promise<void> {
  await db.query('delete from signing_secrets where expires_at <= $1', [now]);
}

export async function deleteSecretsOf(db: Queryable, accountId: string): Promise<void> {
  await db.query('delete from signing_secrets where account_id = $1', [accountId]);
}
