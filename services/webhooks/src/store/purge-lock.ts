import type { Queryable } from '@audiosplit/chassis/postgres/pool';

/**
 * Prevents a purge of the account until the transaction ends; waits for a purge that has begun. A shared
 * lock.
 */
export async function holdOffPurge(db: Queryable, accountId: string): Promise<void> {
  await db.query("select pg_advisory_xact_lock_shared(hashtext('webhooks.purge'), hashtext($1))", [
    accountId,
  ]);
}

/** Waits for the transactions that hold the shared lock. */
export async function lockForPurge(db: Queryable, accountId: string): Promise<void> {
  await db.query("select pg_advisory_xact_lock(hashtext('webhooks.purge'), hashtext($1))", [accountId]);
}
