/** The store: auth's SQL, a file per table. Accounts that sign in with a password. */
import type { Queryable } from '@audiosplit/chassis/postgres/pool';

export interface Account {
  readonly id: string;
  /** Empty if an external issuer gives none. */
  readonly email: string;
  readonly name: string;
  readonly createdAt: Date;
}

export interface Credentials {
  readonly account: Account;
  readonly passwordHash: string;
}

/** The unique constraint on addresses. */
export const ADDRESS_CONSTRAINT = 'accounts_address_key';

export async function insertAccount(
  db: Queryable,
  account: Account,
  addressKey: string,
  passwordHash: string,
): Promise<void> {
  await db.query(
    `insert into accounts (id, email, address_key, name, password_hash, created_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [account.id, account.email, addressKey, account.name, passwordHash, account.createdAt],
  );
}

export async function findCredentials(db: Queryable, addressKey: string): Promise<Credentials | undefined> {
  const { rows } = await db.query<Account & { passwordHash: string }>(
    `select id, email, name, created_at as "createdAt", password_hash as "passwordHash"
     from accounts where address_key = $1`,
    [addressKey],
  );
  const row = rows[0];
  if (row === undefined) return undefined;
  const { passwordHash, ...account } = row;
  return { account, passwordHash };
}

export async function findAccount(db: Queryable, accountId: string): Promise<Account | undefined> {
  const { rows } = await db.query<Account>(
    'select id, email, name, created_at as "createdAt" from accounts where id = $1',
    [accountId],
  );
  return rows[0];
}

/** Replaces a hash of the same password, unless the password was changed meanwhile. */
export async function replacePasswordHash(
  db: Queryable,
  accountId: string,
  from: string,
  to: string,
): Promise<void> {
  await db.query('update accounts set password_hash = $3 where id = $1 and password_hash = $2', [
    accountId,
    from,
    to,
  ]);
}

/** Deletes its sessions too. */
export async function deleteAccount(db: Queryable, accountId: string): Promise<void> {
  await db.query('delete from accounts where id = $1', [accountId]);
}
