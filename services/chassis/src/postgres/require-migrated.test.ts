import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { StartError } from '../process/lifecycle.ts';
import { createTestDatabase } from '../testing/test-database.ts';
import { migrate } from './migrate.ts';
import { requireMigrated } from './require-migrated.ts';

let migrationsDir: string;
const migration = (name: string, sql: string) => writeFile(join(migrationsDir, `${name}.sql`), sql);
const refusal = (pattern: RegExp) => (error: unknown) =>
  error instanceof StartError && pattern.test(error.message);

before(async () => {
  migrationsDir = await mkdtemp(join(tmpdir(), 'audiosplit-require-migrated-'));
  await migration('0001_things', 'create table things (id integer)');
});
after(() => rm(migrationsDir, { recursive: true }));

test('a missing schema without its role is rejected, and a current one is accepted', async () => {
  await using database = await createTestDatabase([]);
  const options = { url: database.url, schema: 'required', migrationsDir };
  const nothing = /^the schema required lacks 0001_outbox and \d+ more of this version's migrations/;
  await assert.rejects(requireMigrated(options), refusal(nothing));
  await migrate(options);
  await requireMigrated(options);
});

test('an older schema is rejected, and a newer one is accepted', async () => {
  await using database = await createTestDatabase([{ schema: 'required', migrationsDir }]);
  const options = { url: database.url, schema: 'required', migrationsDir };
  await migration('0002_colour', 'alter table things add column colour text');
  await assert.rejects(requireMigrated(options), refusal(/ lacks 0002_colour of this .* MIGRATE=only first/));
  await migrate(options);
  await requireMigrated(options);
  await rm(join(migrationsDir, '0002_colour.sql'));
  await requireMigrated(options);
});
