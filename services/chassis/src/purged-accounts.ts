/**
 * Remembers the ids of purged accounts, so that late messages do not bring their data back. A service that
 * needs this has the table `purged_accounts` in its migrations.
 */
import type { Queryable } from './postgres/pool.ts';

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
