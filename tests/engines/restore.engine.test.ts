/**
 * Backup and restore with the bus on Postgres: the restored database, and the refused cases. See
 * backup.engine.test.ts.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openPool } from '@audiosplit/chassis/postgres/pool';
import { createTestDatabase } from '@audiosplit/chassis/testing/test-database';
import { makeBackup } from '../../deploy/operations/backup.ts';
import { connectOperator, countRows } from '../../deploy/operations/database-client.ts';
import { restoreBackup, settleArchived } from '../../deploy/operations/restore.ts';
import { SCHEMAS } from '../harness/schemas.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

test('a restored database has every row, and no lock of a worker that no longer exists', async () => {
  await using temporary = await temporaryFolder();
  const { path: folder } = temporary;
  await using lost = await createTestDatabase(
    SCHEMAS.filter(({ schema }) => ['bus', 'jobs'].includes(schema)),
  );
  await using found = await createTestDatabase([]);
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
  const empty = { ...backup, databaseUrl: found.url, folder: join(folder, 'none') };
  await assert.rejects(makeBackup(empty), { name: 'StartError', message: /nothing to back up/ });
  await assert.rejects(settleArchived({ ...backup, databaseUrl: found.url }), /no schema of the product/);

  const restoring = { ...backup, databaseUrl: found.url, replace: false };
  const ontoKafka = { ...restoring, kafka: { brokers: ['127.0.0.1:1'] } };
  await assert.rejects(restoreBackup(ontoKafka), /unset KAFKA_BROKERS/);
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
