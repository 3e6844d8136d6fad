/**
 * For a process that does not migrate (MIGRATE=false): checks that another one has. A newer schema is fine,
 * because migrations only add and the previous version runs on the new schema.
 */
import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import pg from 'pg';
import { StartError } from '../process/lifecycle.ts';
import { type MigrateOptions, migrationSetsOf } from './migrate.ts';
import { roleOf } from './pool.ts';
import { openConnection } from './single-connection.ts';

export type RequireMigratedOptions = Pick<MigrateOptions, 'url' | 'schema' | 'migrationsDir'>;

const UNDEFINED_TABLE = '42P01';
/** The error of `set role` if the role does not exist. */
const INVALID_PARAMETER_VALUE = '22023';

/** Rejects with StartError, which says what to do, if the schema lacks a migration of this version. */
export async function requireMigrated({ url, schema, migrationsDir }: RequireMigratedOptions): Promise<void> {
  await using client = await openConnection({
    connectionString: url,
    application_name: `audiosplit-require-${schema}`,
  });
  const missing: string[] = [];
  for (const [table, dir] of migrationSetsOf(migrationsDir)) {
    const files = (await readdir(dir)).filter((file) => file.endsWith('.sql')).sort();
    const done = await namesIn(client, schema, table);
    missing.push(...files.map((file) => basename(file, '.sql')).filter((name) => !done.has(name)));
  }
  const [first, ...others] = missing;
  if (first === undefined) return;
  const rest = others.length === 0 ? '' : ` and ${others.length} more`;
  throw new StartError(
    `the schema ${schema} lacks ${first}${rest} of this version's migrations: run it with MIGRATE=only first, or with MIGRATE=true`,
  );
}

async function namesIn(client: pg.Client, schema: string, table: string): Promise<ReadonlySet<string>> {
  try {
    await client.query(`set role ${roleOf(schema)}`);
    const { rows } = await client.query<{ name: string }>(`select name from ${schema}.${table}`);
    return new Set(rows.map(({ name }) => name));
  } catch (error) {
    const isNothing =
      error instanceof pg.DatabaseError &&
      (error.code === UNDEFINED_TABLE || error.code === INVALID_PARAMETER_VALUE);
    if (!isNothing) throw error;
    return new Set();
  }
}
