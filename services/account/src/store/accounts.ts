/** The store: the service's SQL, a file per table. Profiles of accounts, as auth's events report them. */
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Account } from '../account.ts';

/** Does nothing if the account is known or purged. */
export async function insertAccount(db: Queryable, account: Account): Promise<void> {
  await db.query(
    `insert into accounts (id, email, name, created_at)
     select $1, $2, $3, $4 where not exists (select from purges where account_id = $1)
     on conflict (id) do nothing`,
    [account.id, account.email, account.name, account.createdAt],
  );
}

/** Does nothing if the account is unknown. */
export async function updateProfile(
  db: Queryable,
  { id, email, name }: Pick<Account, 'id' | 'email' | 'name'>,
): Promise<void> {
  await db.query('update accounts set email = $2, name = $3 where id = $1', [id, email, name]);
}

export async function findAccount(db: Queryable, accountId: string): Promise<Account | undefined> {
  const { rows } = await db.query<Account>(
    'select id, email, name, created_at as "createdAt" from accounts where id = $1',
    [accountId],
  );
  return rows[0];
}

export async function deleteAccount(db: Queryable, accountId: string): Promise<void> {
  await db.query('delete from accounts where id = $1', [accountId]);
}
