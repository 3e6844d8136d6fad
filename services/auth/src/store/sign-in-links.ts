import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Account } from './accounts.ts';

/** False if the account does not exist. */
export async function insertSignInLink(
  db: Queryable,
  accountId: string,
  sha256: Buffer,
  expiresAt: Date,
): Promise<boolean> {
  const { rowCount } = await db.query(
    'insert into sign_in_links (sha256, account_id, expires_at) select $2, id, $3 from accounts where id = $1',
    [accountId, sha256, expiresAt],
  );
  return rowCount === 1;
}

/** The account of a link that is good, whose links are all spent with it. */
export async function spendSignInLink(
  db: Queryable,
  sha256: Buffer,
  now: Date,
): Promise<Account | undefined> {
  const { rows } = await db.query<Account>(
    `with used as (
       delete from sign_in_links where sha256 = $1 returning account_id, expires_at
     ), account as (
       select id, email, name, created_at from accounts
       where id = (select account_id from used where expires_at > $2)
     ), others as (
       delete from sign_in_links where account_id = (select id from account) and sha256 <> $1
     )
     select id, email, name, created_at as "createdAt" from account`,
    [sha256, now],
  );
  return rows[0];
}

export async function pruneSignInLinks(db: Queryable, now: Date): Promise<void> {
  await db.query('delete from sign_in_links where expires_at <= $1', [now]);
}
