import { onlyRow, type Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Scope } from '../api-keys/scopes.ts';

export interface ApiKey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly preview: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
}

const COLUMNS = `key.id, key.account_id as "accountId", key.name, key.preview, key.scopes,
  key.created_at as "createdAt", key.updated_at as "updatedAt", key.expires_at as "expiresAt",
  key.last_used_at as "lastUsedAt"`;

/** Locks the account's keys until the transaction ends, for a correct count and the order of their events. */
export async function lockKeysOf(db: Queryable, accountId: string): Promise<void> {
  await db.query("select pg_advisory_xact_lock(hashtext('api_keys'), hashtext($1))", [accountId]);
}

/** Counts keys that have not expired. */
export async function countLiveKeys(db: Queryable, accountId: string, now: Date): Promise<number> {
  const result = await db.query<{ count: number }>(
    'select count(*) as count from api_keys where account_id = $1 and (expires_at is null or expires_at > $2)',
    [accountId, now],
  );
  return onlyRow(result).count;
}

export async function insertApiKey(db: Queryable, key: ApiKey): Promise<void> {
  await db.query(
    `insert into api_keys (id, account_id, name, preview, scopes, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [key.id, key.accountId, key.name, key.preview, key.scopes, key.createdAt, key.expiresAt],
  );
}

export async function findApiKey(
  db: Queryable,
  accountId: string,
  keyId: string,
): Promise<ApiKey | undefined> {
  const { rows } = await db.query<ApiKey>(
    `select ${COLUMNS} from api_keys as key where id = $1 and account_id = $2`,
    [keyId, accountId],
  );
  return rows[0];
}

export interface ApiKeyPage {
  readonly keys: readonly ApiKey[];
  readonly total: number;
}

/** Newest first; `page` counts from 1. */
export async function listApiKeys(
  db: Queryable,
  accountId: string,
  page: number,
  limit: number,
): Promise<ApiKeyPage> {
  const { rows: keys } = await db.query<ApiKey>(
    `select ${COLUMNS} from api_keys as key where account_id = $1
     order by created_at desc, id desc limit $2 offset $3`,
    [accountId, limit, (page - 1) * limit],
  );
  const counted = await db.query<{ total: number }>(
    'select count(*) as total from api_keys where account_id = $1',
    [accountId],
  );
  return { keys, total: onlyRow(counted).total };
}

/** Writes all fields that can change. */
export async function updateApiKey(db: Queryable, key: ApiKey): Promise<void> {
  await db.query(
    'update api_keys set name = $2, preview = $3, scopes = $4, expires_at = $5, updated_at = $6 where id = $1',
    [key.id, key.name, key.preview, key.scopes, key.expiresAt, key.updatedAt],
  );
}

/** Deletes its secrets too. */
export async function deleteApiKey(db: Queryable, keyId: string): Promise<void> {
  await db.query('delete from api_keys where id = $1', [keyId]);
}

export async function deleteApiKeysOf(db: Queryable, accountId: string): Promise<void> {
  await db.query('delete from api_keys where account_id = $1', [accountId]);
}

export interface KeyUse {
  readonly keyId: string;
  readonly usedAt: Date;
}

/** Skips uses less than `intervalMs` after the last recorded one. */
export async function recordKeyUses(
  db: Queryable,
  uses: readonly KeyUse[],
  now: Date,
  intervalMs: number,
): Promise<void> {
  await db.query(
    `update api_keys as key set last_used_at = used.at
     from (select key_id, least(max(at), $3) as at
           from unnest($1::text[], $2::timestamptz[]) as reported (key_id, at) group by key_id) as used
     where key.id = used.key_id
       and (key.last_used_at is null or used.at >= key.last_used_at + $4 * interval '1 millisecond')`,
    [uses.map((use) => use.keyId), uses.map((use) => use.usedAt), now, intervalMs],
  );
}
