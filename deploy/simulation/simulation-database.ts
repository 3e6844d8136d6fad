/**
 * The database that all runs of a process share: the services' own schemas and SQL on a real Postgres, whose `now()` is
 * the world's. Every run begins with empty tables.
 *
 * Statements find `simulated_clock.now()` before the server's own, as their search path says; what the tables' defaults
 * were bound to when they were made is bound anew. Tables are unlogged: nothing here has to survive anything.
 */
import { BILLING_MIGRATIONS_DIR, BILLING_SCHEMA } from '@audiosplit/billing/schema';
import { createTestDatabase } from '@audiosplit/chassis/testing/test-database';
import { JOBS_MIGRATIONS_DIR, JOBS_SCHEMA } from '@audiosplit/jobs/schema';
import { WEBHOOKS_MIGRATIONS_DIR, WEBHOOKS_SCHEMA } from '@audiosplit/webhooks/schema';
import pg from 'pg';

const SCHEMAS = [
  { schema: BILLING_SCHEMA, migrationsDir: BILLING_MIGRATIONS_DIR },
  { schema: JOBS_SCHEMA, migrationsDir: JOBS_MIGRATIONS_DIR },
  { schema: WEBHOOKS_SCHEMA, migrationsDir: WEBHOOKS_MIGRATIONS_DIR },
];
/** Whoever holds a lock that is asked for stands still until a later event: waiting for it is in vain. */
const LOCK_TIMEOUT_MS = 10;
const INT8_OID = 20;

export interface SimulationDatabase extends AsyncDisposable {
  /** Reads across all schemas. */
  readonly observer: pg.Client;
  /** A connection under a service's role that nobody uses at the moment. */
  borrow(schema: string): Promise<Connection>;
  giveBack(connection: Connection): void;
  /** Empties all tables. */
  reset(): Promise<void>;
}

export interface Connection {
  readonly client: pg.Client;
  readonly schema: string;
}

export async function openSimulationDatabase(): Promise<SimulationDatabase> {
  await using starting = new AsyncDisposableStack();
  const database = starting.use(await createTestDatabase(SCHEMAS));
  const observer = new pg.Client({ connectionString: database.url, types: { getTypeParser } });
  await observer.connect();
  starting.defer(() => observer.end());
  await prepare(observer);
  const { rows } = await observer.query<{ reset: string }>(
    `select 'truncate ' || string_agg(format('%I.%I', schemaname, tablename), ', ' order by schemaname, tablename)
       || ' restart identity cascade' as reset
     from pg_tables
     where schemaname = any($1) and tablename not in ('migrations', 'chassis_migrations', 'invoice_counter')`,
    [SCHEMAS.map(({ schema }) => schema)],
  );
  const resetSql = `${rows[0]?.reset ?? ''}; update billing.invoice_counter set last_number = 0`;
  const free: Connection[] = [];
  const running = starting.move();
  return {
    observer,
    async borrow(schema) {
      const index = free.findIndex((connection) => connection.schema === schema);
      const [found] = index < 0 ? [] : free.splice(index, 1);
      if (found !== undefined) return found;
      const client = new pg.Client({
        connectionString: database.url,
        application_name: `simulation-${schema}`,
        options: `-c role=audiosplit_${schema} -c search_path=${schema},simulated_clock,pg_catalog -c timezone=UTC -c lock_timeout=${LOCK_TIMEOUT_MS}`,
        types: { getTypeParser },
      });
      await client.connect();
      running.defer(() => client.end());
      return { client, schema };
    },
    giveBack(connection) {
      free.push(connection);
    },
    async reset() {
      await observer.query(resetSql);
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
    create table webhooks.planted_wakeups (
      number bigint generated always as identity primary key,
      account_id text not null,
      run_at timestamptz not null
    );
    grant all on webhooks.planted_wakeups to audiosplit_webhooks;
  `);
  const { rows: defaults } = await client.query<{ sql: string }>(
    `select format('alter table %s alter column %I set default simulated_clock.now()', adrelid::regclass, attname) as sql
     from pg_attrdef join pg_attribute on attrelid = adrelid and attnum = adnum
     join pg_class on pg_class.oid = adrelid
     where pg_get_expr(adbin, adrelid) = 'now()' and relnamespace::regnamespace::text = any($1)`,
    [SCHEMAS.map(({ schema }) => schema)],
  );
  // A table cannot be unlogged while a logged one refers to it: those that refer to none last, the others first.
  const { rows: tables } = await client.query<{ sql: string }>(
    `select format('alter table %s set unlogged; alter table %s set (autovacuum_enabled = off)', oid::regclass, oid::regclass) as sql
     from pg_class where relkind = 'r' and relnamespace::regnamespace::text = any($1)
     order by exists (select from pg_constraint where contype = 'f' and conrelid = pg_class.oid) desc, oid`,
    [SCHEMAS.map(({ schema }) => schema)],
  );
  for (const { sql } of [...defaults, ...tables]) await client.query(sql);
}

function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === INT8_OID ? Number : pg.types.getTypeParser(oid, format);
}
