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

/** An account, and whether its address is verified. */
export interface Holder extends Account {
  readonly emailVerifiedAt: Date | null;
  /** Replaces `email` once it is verified. */
  readonly pendingEmail: string | null;
}

export const HOLDER_COLUMNS = `id, email, name, created_at as "createdAt", email_verified_at as "emailVerifiedAt",
  pending_email as "pendingEmail"`;

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

export async function findPasswordHash(db: Queryable, accountId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ passwordHash: string }>(
    'select password_hash as "passwordHash" from accounts where id = $1',
    [accountId],
  );
  return rows[0]?.passwordHash;
}

export async function findHolder(db: Queryable, accountId: string): Promise<Holder | undefined> {
  const { rows } = await db.query<Holder>(`select ${HOLDER_COLUMNS} from accounts where id = $1`, [
    accountId,
  ]);
  return rows[0];
}

/** Locks the account until the transaction ends: none of its sessions can be opened meanwhile. */
export async function lockHolder(db: Queryable, accountId: string): Promise<Holder | undefined> {
  const { rows } = await db.query<Holder>(`select ${HOLDER_COLUMNS} from accounts where id = $1 for update`, [
    accountId,
  ]);
  return rows[0];
}

export async function findIdByAddress(db: Queryable, addressKey: string): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>('select id from accounts where address_key = $1', [
    addressKey,
  ]);
  return rows[0]?.id;
}

/** Whether an account with a password here has not verified its address. */
export async function isUnverified(db: Queryable, accountId: string): Promise<boolean> {
  const { rowCount } = await db.query('select from accounts where id = $1 and email_verified_at is null', [
    accountId,
  ]);
  return rowCount === 1;
}

export async function setPendingEmail(db: Queryable, accountId: string, email: string | null): Promise<void> {
  await db.query('update accounts set pending_email = $2 where id = $1', [accountId, email]);
}

/** Violates ADDRESS_CONSTRAINT if another account has the address. */
export async function setVerifiedEmail(
  db: Queryable,
  accountId: string,
  address: { readonly text: string; readonly key: string },
  now: Date,
): Promise<void> {
  await db.query(
    `update accounts set email = $2, address_key = $3, email_verified_at = $4, pending_email = null where id = $1`,
    [accountId, address.text, address.key, now],
  );
}

export async function setPasswordHash(db: Queryable, accountId: string, passwordHash: string): Promise<void> {
  await db.query('update accounts set password_hash = $2 where id = $1', [accountId, passwordHash]);
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
