import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { createTestDatabase } from '../testing/test-database.ts';
import { until } from '../testing/until.ts';
import { migrate } from './migrate.ts';

test('a migration that waits for a table does not block its users, and succeeds when it is free', async () => {
  const migrationsDir = await mkdtemp(join(tmpdir(), 'audiosplit-migrate-'));
  const migration = (name: string, sql: string) => writeFile(join(migrationsDir, `${name}.sql`), sql);
  await migration('0001_things', 'create table things (id integer)');
  await using database = await createTestDatabase([{ schema: 'one', migrationsDir }]);
  await migration('0002_colour', 'alter table things add column colour text');
  const [busy, reader] = [database.url, database.url].map(
    (connectionString) => new pg.Client({ connectionString }),
  );
  assert.ok(busy !== undefined && reader !== undefined);
  await Promise.all([busy.connect(), reader.connect()]);
  try {
    await busy.query('begin; select from one.things');
    const migrated = migrate({ url: database.url, schema: 'one', migrationsDir, lockTimeoutMs: 100 });
    await until(async () => {
      const { rowCount } = await reader.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return rowCount === 1;
    }, 'the migration waits for the table');
    await reader.query("set statement_timeout = '10s'");
    await reader.query('select from one.things');
    await busy.query('commit');
    await migrated;
    await reader.query('select colour from one.things');
  } finally {
    await Promise.all([busy.end(), reader.end()]);
    await rm(migrationsDir, { recursive: true });
  }
});

test('a version that does not know the newest migrations changes nothing, and keeps their names', async () => {
  const migrationsDir = await mkdtemp(join(tmpdir(), 'audiosplit-migrate-'));
  try {
    await writeFile(join(migrationsDir, '0001_things.sql'), 'create table things (id integer)');
    await writeFile(join(migrationsDir, '0002_colour.sql'), 'alter table things add column colour text');
    await using database = await createTestDatabase([{ schema: 'ahead', migrationsDir }]);
    await rm(join(migrationsDir, '0002_colour.sql'));
    await migrate({ url: database.url, schema: 'ahead', migrationsDir });
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      const { rows } = await client.query<{ name: string }>(
        'select name from ahead.migrations order by name',
      );
      assert.deepEqual(
        rows.map(({ name }) => name),
        ['0001_things', '0002_colour'],
      );
      await client.query('insert into ahead.things (id) values (1)');
    } finally {
      await client.end();
    }
  } finally {
    await rm(migrationsDir, { recursive: true });
  }
});
