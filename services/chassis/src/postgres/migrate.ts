/**
 * Brings one service's schema up to date, under its own role.
 *
 * The connection's user creates the role and the schema if they are missing (which requires CREATEROLE, and
 * CREATE on the database; a database prepared by hand requires neither). It then acts as the role, so the
 * service owns everything that a migration creates. The chassis' own tables (outbox, consumed events) come
 * first, then those of the scheduled work, then the service's. Concurrent starts wait for one another.
 *
 * A migration that changes a table waits for the statements running on it, and all later statements wait
 * behind the migration. So it waits only briefly, leaves the queue and tries again, and the old version
 * continues to serve.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Logger, runMigrations } from 'graphile-worker';
import { runner } from 'node-pg-migrate';
import pg from 'pg';
import { onBrokenConnections, roleOf } from './pool.ts';
import { openConnection } from './single-connection.ts';

export interface MigrateOptions {
  readonly url: string;
  readonly schema: string;
  /** Folder of the service's `0001_name.sql` files. */
  readonly migrationsDir: string;
  /** How long it waits for a lock at a time, and how long it pauses in between. */
  readonly lockTimeoutMs?: number;
}

const LOCK_TIMEOUT_MS = 2_000;
const LOCK_ATTEMPTS = 30;
/** lock_not_available and deadlock_detected: another transaction was in the way. */
const LOCK_CONFLICTS = ['55P03', '40P01'];

const CHASSIS_MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url));

/** The table that records applied migrations, and the folder of each set, in order. */
export function migrationSetsOf(migrationsDir: string): readonly (readonly [table: string, dir: string])[] {
  return [
    ['chassis_migrations', CHASSIS_MIGRATIONS],
    ['migrations', migrationsDir],
  ];
}

/** Schema of a service's scheduled work, see scheduled-work.ts. */
export function scheduledWorkSchemaOf(schema: string): string {
  return `${schema}_scheduled`;
}

export async function migrate(options: MigrateOptions): Promise<void> {
  const { schema, lockTimeoutMs = LOCK_TIMEOUT_MS } = options;
  if (!/^[a-z][a-z_]{0,40}$/.test(schema)) throw new Error(`not a schema name: ${schema}`);
  await using client = await openConnection({
    connectionString: options.url,
    application_name: `audiosplit-migrate-${schema}`,
  });
  await client.query("select pg_advisory_lock(hashtext('audiosplit-migrations'))");
  await createRoleAndSchemas(client, schema);
  await client.query(`set role ${roleOf(schema)}`);
  await client.query(`set lock_timeout = ${lockTimeoutMs}`);
  for (const [table, dir] of migrationSetsOf(options.migrationsDir)) {
    await client.query(`set search_path to ${schema}`);
    // Each migration is a transaction of its own: applied ones are not repeated.
    await untilLocksAreFree(client, lockTimeoutMs, () =>
      runner({
        dbClient: client,
        dir,
        direction: 'up',
        schema,
        migrationsSchema: schema,
        migrationsTable: table,
        noLock: true,
        log: () => undefined,
      }),
    );
  }
  await client.query('reset lock_timeout');
  await client.query('reset role');
  await migrateScheduledWork(client, options.url, schema);
}

async function untilLocksAreFree(
  client: pg.Client,
  pauseMs: number,
  run: () => Promise<unknown>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await run();
      return;
    } catch (error) {
      const isLocked = error instanceof pg.DatabaseError && LOCK_CONFLICTS.includes(error.code ?? '');
      if (!isLocked || attempt === LOCK_ATTEMPTS) throw error;
      // The runner leaves its transaction open. The statements waiting behind it go first.
      await client.query('rollback');
      await sleep(pauseMs);
    }
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

/**
 * The job library creates its schema by `create schema if not exists`, which requires CREATE on the database
 * even if the schema exists.
 */
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
  // A broken connection makes the migration's own query fail, whose error says more.
  onBrokenConnections(pool, () => undefined);
  try {
    await runMigrations({ pgPool: pool, schema: workSchema, logger: new Logger(() => () => undefined) });
  } finally {
    await pool.end();
    if (installed === 0) await client.query(`revoke create on database ${database} from ${role}`);
  }
}
