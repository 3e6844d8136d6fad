/**
 * An installation is backed up while it is used, continues for a while, is lost, and is restored. It then has
 * everything that existed at the moment of the backup, nothing later, and has counted every job once,
 * regardless of what the bus still holds.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openKafkaOperations } from '@audiosplit/chassis/event-bus/kafka/operations';
import { openObjectStore, parseStorageUrl } from '@audiosplit/chassis/object-store/storage-url';
import { until } from '@audiosplit/chassis/testing/until';
import { type Audiosplit, AudiosplitError, createAudiosplit } from '@audiosplit/client';
import { TOPIC_DECLARATIONS } from '@audiosplit/proto/topics';
import pg from 'pg';
import { makeBackup } from '../../deploy/operations/backup.ts';
import { connectOperator } from '../../deploy/operations/database-client.ts';
import { reconcileObjects } from '../../deploy/operations/reconcile-objects.ts';
import { reseal } from '../../deploy/operations/reseal.ts';
import { restoreBackup, settleArchived } from '../../deploy/operations/restore.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';
import { type SourceOptions, startSources } from '../harness/servers/sources.ts';
import { stackOfFile } from '../harness/stack-of-file.ts';

const SEGMENT_SECONDS = 20;
const TIMEOUT_MS = 90_000;

const resources = stackOfFile();
const sources = resources.use(await startSources());
const installation = resources.use(
  await startInstallation({
    kind: 'processes',
    name: 'operations',
    env: {
      SPLITTER_CONCURRENCY: '4',
      DRAIN_GRACE_SECONDS: '1',
      JOB_LEASE_SECONDS: '5',
      JOB_REAP_EVERY_SECONDS: '1',
    },
  }),
);

const connect = (accessToken: string, apiKey: string): Audiosplit =>
  createAudiosplit({ baseUrl: installation.baseUrl, accessToken, apiKey, retries: { maxRetries: 0 } });

const split = (client: Audiosplit, options?: SourceOptions) =>
  client.createSplit({
    sourceUrl: sources.url('tour.mp3', options),
    splitMode: 'duration',
    segmentDuration: SEGMENT_SECONDS,
  });

const wipe = async () => {
  const url = new URL(installation.endpoints.databaseUrl);
  const name = pg.escapeIdentifier(url.pathname.slice(1));
  url.pathname = '/postgres';
  await using admin = await connectOperator(url.href);
  await admin.query(`drop database ${name} with (force)`);
  await admin.query(`create database ${name}`);
};

/**
 * An account's resources as its owner reads them; links and times of reading differ from one read to the
 * next.
 */
async function lookAround(client: Audiosplit) {
  const [jobs, keys, invoices, billing, { secret }] = await Promise.all([
    client.listSplits({}),
    client.listApiKeys({}),
    client.listInvoices({}),
    client.getBilling(),
    client.getWebhookSecret(),
  ]);
  return {
    jobs: jobs.data.map(({ id, status }) => [id, status]),
    jobCount: jobs.pagination.total,
    keys: keys.data.map(({ id, name }) => [id, name]),
    invoices: invoices.data.map(({ pdfUrl: _link, ...invoice }) => invoice),
    plan: billing.plan.id,
    subscription: billing.subscription,
    secret,
  };
}

const refusedWith = (status: number) => (error: unknown) =>
  error instanceof AudiosplitError && error.status === status;

const kafka = () => ({ brokers: installation.endpoints.kafkaBrokers.split(',') });

async function untilBillingHasCaughtUp() {
  await using operations = await openKafkaOperations({ ...kafka(), topics: TOPIC_DECLARATIONS });
  const hasCaughtUp = async () =>
    (await operations.lag()).every(({ group, messages }) => group !== 'billing' || messages === 0);
  await until(hasCaughtUp, 'billing has handled everything', TIMEOUT_MS);
}

test('a backup made during operation restores every job, key and invoice, and each is counted once', async () => {
  const { databaseUrl, storageUrl } = installation.endpoints;
  const account = await installation.openAccount({
    plan: 'plan_starter',
    limits: { requestsPerMinute: 10_000, concurrentJobs: 4 },
  });
  const { client, credentials, apiKey } = account;
  const accessToken = account.accessToken();

  const counted = await split(client);
  await client.waitForJob(counted.id);
  await until(async () => (await client.getUsage({})).usage.jobsCompleted === 1, 'the job is counted');

  // From here on events for billing remain in flight.
  await installation.processes.stop('billing');
  const inFlight = await split(client);
  await client.waitForJob(inFlight.id);
  sources.hold();
  const processing = await split(client, { held: true });
  await until(async () => (await client.getSplit(processing.id)).status === 'processing', 'a job runs');

  const folder = join(installation.dataDir, 'backup');
  const manifest = await makeBackup({ databaseUrl, kafka: kafka(), folder });
  assert.equal(manifest.rows['jobs.jobs'], 3);
  assert.ok(manifest.inFlightEvents >= 1, `${manifest.inFlightEvents} in flight`);

  sources.release();
  await client.waitForJob(processing.id);
  const lost = await split(client);
  await client.waitForJob(lost.id);
  const { key: lostKey } = await client.createApiKey({ name: 'lost' });
  const restoring = { databaseUrl, kafka: kafka(), folder, replace: false };
  const stopFirst = /stop the services first: .*audiosplit-/;
  await assert.rejects(restoreBackup({ ...restoring, replace: true }), stopFirst);
  await assert.rejects(settleArchived(restoring), stopFirst);
  await installation.stop();
  await assert.rejects(restoreBackup(restoring), /has .*jobs.* already/);
  await wipe();
  assert.deepEqual(await restoreBackup(restoring), manifest);

  await using store = await openObjectStore(parseStorageUrl(storageUrl));
  const reconcile = (apply: boolean) => reconcileObjects({ databaseUrl, store, apply });
  const found = await reconcile(true);
  assert.equal(found.segments, 6);
  assert.deepEqual([...found.jobsWithLosses], []);
  assert.deepEqual(found.missingInvoices, []);
  // Other tests share the bucket.
  const ofOurs = [counted, inFlight, processing, lost].map(({ id }) => id);
  const unknown = found.unknownJobs.filter((id) => ofOurs.includes(id));
  assert.deepEqual(unknown, [lost.id]);
  assert.deepEqual((await reconcile(false)).unknownJobs, []);

  await installation.start();
  const again = connect(accessToken, apiKey);
  await again.waitForJob(processing.id);
  const usage = async () => (await again.getUsage({})).usage;
  await until(async () => (await usage()).jobsCompleted === 3, 'all are counted', TIMEOUT_MS);
  await untilBillingHasCaughtUp();
  const { jobsCompleted, jobsFailed, minutesProcessed } = await usage();
  // Each of them is counted once, and the lost one is not.
  assert.deepEqual([jobsCompleted, jobsFailed, minutesProcessed], [3, 0, 3]);
  const restored = await lookAround(again);
  assert.deepEqual(restored.jobs, [
    [processing.id, 'completed'],
    [inFlight.id, 'completed'],
    [counted.id, 'completed'],
  ]);
  assert.equal(restored.jobCount, 3);
  assert.equal(restored.keys.map(([, name]) => name).join(), 'test');
  assert.equal(restored.invoices.length, 1);
  assert.equal(restored.plan, 'plan_starter');
  for (const id of [counted.id, inFlight.id, processing.id]) {
    const job = await again.getSplit(id);
    assert.ok(job.status === 'completed');
    assert.equal(job.segments.length, 3);
    for (const { downloadUrl = '', size } of job.segments)
      assert.equal((await (await fetch(downloadUrl)).bytes()).length, size);
  }
  await assert.rejects(again.getSplit(lost.id), refusedWith(404));
  await assert.rejects(connect('', lostKey).listSplits({}), refusedWith(401));

  await installation.stop();
  const next = { AUTH_SECRET: 'a', WEBHOOKS_SECRET: 'w' };
  for (const [service, variable] of [
    ['auth', 'AUTH_SECRET'],
    ['webhooks', 'WEBHOOKS_SECRET'],
  ] as const) {
    next[variable] = `the next secret of ${service}, long enough`.padEnd(40, '.');
    const secrets = { secret: installation.env[variable] ?? '', nextSecret: next[variable] };
    assert.ok((await reseal({ databaseUrl, service, ...secrets })) > 0);
    await assert.rejects(reseal({ databaseUrl, service, ...secrets }), /does not open .*nothing is changed/);
  }
  await installation.start(next);
  assert.deepEqual(await lookAround(connect(accessToken, apiKey)), restored);
  await createAudiosplit({ baseUrl: installation.baseUrl }).login(credentials);

  const [segmentKey] = await Array.fromAsync(store.list(`jobs/${counted.id}/`), (object) => object.key);
  await store.delete([segmentKey ?? '']);
  assert.deepEqual([...(await reconcile(false)).jobsWithLosses], [[counted.id, 1]]);
});
