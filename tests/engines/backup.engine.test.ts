/**
 * An installation is backed up under way, goes on for a while, is lost, and comes back from the backup: all that was there
 * at that moment, nothing that came after, and every job counted once, whatever the bus still holds.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
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
import type { ProcessesInstallation } from '../harness/installation/processes.ts';
import {
  type SystemEngines,
  sharedEngines,
  systemEnvironment,
} from '../harness/installation/shared-engines.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';
import { type SourceOptions, type Sources, startSources } from '../harness/servers/sources.ts';

const SEGMENT_SECONDS = 20;
const TIMEOUT_MS = 90_000;

let scratch: string;
let engines: SystemEngines;
let installation: ProcessesInstallation | undefined;
let sources: Sources;

before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'audiosplit-operations-'));
  engines = await sharedEngines('operations');
  sources = await startSources();
});
after(async () => {
  sources?.release();
  await installation?.[Symbol.asyncDispose]();
  await sources?.[Symbol.asyncDispose]();
  await rm(scratch, { recursive: true, force: true });
});

const start = async (secrets: Readonly<Record<string, string>> = {}) => {
  installation = await startInstallation({
    kind: 'processes',
    name: 'operations',
    engines,
    dataDir: scratch,
    env: {
      SPLITTER_CONCURRENCY: '4',
      DRAIN_GRACE_SECONDS: '1',
      JOB_LEASE_SECONDS: '5',
      JOB_REAP_EVERY_SECONDS: '1',
      ...secrets,
    },
  });
  return installation;
};

const connect = ({ baseUrl }: ProcessesInstallation, accessToken: string, apiKey: string): Audiosplit =>
  createAudiosplit({ baseUrl, accessToken, apiKey, retries: { maxRetries: 0 } });

const split = (client: Audiosplit, options?: SourceOptions) =>
  client.createSplit({
    sourceUrl: sources.url('tour.mp3', options),
    splitMode: 'duration',
    segmentDuration: SEGMENT_SECONDS,
  });

const wipe = async () => {
  const url = new URL(engines.databaseUrl);
  const name = pg.escapeIdentifier(url.pathname.slice(1));
  url.pathname = '/postgres';
  await using admin = await connectOperator(url.href);
  await admin.query(`drop database ${name} with (force)`);
  await admin.query(`create database ${name}`);
};

/** How an account's things look from outside; links and times of reading differ from one look to the next. */
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

const kafka = () => ({ brokers: engines.kafkaBrokers.split(',') });

async function untilBillingHasCaughtUp() {
  await using operations = await openKafkaOperations({ ...kafka(), topics: TOPIC_DECLARATIONS });
  await until(
    async () =>
      (await operations.lag()).every(({ group, messages }) => group !== 'billing' || messages === 0),
    'billing has handled everything',
    TIMEOUT_MS,
  );
}

test('backed up under way, lost, restored: every job, key and invoice is there, and counted once', async () => {
  const first = await start();
  const account = await first.openAccount({
    plan: 'plan_starter',
    limits: { requestsPerMinute: 10_000, concurrentJobs: 4 },
  });
  const { client, credentials, apiKey } = account;
  const accessToken = account.accessToken();

  const counted = await split(client);
  await client.waitForJob(counted.id);
  await until(async () => (await client.getUsage({})).usage.jobsCompleted === 1, 'the job is counted');

  // From here on events for billing are in flight.
  await first.processes.stop('billing');
  const inFlight = await split(client);
  await client.waitForJob(inFlight.id);
  sources.hold();
  const processing = await split(client, { held: true });
  await until(
    async () => (await client.getSplit(processing.id)).status === 'processing',
    'a job is processing',
  );

  const folder = join(scratch, 'backup');
  const manifest = await makeBackup({
    databaseUrl: engines.databaseUrl,
    kafka: kafka(),
    folder,
  });
  assert.equal(manifest.rows['jobs.jobs'], 3);
  assert.ok(manifest.inFlightEvents >= 1, `${manifest.inFlightEvents} in flight`);

  sources.release();
  await client.waitForJob(processing.id);
  const lost = await split(client);
  await client.waitForJob(lost.id);
  const { key: lostKey } = await client.createApiKey({ name: 'lost' });
  const restoring = {
    databaseUrl: engines.databaseUrl,
    kafka: kafka(),
    folder,
    replace: false,
  };
  const stopFirst = /stop the services first: .*audiosplit-/;
  await assert.rejects(restoreBackup({ ...restoring, replace: true }), stopFirst);
  await assert.rejects(settleArchived(restoring), stopFirst);
  await first[Symbol.asyncDispose]();
  await assert.rejects(restoreBackup(restoring), /has .*jobs.* already/);
  await wipe();
  assert.deepEqual(await restoreBackup(restoring), manifest);

  await using store = await openObjectStore(parseStorageUrl(engines.storageUrl));
  const reconcile = (apply: boolean) => reconcileObjects({ databaseUrl: engines.databaseUrl, store, apply });
  const found = await reconcile(true);
  assert.equal(found.segments, 6);
  assert.deepEqual([...found.jobsWithLosses], []);
  assert.deepEqual(found.missingInvoices, []);
  // Other tests share the bucket.
  const ofOurs = [counted, inFlight, processing, lost].map(({ id }) => id);
  assert.deepEqual(
    found.unknownJobs.filter((id) => ofOurs.includes(id)),
    [lost.id],
  );
  assert.deepEqual((await reconcile(false)).unknownJobs, []);

  const again = connect(await start(), accessToken, apiKey);
  await again.waitForJob(processing.id);
  await until(
    async () => (await again.getUsage({})).usage.jobsCompleted === 3,
    'all are counted',
    TIMEOUT_MS,
  );
  await untilBillingHasCaughtUp();
  const { usage } = await again.getUsage({});
  assert.deepEqual(
    [usage.jobsCompleted, usage.jobsFailed, usage.minutesProcessed],
    [3, 0, 3],
    'each of them once, and what was lost not at all',
  );
  const restored = await lookAround(again);
  assert.deepEqual(restored.jobs, [
    [processing.id, 'completed'],
    [inFlight.id, 'completed'],
    [counted.id, 'completed'],
  ]);
  assert.equal(restored.jobCount, 3);
  assert.deepEqual(
    restored.keys.map(([, name]) => name),
    ['test'],
  );
  assert.equal(restored.invoices.length, 1);
  assert.equal(restored.plan, 'plan_starter');
  for (const id of [counted.id, inFlight.id, processing.id]) {
    const job = await again.getSplit(id);
    assert.ok(job.status === 'completed');
    assert.equal(job.segments.length, 3);
    for (const { downloadUrl, size } of job.segments) {
      assert.equal((await (await fetch(downloadUrl)).arrayBuffer()).byteLength, size);
    }
  }
  await assert.rejects(again.getSplit(lost.id), refusedWith(404));
  await assert.rejects(connect(installation ?? first, '', lostKey).listSplits({}), refusedWith(401));

  await installation?.[Symbol.asyncDispose]();
  const next = { AUTH_SECRET: 'a', WEBHOOKS_SECRET: 'w' };
  const present = systemEnvironment(engines, scratch);
  for (const [service, variable] of [
    ['auth', 'AUTH_SECRET'],
    ['webhooks', 'WEBHOOKS_SECRET'],
  ] as const) {
    next[variable] = `the next secret of ${service}, long enough`.padEnd(40, '.');
    const secrets = { secret: present[variable] ?? '', nextSecret: next[variable] };
    assert.ok((await reseal({ databaseUrl: engines.databaseUrl, service, ...secrets })) > 0);
    await assert.rejects(
      reseal({ databaseUrl: engines.databaseUrl, service, ...secrets }),
      /does not open .*nothing is changed/,
    );
  }
  const resealed = await start(next);
  assert.deepEqual(await lookAround(connect(resealed, accessToken, apiKey)), restored);
  await createAudiosplit({ baseUrl: resealed.baseUrl }).login(credentials);

  const [segmentKey] = await Array.fromAsync(store.list(`jobs/${counted.id}/`), (object) => object.key);
  await store.delete([segmentKey ?? '']);
  assert.deepEqual([...(await reconcile(false)).jobsWithLosses], [[counted.id, 1]]);
});
