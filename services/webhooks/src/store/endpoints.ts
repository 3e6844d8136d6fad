import { onlyRow, type Queryable } from '@audiosplit/chassis/postgres/pool';

/** A target for all of an account's notifications, in addition to the targets of its jobs and exports. */
export interface Endpoint {
  readonly url: string;
  /** Types of notifications; null: all. */
  readonly events: readonly string[] | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const COLUMNS = 'url, events, created_at as "createdAt", updated_at as "updatedAt"';

export async function findEndpoint(db: Queryable, accountId: string): Promise<Endpoint | undefined> {
  const { rows } = await db.query<Endpoint>(`select ${COLUMNS} from endpoints where account_id = $1`, [
    accountId,
  ]);
  return rows[0];
}

export async function saveEndpoint(
  db: Queryable,
  accountId: string,
  { url, events }: Pick<Endpoint, 'url' | 'events'>,
  now: Date,
): Promise<Endpoint> {
  const result = await db.query<Endpoint>(
    `insert into endpoints (account_id, url, events, created_at, updated_at) values ($1, $2, $3, $4, $4)
     on conflict (account_id) do update set url = $2, events = $3, updated_at = $4
     returning ${COLUMNS}`,
    [accountId, url, events, now],
  );
  return onlyRow(result);
}

/** Returns whether there was one. */
export async function deleteEndpoint(db: Queryable, accountId: string): Promise<boolean> {
  const { rowCount } = await db.query('delete from endpoints where account_id = $1', [accountId]);
  return rowCount === 1;
}
