/**
 * The whole product with each process signed in to each engine with its own login.
 * deploy/processes/engine-access.engine.test.ts checks what these logins may not do; this test checks that no
 * right is missing.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '@audiosplit/chassis/testing/until';
import { startInstallation } from '../harness/installation/start-installation.ts';
import { TOUR_SAMPLE_PATH } from '../harness/servers/sources.ts';
import { stackOfFile } from '../harness/stack-of-file.ts';

const resources = stackOfFile();
const installation = resources.use(
  await startInstallation({
    kind: 'processes',
    name: 'restricted',
    engines: 'own',
    isRestricted: true,
    settings: 'up',
    balancer: true,
    replicas: { splitter: 2 },
  }),
);

test('an upload is split, an export created, a job deleted, and no engine denies access', async () => {
  const { client } = await installation.openAccount({ limits: { requestsPerMinute: 600 } });
  const sourceUrl = await client.uploadSource(new Blob([await readFile(TOUR_SAMPLE_PATH)]));
  const { id } = await client.createSplit({ sourceUrl, splitMode: 'duration', segmentDuration: 5 });
  const job = await client.waitForJob(id);
  const link = job.segments[0]?.downloadUrl ?? '';
  assert.equal((await fetch(link)).status, 200);
  await client.deleteSplit(id);
  await until(async () => (await fetch(link)).status === 404, 'its segments are gone', 90_000);

  const { exportId } = await client.createExport();
  const read = () => client.getExport(exportId);
  await until(async () => (await read()).status === 'completed', 'the export is made', 60_000);
  assert.equal((await fetch((await read()).downloadUrl ?? '')).status, 200);

  const logs = readdirSync(installation.logsFolder).map((name) =>
    readFileSync(join(installation.logsFolder, name), 'utf8'),
  );
  const refusals = logs.flatMap((log) =>
    log
      .split('\n')
      .filter((line) => /not authorized|AccessDenied|Access Denied|NOPERM|permission denied/i.test(line)),
  );
  assert.deepEqual(refusals, []);
});

test('a process has only its own logins, and none of an administrator', () => {
  const { KAFKA_SASL_PASSWORD = '', AWS_SECRET_ACCESS_KEY = '', REDIS_URL = '' } = installation.env;
  const administrators = [KAFKA_SASL_PASSWORD, AWS_SECRET_ACCESS_KEY, new URL(REDIS_URL).password];
  assert.ok(administrators.every((secret) => secret.length > 0));
  const users: Record<string, readonly (string | undefined)[]> = {};
  for (const name of installation.processes.names().filter((each) => each !== 'balancer')) {
    const text = readFileSync(`/proc/${installation.processes.pid(name)}/environ`, 'utf8');
    for (const secret of administrators) assert.ok(!text.includes(secret), name);
    const env = Object.fromEntries(text.split('\0').map((line) => line.split(/=(.*)/s)));
    users[name] = [
      env.KAFKA_SASL_USERNAME,
      env.AWS_ACCESS_KEY_ID,
      env.REDIS_URL && new URL(env.REDIS_URL).username,
    ];
  }
  assert.deepEqual(users, {
    'gateway-0': [undefined, 'gateway', 'gateway'],
    auth: ['auth', undefined, undefined],
    account: ['account', 'account', undefined],
    billing: ['billing', 'billing', undefined],
    jobs: ['jobs', 'jobs', undefined],
    'splitter-0': ['splitter', 'splitter', undefined],
    'splitter-1': ['splitter', 'splitter', undefined],
    webhooks: ['webhooks', undefined, undefined],
  });
});
