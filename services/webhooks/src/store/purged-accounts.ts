import type { Queryable } from '@audiosplit/chassis/postgres/pool';

/**
 * Until the transaction ends, the account is not purged; a purge that has begun is waited for. Any number may hold this
 * at a time.
 */
export async function holdOffPurge(db: Queryable, accountId: string): Promise<void> {
  await db.query("select pg_advisory_xact_lock_shared(hashtext('webhooks.purge'), hashtext($1))", [
    accountId,
  ]);
}

/** Waits for whoever holds it off. */
export async function lockForPurge(db: Queryable, accountId: string): Promise<void> {
  await db.query("select pg_advisory_xact_lock(hashtext('webhooks.purge'), hashtext($1))", [accountId]);
}

export async function insertPurgedAccount(db: Queryable, accountId: string, now: Date): Promise<void> {
  await db.query(
    'insert into purged_accounts (account_id, purged_at) values ($1, $2) on conflict do nothing',
    [accountId, now],
  );
}

export async function isPurged(db: Queryable, accountId: string): Promise<boolean> {
  const { rowCount } = await db.query('select from purged_accounts where account_id = $1', [accountId]);
  return rowCount === 1;
}

export async function forgetPurgedAccounts(db: Queryable, purgedBefore: Date): Promise<void> {
  await db.query('delete from purged_accounts where purged_at <= $1', [purgedBefore]);
}
