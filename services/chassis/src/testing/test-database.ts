/**
 * A database of a test's own, cloned from a template that holds the migrated schemas. A template is made
 * once per run and combination of migrations (its name tells), by whichever test file comes first.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { migrate } from '../postgres/migrate.ts';

export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
}

interface TestSchema {
  readonly schema: string;
  /** Without it the schema has the chassis's own tables alone. */
  readonly migrationsDir?: string;
}

const CHASSIS_MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url));

/** Disposing fails while connections are left open: so that a suite that leaks one fails. */
export async function createTestDatabase(schemas: readonly TestSchema[]): Promise<TestDatabase> {
  const adminUrl = process.env.TEST_DATABASE_URL;
  if (adminUrl === undefined) {
    throw new Error(
      'TEST_DATABASE_URL is not set: run tests through `npm test -- <files>`, which starts a server',
    );
  }
  const template = `template_${fingerprint(schemas)}`;
  const name = `test_${randomBytes(8).toString('hex')}`;
  await withAdmin(adminUrl, async (admin) => {
    await admin.query("select pg_advisory_lock(hashtext('audiosplit-test-template'))");
    const { rowCount } = await admin.query('select 1 from pg_database where datname = $1', [template]);
    if (rowCount === 0) {
      const building = `${template}_building`;
      await admin.query(`drop database if exists ${building}`);
      await admin.query(`create database ${building}`);
      await using none = await mkdtempDisposable(join(tmpdir(), 'audiosplit-no-migrations-'));
      const defaults = { url: urlOf(adminUrl, building), migrationsDir: none.path };
      for (const schema of schemas) await migrate({ ...defaults, ...schema });
      await admin.query(`alter database ${building} rename to ${template}`);
    }
    // Copying files takes half the processor time of copying through the write-ahead log, which is the default.
    await admin.query(`create database ${name} template ${template} strategy file_copy`);
  });
  return {
    url: urlOf(adminUrl, name),
    async [Symbol.asyncDispose]() {
      await withAdmin(adminUrl, async (admin) => {
        const leaked = await connectionsLeft(admin, name);
        await admin.query(`drop database ${name} with (force)`);
        if (leaked.length > 0) throw new Error(`connections left open: ${leaked.join(', ')}`);
      });
    },
  };
}

async function connectionsLeft(admin: pg.Client, name: string): Promise<string[]> {
  for (let attempt = 0; ; attempt++) {
    const { rows } = await admin.query<{ application_name: string }>(
      'select application_name from pg_stat_activity where datname = $1',
      [name],
    );
    // A server process ends a moment after its client has said goodbye.
    if (rows.length === 0 || attempt === 40) return rows.map((row) => row.application_name);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

async function withAdmin(url: string, work: (admin: pg.Client) => Promise<void>): Promise<void> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}

function urlOf(adminUrl: string, database: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  return url.href;
}

function fingerprint(schemas: readonly TestSchema[]): string {
  const hash = createHash('sha256');
  const own = schemas.flatMap(({ migrationsDir = [] }) => migrationsDir);
  for (const dir of [CHASSIS_MIGRATIONS, ...own]) {
    for (const file of readdirSync(dir).sort()) hash.update(file).update(readFileSync(join(dir, file)));
  }
  return hash
    .update(schemas.map((schema) => schema.schema).join())
    .digest('hex')
    .slice(0, 16);
}
