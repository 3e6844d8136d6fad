import { scheduledWorkSchemaOf } from '@audiosplit/chassis/postgres/migrate';
import { roleOf } from '@audiosplit/chassis/postgres/pool';
import { openConnection } from '@audiosplit/chassis/postgres/single-connection';
import pg from 'pg';
import type { SchemaOwner } from './manifest.ts';

/** An operator's connection. It ends with the scope. */
export interface OperatorClient extends AsyncDisposable {
  readonly query: pg.Client['query'];
}

const OPERATOR_NAME = 'audiosplit-operator';

export async function connectOperator(databaseUrl: string): Promise<OperatorClient> {
  return openConnection({ connectionString: databaseUrl, application_name: OPERATOR_NAME });
}

/** The schemas owned by roles of the product, sorted by name. */
export async function findSchemas(client: OperatorClient): Promise<SchemaOwner[]> {
  const { rows } = await client.query<SchemaOwner>(
    `select nspname as name, rolname as role from pg_namespace join pg_roles on pg_roles.oid = nspowner
     where starts_with(rolname, $1) order by nspname`,
    [roleOf('')],
  );
  return rows;
}

/** False for the schemas of the job library, which have no outbox and no migrations of ours. */
export function isOfService({ name }: SchemaOwner): boolean {
  return !name.endsWith(scheduledWorkSchemaOf(''));
}

/** Exact, as seen by the running transaction. */
export async function countRows(
  client: OperatorClient,
  schemas: readonly SchemaOwner[],
): Promise<Record<string, number>> {
  const { rows: tables } = await client.query<{ schema: string; table: string }>(
    `select schemaname as schema, tablename as table from pg_tables where schemaname = any($1) order by 1, 2`,
    [schemas.map(({ name }) => name)],
  );
  const counts: Record<string, number> = {};
  for (const { schema, table } of tables) {
    const from = `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(table)}`;
    const { rows } = await client.query<{ count: string }>(`select count(*) from ${from}`);
    counts[`${schema}.${table}`] = Number(rows[0]?.count);
  }
  return counts;
}

/** The services that are connected; empty when all of them are stopped. */
export async function findConnectedServices(client: OperatorClient): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select distinct application_name as name from pg_stat_activity
     where datname = current_database() and starts_with(application_name, 'audiosplit-') and application_name <> $1
     order by 1`,
    [OPERATOR_NAME],
  );
  return rows.map(({ name }) => name);
}
