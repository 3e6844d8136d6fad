import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { access, mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { startEmbeddedPostgres } from './embedded-postgres.ts';

test('an interrupted set-up is started again, and its result is kept', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-postgres-'));
  const options = { directory: join(folder.path, 'postgres'), durable: false, maxConnections: 10 };
  // The state after a killed set-up: PG_VERSION is among the first files.
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

test('a killed server whose process id is in use again does not keep the next one from starting', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-postgres-'));
  const options = { directory: join(folder.path, 'server'), durable: false, maxConnections: 10 };
  await (await startEmbeddedPostgres(options))[Symbol.asyncDispose]();
  // The state after a container was killed. The server ignores processes of other users.
  const asRoot = process.getuid?.() === 0;
  using other = spawn('sleep', ['60'], asRoot ? { uid: 65534, gid: 65534 } : {});
  await writeFile(join(options.directory, 'cluster/postmaster.pid'), `${other.pid}\n`, { mode: 0o600 });
  await using _next = await startEmbeddedPostgres(options);
  assert.equal(other.exitCode ?? other.signalCode, null, 'the other process goes on');
});
