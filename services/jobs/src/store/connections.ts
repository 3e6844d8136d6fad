import { onlyRow, type Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Connection, SealedConnection, SealedSecret } from '../connections/connection.ts';

interface ConnectionRow extends Omit<SealedConnection, 'endpoint'> {
  readonly endpoint: string | null;
}

const COLUMNS = `id, account_id as "accountId", name, endpoint, region, bucket, prefix, access_key_id as "accessKeyId",
  sealed_secret as sealed, sealed_under as "sealedUnder", created_at as "createdAt"`;

/** By name. */
export async function listConnections(db: Queryable, accountId: string): Promise<Connection[]> {
  const { rows } = await db.query<ConnectionRow>(
    `select ${COLUMNS} from connections where account_id = $1 order by name`,
    [accountId],
  );
  return rows.map(fromRow);
}

/** By id or name. */
export async function findConnection(
  db: Queryable,
  accountId: string,
  idOrName: string,
): Promise<SealedConnection | undefined> {
  const { rows } = await db.query<ConnectionRow>(
    `select ${COLUMNS} from connections where account_id = $1 and (id = $2 or name = $2)`,
    [accountId, idOrName],
  );
  return rows[0] && fromRow(rows[0]);
}

export async function insertConnection(db: Queryable, connection: SealedConnection): Promise<void> {
  const { id, accountId, name, endpoint, region, bucket, prefix, accessKeyId } = connection;
  await db.query(
    `insert into connections (id, account_id, name, endpoint, region, bucket, prefix, access_key_id, sealed_secret,
                              sealed_under, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      ...[id, accountId, name, endpoint ?? null, region, bucket, prefix, accessKeyId],
      ...[connection.sealed, connection.sealedUnder, connection.createdAt],
    ],
  );
}

export async function deleteConnection(db: Queryable, accountId: string, id: string): Promise<void> {
  await db.query('delete from connections where account_id = $1 and id = $2', [accountId, id]);
}

/** An unfinished job that uses the connection. */
export async function findJobUsing(
  db: Queryable,
  accountId: string,
  connectionId: string,
): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>(
    `select id from jobs
     where account_id = $1 and status in ('queued', 'processing') and (source_connection_id = $2 or destination->>'connectionId' = $2) limit 1`,
    [accountId, connectionId],
  );
  return rows[0]?.id;
}

/** Sorted by id, after `after`. */
export async function findSealedUnderOthers(
  db: Queryable,
  keyName: string,
  after: string,
  limit: number,
): Promise<SealedConnection[]> {
  const { rows } = await db.query<ConnectionRow>(
    `select ${COLUMNS} from connections where sealed_under <> $1 and id > $2 order by id limit $3`,
    [keyName, after, limit],
  );
  return rows.map(fromRow);
}

/** False if another process was faster or the connection is gone. */
export async function replaceSecret(
  db: Queryable,
  { id, sealedUnder }: Pick<SealedConnection, 'id' | 'sealedUnder'>,
  secret: SealedSecret,
): Promise<boolean> {
  const { rowCount } = await db.query(
    'update connections set sealed_secret = $3, sealed_under = $4 where id = $1 and sealed_under = $2',
    [id, sealedUnder, secret.sealed, secret.sealedUnder],
  );
  return rowCount === 1;
}

/** The number of the account with the most. */
export async function readMostConnections(db: Queryable): Promise<number> {
  const { most } = onlyRow(
    await db.query<{ most: number }>(
      `select coalesce(max(count), 0)::int as most
       from (select count(*) as count from connections group by account_id) as counts`,
    ),
  );
  return most;
}

function fromRow(row: ConnectionRow): SealedConnection {
  return { ...row, endpoint: row.endpoint ?? undefined };
}
