/**
 * The database that all runs of a process share: the services' own schemas and SQL on a real Postgres.
 * Through the search path, statements use the world's `simulated_clock.now()` instead of the server's. Every
 * run begins with empty tables.
 */
import { BILLING_MIGRATIONS_DIR, BILLING_SCHEMA } from '@audiosplit/billing/schema';
import { createTestDatabase } from '@audiosplit/chassis/testing/test-database';
import { JOBS_MIGRATIONS_DIR, JOBS_SCHEMA } from '@audiosplit/jobs/schema';
import { WEBHOOKS_MIGRATIONS_DIR, WEBHOOKS_SCHEMA } from '@audiosplit/webhooks/schema';
import pg from 'pg';
import { openConnection, type SimulatedConnection } from './connection.ts';
import { triggersSql } from './watched-tables.ts';

const SCHEMAS = [
  { schema: BILLING_SCHEMA, migrationsDir: BILLING_MIGRATIONS_DIR },
  { schema: JOBS_SCHEMA, migrationsDir: JOBS_MIGRATIONS_DIR },
  { schema: WEBHOOKS_SCHEMA, migrationsDir: WEBHOOKS_MIGRATIONS_DIR },
];
/** The holder of a lock only continues in a later event, so waiting for it is pointless. */
const LOCK_TIMEOUT_MS = 10;
const INT8_OID = 20;
const SEEDS_PER_TRUNCATION = 25;

export type SimulationDatabase = Awaited<ReturnType<typeof openSimulationDatabase>>;

export async function openSimulationDatabase() {
  await using starting = new AsyncDisposableStack();
  const database = starting.use(await createTestDatabase(SCHEMAS));
  const observer = new pg.Client({ connectionString: database.url, types: { getTypeParser } });
  await observer.connect();
  starting.defer(() => observer.end());
  await prepare(observer);
  const free: SimulatedConnection[] = [];
  let resets = 0;
  const running = starting.move();
  return {
    /** Reads across all schemas. */
    observer,
    /** Returns an idle connection with a service's role. */
    async borrow(schema: string) {
      const index = free.findIndex((connection) => connection.schema === schema);
      const [found] = index < 0 ? [] : free.splice(index, 1);
      if (found !== undefined) return found;
      const connection = await openConnection(schema, {
        connectionString: database.url,
        application_name: `simulation-${schema}`,
        options: Object.entries({
          role: `audiosplit_${schema}`,
          search_path: `${schema},simulated_clock,pg_catalog`,
          timezone: 'UTC',
          lock_timeout: LOCK_TIMEOUT_MS,
          // A plan must not depend on the seeds that ran before.
          plan_cache_mode: 'force_generic_plan',
        })
          .map(([name, value]) => `-c ${name}=${value}`)
          .join(' '),
        types: { getTypeParser },
      });
      running.defer(() => connection.end());
      return connection;
    },
    giveBack(connection: SimulatedConnection) {
      free.push(connection);
    },
    /** Empties all tables. */
    async reset() {
      await observer.query(
        `call simulated_clock.${resets % SEEDS_PER_TRUNCATION === 0 ? 'truncate_all' : 'delete_all'}()`,
      );
      resets += 1;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function prepare(client: pg.Client): Promise<void> {
  await client.query(`
    create schema simulated_clock;
    grant usage on schema simulated_clock to public;
    create function simulated_clock.now() returns timestamptz language sql stable parallel safe
      return current_setting('simulation.now')::timestamptz;
  `);
  for (const { schema } of SCHEMAS) {
    await client.query(`
      create table ${schema}.planted_tasks (
        number bigint generated always as identity primary key,
        task text not null,
        payload jsonb not null,
        run_at timestamptz not null
      );
      grant all on ${schema}.planted_tasks to audiosplit_${schema};
    `);
  }
  const { rows: defaults } = await client.query<{ sql: string }>(
    `select format('alter table %s alter column %I set default simulated_clock.now()', adrelid::regclass, attname) as sql
     from pg_attrdef join pg_attribute on attrelid = adrelid and attnum = adnum
     join pg_class on pg_class.oid = adrelid
     where pg_get_expr(adbin, adrelid) = 'now()' and relnamespace::regnamespace::text = any($1)`,
    [SCHEMAS.map(({ schema }) => schema)],
  );
  for (const { sql } of defaults) await client.query(sql);
  await client.query(triggersSql());
  await makeUnlogged(client);
  await client.query(await resetSql(client));
  await client.query("set session_replication_role = 'replica'");
}

/** A table can be made unlogged once no logged table refers to it. */
async function makeUnlogged(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ sql: string }>(
      `select format('alter table %s set unlogged; alter table %s set (autovacuum_enabled = off)', t.oid::regclass, t.oid::regclass) as sql
       from pg_class t where relkind = 'r' and relpersistence = 'p' and relnamespace::regnamespace::text = any($1)
         and not exists (select from pg_constraint join pg_class r on r.oid = conrelid
           where contype = 'f' and confrelid = t.oid and r.oid <> t.oid and r.relpersistence = 'p')`,
      [SCHEMAS.map(({ schema }) => schema)],
    );
    if (rows.length === 0) return;
    await client.query(rows.map(({ sql }) => sql).join(';'));
  }
}

/**
 * There are two ways to empty all tables. Deleting rows is fast, but leaves their space occupied; truncation
 * forces every connection to make every plan again.
 */
async function resetSql(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ table: string; sequence: string | null }>(
    `select format('%I.%I', schemaname, tablename) as table,
       (select pg_get_serial_sequence(format('%I.%I', schemaname, tablename), column_name)
        from information_schema.columns where table_schema = schemaname and table_name = tablename and is_identity = 'YES') as sequence
     from pg_tables
     where schemaname = any($1) and tablename not in ('migrations', 'chassis_migrations', 'invoice_counter')
     order by 1`,
    [SCHEMAS.map(({ schema }) => schema)],
  );
  const deletes = rows.map(({ table }) => `delete from ${table};`);
  const sequences = rows.flatMap(({ sequence }) =>
    sequence === null ? [] : [`perform setval('${sequence}', 1, false);`],
  );
  const counter = 'update billing.invoice_counter set last_number = 0;';
  const truncate = `truncate ${rows.map(({ table }) => table).join(', ')};`;
  const procedure = (name: string, statements: readonly string[]) =>
    `create procedure simulated_clock.${name}() language plpgsql as $$ begin ${statements.join('\n')} end $$;`;
  return [
    procedure('delete_all', [...deletes, ...sequences, counter]),
    procedure('truncate_all', [truncate, ...sequences, counter]),
  ].join('\n');
}

function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === INT8_OID ? Number : pg.types.getTypeParser(oid, format);
}
