import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { createTestDatabase } from '../testing/test-database.ts';
import { until } from '../testing/until.ts';
import { migrate } from './migrate.ts';

test('a migration that waits for a table lets those pass who use it, and comes through when it is free', async () => {
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
        "select from pg_locks where mode = 'AccessExclusiveLock' and not granted",
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
