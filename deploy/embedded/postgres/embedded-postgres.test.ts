import assert from 'node:assert/strict';
import { access, mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { startEmbeddedPostgres } from './embedded-postgres.ts';

test('a set-up that was cut short is begun anew, and what it makes is kept', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-postgres-'));
  const options = { directory: join(folder.path, 'postgres'), durable: false, maxConnections: 10 };
  // As a killed set-up leaves it: PG_VERSION is among the first files.
  const unfinished = join(options.directory, 'cluster.new');
  await mkdir(unfinished, { recursive: true });
  await writeFile(join(unfinished, 'PG_VERSION'), '18\n');
  for (const statement of ['create table kept ()', 'select from kept']) {
    await using postgres = await startEmbeddedPostgres(options);
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  }
  await assert.rejects(access(unfinished), { code: 'ENOENT' });
});
