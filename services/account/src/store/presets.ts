import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Preset } from '../preset.ts';

const COLUMNS = 'id, name, request::text as request, created_at as "createdAt", updated_at as "updatedAt"';

export async function listPresets(db: Queryable, accountId: string): Promise<Preset[]> {
  const { rows } = await db.query<Preset>(
    `select ${COLUMNS} from presets where account_id = $1 order by lower(name), name`,
    [accountId],
  );
  return rows;
}

/** Presets with another name. */
export async function countOtherPresets(db: Queryable, accountId: string, name: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*)::int as count from presets where account_id = $1 and name <> $2',
    [accountId, name],
  );
  return rows[0]?.count ?? 0;
}

/** Replaces the request of a preset of the same name. */
export async function putPreset(
  db: Queryable,
  accountId: string,
  { id, name, request, createdAt }: Omit<Preset, 'updatedAt'>,
): Promise<Preset> {
  const { rows } = await db.query<Preset>(
    `insert into presets (id, account_id, name, request, created_at, updated_at) values ($1, $2, $3, $4, $5, $5)
     on conflict (account_id, name) do update set request = excluded.request, updated_at = excluded.updated_at
     returning ${COLUMNS}`,
    [id, accountId, name, request, createdAt],
  );
  const [preset] = rows;
  if (preset === undefined) throw new Error('an insert or update returns its row');
  return preset;
}

/** False if the account has no such preset. */
export async function deletePreset(db: Queryable, accountId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query('delete from presets where account_id = $1 and id = $2', [
    accountId,
    id,
  ]);
  return rowCount === 1;
}

export async function deletePresetsOf(db: Queryable, accountId: string): Promise<void> {
  await db.query('delete from presets where account_id = $1', [accountId]);
}
