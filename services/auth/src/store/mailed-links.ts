/** Links in mails. The table is named after the first purpose. */
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import { HOLDER_COLUMNS, type Holder } from './accounts.ts';

export type LinkPurpose = 'sign-in' | 'reset-password' | 'verify-email';

interface NewLink {
  readonly accountId: string;
  readonly purpose: LinkPurpose;
  readonly sha256: Buffer;
  /** Key of the address to which the link is mailed. Null: the account's address. */
  readonly addressKey: string | null;
  readonly expiresAt: Date;
}

/** False if the account does not exist. */
export async function insertLink(
  db: Queryable,
  { accountId, purpose, sha256, addressKey, expiresAt }: NewLink,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into sign_in_links (sha256, account_id, purpose, address_key, expires_at)
     select $2, id, $3, $4, $5 from accounts where id = $1`,
    [accountId, sha256, purpose, addressKey, expiresAt],
  );
  return rowCount === 1;
}

/** The account of a valid link; the link stays valid. */
export async function findLink(db: Queryable, sha256: Buffer, now: Date): Promise<string | undefined> {
  const { rows } = await db.query<{ accountId: string }>(
    'select account_id as "accountId" from sign_in_links where sha256 = $1 and expires_at > $2',
    [sha256, now],
  );
  return rows[0]?.accountId;
}

export interface SpentLink {
  readonly holder: Holder;
  readonly addressKey: string | null;
}

/**
 * The account of a valid link; all its links of the same purpose are spent. Locks the account until the
 * transaction ends, before any link: otherwise two links of one account that are used concurrently could
 * deadlock.
 */
export async function spendLink(db: Queryable, sha256: Buffer, now: Date): Promise<SpentLink | undefined> {
  const holders = await db.query<Holder>(
    `select ${HOLDER_COLUMNS} from accounts as account
     where id = (select account_id from sign_in_links where sha256 = $1) for update`,
    [sha256],
  );
  const spent = await db.query<{ purpose: LinkPurpose; addressKey: string | null }>(
    `delete from sign_in_links where sha256 = $1 and expires_at > $2 returning purpose, address_key as "addressKey"`,
    [sha256, now],
  );
  const holder = holders.rows[0];
  const link = spent.rows[0];
  if (holder === undefined || link === undefined) return undefined;
  await deleteLinks(db, holder.id, link.purpose);
  return { holder, addressKey: link.addressKey };
}

export async function deleteLinks(db: Queryable, accountId: string, purpose: LinkPurpose): Promise<void> {
  await db.query('delete from sign_in_links where account_id = $1 and purpose = $2', [accountId, purpose]);
}

export async function pruneLinks(db: Queryable, now: Date): Promise<void> {
  await db.query('delete from sign_in_links where expires_at <= $1', [now]);
}
