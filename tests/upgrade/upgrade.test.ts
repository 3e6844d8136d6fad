/** Migrates databases of earlier versions to this version, and uses them through its API. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTestDatabase } from '@audiosplit/chassis/testing/test-database';
import { until } from '@audiosplit/chassis/testing/until';
import { createAudiosplit } from '@audiosplit/client';
import { connectOperator, countRows } from '../../deploy/operations/database-client.ts';
import { createRoles } from '../../deploy/operations/restore.ts';
import { migrateAll } from '../harness/installation/migrate-all.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { readRecording, recordedNames } from './recorded-database.ts';

const MIGRATION_TABLE = /(^|[._])migrations$/;

const names = recordedNames();
assert.ok(names.length > 0, 'there is a version to be upgraded from');

for (const name of names) {
  test(`from ${name}: all data is kept, and work continues`, async () => {
    const { recorded, sql } = await readRecording(name);
    await using folder = await temporaryFolder();
    const dataDir = folder.path;
    await writeFile(join(dataDir, 'secrets.json'), JSON.stringify(recorded.secrets), { mode: 0o600 });

    await using database = await createTestDatabase([]);
    const { url } = database;
    {
      // The recording changes session settings.
      await using client = await connectOperator(url);
      await createRoles(client, recorded.schemas);
      await client.query(sql);
    }
    await using observer = await connectOperator(url);
    const before = await countRows(observer, recorded.schemas);
    await migrateAll(url);
    const after = await countRows(observer, recorded.schemas);
    for (const [table, rows] of Object.entries(before)) {
      if (!MIGRATION_TABLE.test(table)) assert.equal(after[table], rows, `the rows of ${table}`);
    }

    await using installation = await startInstallation({
      kind: 'embedded',
      dataDir,
      env: { DATABASE_URL: url, SEGMENT_RETENTION_DAYS: '3650' },
    });
    const { baseUrl } = installation;
    const { email, password, apiKey } = recorded;
    const { accessToken } = await createAudiosplit({ baseUrl }).login({ email, password });
    const client = createAudiosplit({ baseUrl, accessToken, apiKey });

    const listed = await client.listSplits({});
    const states = new Map<string, string>(listed.data.map(({ id, status }) => [id, status]));
    assert.deepEqual(
      [...states],
      recorded.jobs.map(({ id, status }) => [id, status]),
    );
    assert.equal(listed.pagination.total, recorded.jobs.length);
    for (const { id, segments } of recorded.jobs) {
      const job = await client.getSplit(id);
      assert.equal(job.status === 'completed' ? job.segments.length : 0, segments);
    }
    const { data: invoices } = await client.listInvoices({ limit: 100 });
    for (const expected of recorded.invoices) {
      const invoice = invoices.find(({ id }) => id === expected.id);
      assert.deepEqual([invoice?.number, invoice?.amount], [expected.number, expected.amount]);
    }
    const { usage } = await client.getUsage({ period: recorded.month });
    assert.equal(usage.jobsCompleted, recorded.jobsCompleted);
    assert.equal((await client.getWebhookSecret()).secret, recorded.webhookSecret);

    const { id } = await client.createSplit({
      sourceUrl: `${baseUrl}/samples/tour.mp3`,
      splitMode: 'duration',
      segmentDuration: 20,
    });
    await client.waitForJob(id);
    const { pagination } = await client.listSplits({ status: 'completed' });
    assert.equal(pagination.total, recorded.jobsCompleted + 1);

    // The counts with which deep pages of lists are found, for jobs from before counts were stored.
    const count = async () => {
      const { rows } = await observer.query(
        `select (select count(*) from jobs.jobs) as jobs,
           (select coalesce(sum(created), 0) from jobs.job_counts where span = 'day') as counted,
           (select count(*) from jobs.account_queues where not jobs_counted) as queues`,
      );
      return rows[0];
    };
    const areCounted = async () => Number((await count()).queues) === 0;
    await until(areCounted, 'the jobs of all accounts are counted', 60_000);
    const { jobs, counted } = await count();
    assert.equal(counted, jobs);
  });
}
