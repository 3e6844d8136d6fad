/**
 * Brings one service's schema up to date, under its own role.
 *
 * The connection's user creates the role and the schema where they are missing (it needs CREATEROLE and
 * CREATE on the database for that; on a database prepared by hand it needs neither), then acts as the role:
 * everything a migration makes belongs to the service. The chassis' own tables (outbox, consumed events)
 * come first, then those of the scheduled work, then the service's. Concurrent starts wait for one another.
 */
import { fileURLToPath } from 'node:url';
import { Logger, runMigrations } from 'graphile-worker';
import { runner } from 'node-pg-migrate';
import pg from 'pg';
import { onBrokenConnections, roleOf } from './pool.ts';

export interface MigrateOptions {
  readonly url: string;
  readonly schema: string;
  /** Folder of the service's `0001_name.sql` files. */
  readonly migrationsDir: string;
}

const CHASSIS_MIGRATIONS = fileURLToPath(new URL('../../migrations/', import.meta.url));

/** Schema of the scheduled work of a service, see scheduled-work.ts. */
export function scheduledWorkSchemaOf(schema: string): string {
  return `${schema}_scheduled`;
}

export async function migrate(options: MigrateOptions): Promise<void> {
  const { schema } = options;
  if (!/^[a-z][a-z_]{0,40}$/.test(schema)) throw new Error(`not a schema name: ${schema}`);
  const client = new pg.Client({
    connectionString: options.url,
    application_name: `audiosplit-migrate-${schema}`,
  });
  // As for the pool below: a break fails the migration's own query.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query("select pg_advisory_lock(hashtext('audiosplit-migrations'))");
    await createRoleAndSchemas(client, schema);
    await client.query(`set role ${roleOf(schema)}`);
    for (const [table, dir] of [
      ['chassis_migrations', CHASSIS_MIGRATIONS],
      ['migrations', options.migrationsDir],
    ] as const) {
      await client.query(`set search_path to ${schema}`);
      await runner({
        dbClient: client,
        dir,
        direction: 'up',
        schema,
        migrationsSchema: schema,
        migrationsTable: table,
        noLock: true,
        log: () => undefined,
      });
    }
    await client.query('reset role');
    await migrateScheduledWork(client, options.url, schema);
  } finally {
    await client.end();
  }
}

async function createRoleAndSchemas(client: pg.Client, schema: string): Promise<void> {
  const role = roleOf(schema);
  const { rowCount: roles } = await client.query('select 1 from pg_roles where rolname = $1', [role]);
  if (roles === 0) {
    await client.query(`create role ${role} nologin`);
    await client.query(`grant ${role} to current_user`);
  }
  for (const name of [schema, scheduledWorkSchemaOf(schema)]) {
    const { rowCount } = await client.query('select 1 from pg_namespace where nspname = $1', [name]);
    if (rowCount === 0) await client.query(`create schema ${name} authorization ${role}`);
  }
}

/** The job library makes its schema by `create schema if not exists`, which asks for CREATE on the database even where it exists. */
async function migrateScheduledWork(client: pg.Client, url: string, schema: string): Promise<void> {
  const workSchema = scheduledWorkSchemaOf(schema);
  const role = roleOf(schema);
  const { rowCount: installed } = await client.query(
    "select 1 from pg_tables where schemaname = $1 and tablename = 'migrations'",
    [workSchema],
  );
  const database = pg.escapeIdentifier(client.database ?? '');
  if (installed === 0) await client.query(`grant create on database ${database} to ${role}`);
  const pool = new pg.Pool({ connectionString: url, max: 1, options: `-c role=${role}` });
  // A break fails the migration's own query, which says more.
  onBrokenConnections(pool, () => undefined);
  try {
    await runMigrations({ pgPool: pool, schema: workSchema, logger: new Logger(() => () => undefined) });
  } finally {
    await pool.end();
    if (installed === 0) await client.query(`revoke create on database ${database} from ${role}`);
  }
}
