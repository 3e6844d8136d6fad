/** Backup and restore with the bus on Postgres: the restored database, and what is refused. See backup.engine.test.ts. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { migrate } from '@audiosplit/chassis/postgres/migrate';
import { openPool } from '@audiosplit/chassis/postgres/pool';
import { makeBackup } from '../../deploy/operations/backup.ts';
import { connectOperator, countRows } from '../../deploy/operations/database-client.ts';
import { restoreBackup, settleArchived } from '../../deploy/operations/restore.ts';
import { SCHEMAS } from '../harness/schemas.ts';

const adminUrl = process.env.TEST_DATABASE_URL;
if (adminUrl === undefined) throw new Error('TEST_DATABASE_URL is not set: run `npm run verify -- engines`');

async function createDatabase(): Promise<{ readonly url: string } & AsyncDisposable> {
  const name = `restore_${randomBytes(6).toString('hex')}`;
  const url = new URL(adminUrl ?? '');
  const run = async (statement: string) => {
    await using admin = await connectOperator(adminUrl ?? '');
    await admin.query(statement);
  };
  await run(`create database ${name}`);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    [Symbol.asyncDispose]: () => run(`drop database ${name} with (force)`),
  };
}

test('a restored database has every row, and no lock of a worker that is gone', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'audiosplit-restore-'));
  t.after(() => rm(folder, { recursive: true }));
  await using lost = await createDatabase();
  await using found = await createDatabase();
  for (const each of SCHEMAS.filter(({ schema }) => ['bus', 'jobs'].includes(schema)))
    await migrate({ url: lost.url, ...each });
  {
    await using client = await connectOperator(lost.url);
    await client.query(
      `insert into jobs.jobs (id, account_id, status, source_url, split_mode, segment_duration_seconds)
       select 'job_' || n, 'acc_1', 'queued', 'https://example.com/a.mp3', 'duration', 60 from generate_series(1, 500) as n;
       insert into jobs.outbox (topic, key, value, headers) values ('audiosplit.splits', 'acc_1', '\\x01', '{}');
       insert into jobs.consumed_events values ('jobs', 'evt_1', now() - interval '7 days');
       select jobs_scheduled.add_job('sweep-objects');
       update jobs_scheduled._private_jobs set locked_at = now(), locked_by = 'worker-of-before'`,
    );
  }
  const backup = { databaseUrl: lost.url, kafka: undefined, folder: join(folder, 'backup') };
  const manifest = await makeBackup(backup);
  assert.equal(manifest.bus, 'postgres');
  assert.equal(manifest.rows['jobs.jobs'], 500);
  assert.ok(manifest.migrations.jobs?.includes('0001_jobs'));
  await assert.rejects(makeBackup(backup), /is not empty/);
  await assert.rejects(makeBackup({ ...backup, databaseUrl: found.url, folder: join(folder, 'none') }), {
    name: 'StartError',
    message: /nothing to back up/,
  });
  await assert.rejects(settleArchived({ ...backup, databaseUrl: found.url }), /no schema of the product/);

  const restoring = { ...backup, databaseUrl: found.url, replace: false };
  await assert.rejects(
    restoreBackup({ ...restoring, kafka: { brokers: ['127.0.0.1:1'] } }),
    /unset KAFKA_BROKERS/,
  );
  assert.deepEqual(await restoreBackup(restoring), manifest);
  await using client = await connectOperator(found.url);
  assert.deepEqual(await countRows(client, manifest.schemas), manifest.rows);
  const { rows } = await client.query(
    `select (select count(*)::int from jobs_scheduled._private_jobs where locked_by is not null) as locked,
       (select sum(created)::int from jobs.job_counts where span = 'day') as counted,
       (select bool_and(consumed_at > now() - interval '1 hour') from jobs.consumed_events) as remembered,
       (select tableowner from pg_tables where schemaname = 'jobs' and tablename = 'jobs') as owner`,
  );
  assert.deepEqual(rows, [{ locked: 0, counted: 500, remembered: true, owner: 'audiosplit_jobs' }]);

  const pool = openPool({ url: found.url, schema: 'jobs', maxConnections: 1, onError: assert.fail });
  await pool.query("delete from jobs where id = 'job_1'");
  await assert.rejects(restoreBackup(restoring), /stop the services first: audiosplit-jobs/);
  await pool.end();
  await assert.rejects(restoreBackup(restoring), /has bus, .*jobs.* already: --replace drops them/);
  await restoreBackup({ ...restoring, replace: true });
  assert.deepEqual(await countRows(client, manifest.schemas), manifest.rows);
});
