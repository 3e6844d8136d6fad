/**
 * Every process of the product is replaced under load, one after the other: no request through the balancer
 * fails, no stream misses an event, no job is lost or counts a second attempt.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@audiosplit/chassis/testing/until';
import { connectOperator } from '../../deploy/operations/database-client.ts';
import { UNLIMITED } from '../harness/accounts/limits.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';
import { type LoadReport, startSteadyLoad } from '../harness/load/steady-load.ts';
import { startSources } from '../harness/servers/sources.ts';
import { stackOfFile } from '../harness/stack-of-file.ts';

/** Longer than the grace of a draining splitter: such a job is handed back. */
const SLOW_SOURCE_MS = 6_000;
const DRAIN_GRACE_SECONDS = '2';
const SETTLE_TIMEOUT_MS = 60_000;

const resources = stackOfFile();
const sources = resources.use(await startSources());
const installation = resources.use(
  await startInstallation({
    kind: 'processes',
    name: 'rolling',
    replicas: { gateway: 2, splitter: 2 },
    balancer: true,
    env: { SPLITTER_CONCURRENCY: '4', DRAIN_DELAY_SECONDS: '2', DRAIN_GRACE_SECONDS },
  }),
);
const database = resources.use(await connectOperator(installation.endpoints.databaseUrl));
const account = await installation.openAccount({ limits: UNLIMITED });

/** Attempts and fences of all jobs. */
async function readJobs() {
  const { rows } = await database.query<{ status: string; attempts: number; fence: string }>(
    'select status, attempts, fence from jobs.jobs',
  );
  return rows;
}

test('a rolling restart under load fails no request and counts no attempt', async (t) => {
  const { processes } = installation;
  const pidsBefore = new Map(processes.names().map((name) => [name, processes.pid(name)]));
  const load = startSteadyLoad(account, {
    fast: sources.url(),
    // While a source is held, its splitter must hand the job back.
    slow: sources.url('tour.mp3', { paceMs: SLOW_SOURCE_MS, held: true }),
  });
  let report: LoadReport;
  try {
    await until(() => load.hasUsedEverything(), 'every kind of request has been answered once');
    sources.hold(1);
    await until(() => sources.held() === 1, 'a splitter works on a source without an end');
    await processes.replaceAll((name, message) => t.diagnostic(`${name} ${message}`));
  } finally {
    sources.release();
    report = await load.stop();
  }
  t.diagnostic(`${JSON.stringify(report.answered)} answered, ${report.resumed} streams taken up again`);
  assert.deepEqual(report.failures, []);

  const areComplete = async () => (await readJobs()).every(({ status }) => status === 'completed');
  await until(areComplete, 'all jobs are complete', SETTLE_TIMEOUT_MS);
  const jobs = await readJobs();
  assert.equal(jobs.length, report.created);
  for (const { attempts } of jobs) assert.equal(attempts, 1);
  const handedBack = jobs.filter(({ fence }) => Number(fence) > 1).length;
  t.diagnostic(`${jobs.length} jobs, ${handedBack} handed back and done by another splitter`);
  assert.ok(handedBack > 0, 'a splitter has handed back what did not end in time');
  for (const name of processes.names())
    if (name !== 'balancer') assert.notEqual(processes.pid(name), pidsBefore.get(name), name);
});
