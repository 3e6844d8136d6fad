/**
 * `record.ts <name>`: uses an installation of some version through its API, and records its database for
 * upgrade.test.ts. The installation is an `npm start` of that version on Debian's Postgres: BASE_URL,
 * DATABASE_URL, DATA_DIR as it has them, EGRESS_ALLOW_CIDRS=127.0.0.0/8.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Env } from '@audiosplit/chassis/process/env';
import { runToEnd, StartError } from '@audiosplit/chassis/process/lifecycle';
import { readDatabaseUrl } from '@audiosplit/chassis/process/process-config';
import { readSettings, text, url } from '@audiosplit/chassis/process/settings';
import { until } from '@audiosplit/chassis/testing/until';
import { JobFailedError } from '@audiosplit/client';
import { connectOperator, findSchemas } from '../../deploy/operations/database-client.ts';
import { runPostgresTool } from '../../deploy/operations/postgres-tools.ts';
import { openAccount } from '../harness/accounts/open-account.ts';
import { startReceiver } from '../harness/servers/receiver.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { type RecordedDatabase, writeRecording } from './recorded-database.ts';

const COMPLETED_JOBS = 2;

const SETTINGS = {
  BASE_URL: url(['http'], { what: 'address of the installation', isRequired: true }),
  DATA_DIR: text({ what: 'its folder', isRequired: true }),
};

await runToEnd('record', () => record(process.argv[2] ?? '', process.env));

async function record(name: string, env: Env): Promise<void> {
  if (!/^[\w.-]+$/.test(name)) throw new StartError('usage: record.ts <name of the version>');
  const databaseUrl = readDatabaseUrl(env);
  const { BASE_URL, DATA_DIR } = readSettings(SETTINGS, env);
  const baseUrl = BASE_URL.origin;
  const secrets = JSON.parse(await readFile(join(DATA_DIR, 'secrets.json'), 'utf8'));
  const used = await useInstallation(baseUrl);
  await using client = await connectOperator(databaseUrl);
  const schemas = await findSchemas(client);
  const names = schemas.map((schema) => schema.name);
  await writeRecording(name, { schemas, secrets, ...used }, await dump(databaseUrl, names));
}

async function useInstallation(baseUrl: string): Promise<Omit<RecordedDatabase, 'schemas' | 'secrets'>> {
  await using receiver = await startReceiver();
  const account = await openAccount(baseUrl, { name: 'Ada', plan: 'plan_starter', retries: {} });
  const { apiKey, client, credentials } = account;
  const webhookUrl = `${receiver.url}/`;
  for (const source of [...Array(COMPLETED_JOBS).fill('tour.mp3'), 'missing.mp3']) {
    const { id } = await client.createSplit({
      sourceUrl: `${baseUrl}/samples/${source}`,
      splitMode: 'duration',
      segmentDuration: 20,
      webhookUrl,
    });
    await client.waitForJob(id).catch((error: unknown) => {
      if (!(error instanceof JobFailedError)) throw error;
    });
  }
  const month = new Date().toISOString().slice(0, 7);
  const completed = async () => (await client.getUsage({ period: month })).usage.jobsCompleted;
  await until(async () => (await completed()) === COMPLETED_JOBS, 'all are counted', 60_000);
  await until(() => receiver.received.length >= COMPLETED_JOBS + 1, 'all are notified', 60_000);
  const { data: invoices } = await client.listInvoices({});
  return {
    ...credentials,
    apiKey,
    jobs: await Array.fromAsync((await client.listSplits({})).data, async ({ id, status }) => {
      const job = await client.getSplit(id);
      return { id, status, segments: job.status === 'completed' ? job.segments.length : 0 };
    }),
    invoices: invoices.map(({ id, number, amount }) => ({ id, number, amount })),
    month,
    jobsCompleted: COMPLETED_JOBS,
    webhookSecret: (await client.getWebhookSecret()).secret,
  };
}

/** Statements that any client can run: no COPY, and no psql commands. */
async function dump(databaseUrl: string, schemas: readonly string[]): Promise<string> {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'database.sql');
  await runPostgresTool('pg_dump', databaseUrl, [
    '--format=plain',
    '--rows-per-insert=100',
    '--no-privileges',
    ...schemas.map((name) => `--schema=${name}`),
    `--file=${file}`,
  ]);
  const lines = (await readFile(file, 'utf8')).split('\n');
  return lines.filter((line) => !/^\\(un)?restrict /.test(line)).join('\n');
}
