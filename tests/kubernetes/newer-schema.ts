/**
 * Expands schemas as the migrations of a later version might: a nullable column in every table of every
 * service, a table in every schema, and the name of a migration that this version does not have.
 */
import pg from 'pg';
import { PROCESS_NAMES } from '../harness/metrics.ts';

export const NEWER_MIGRATION = '9999_of_a_version_to_come';
const SCHEMAS = PROCESS_NAMES.filter((name) => name !== 'gateway' && name !== 'splitter');
const COLUMN = 'of_a_version_to_come';
/** The migrations' own tables; not the product's. */
const MIGRATION_TABLES = ['migrations', 'chassis_migrations'];

/** Resolves with the number of tables that have the column. */
export async function expandSchemas(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let widened = 0;
    for (const schema of SCHEMAS) {
      await client.query(`set role audiosplit_${schema}`);
      for (const name of await tablesOf(client, schema)) {
        await client.query(`alter table ${schema}.${pg.escapeIdentifier(name)} add column ${COLUMN} text`);
        widened += 1;
      }
      await client.query(`create table ${schema}.${COLUMN} (id bigint primary key)`);
      for (const table of MIGRATION_TABLES) {
        await client.query(`insert into ${schema}.${table} (name, run_on) values ($1, now())`, [
          NEWER_MIGRATION,
        ]);
      }
    }
    return widened;
  } finally {
    await client.end();
  }
}

async function tablesOf(client: pg.Client, schema: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ tablename: string }>(
    'select tablename from pg_tables where schemaname = $1 and tablename <> all ($2) order by tablename',
    [schema, MIGRATION_TABLES],
  );
  return rows.map(({ tablename }) => tablename);
}
