/**
 * Every process of the product is replaced under load, one after the other, and nobody notices: no request through the
 * balancer fails, no stream of events loses its thread, no job is lost or counts a second attempt.
 */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@audiosplit/chassis/testing/until';
import pg from 'pg';
import { ensureBalancer } from '../../deploy/processes/balancer.ts';
import { type DistributedSystem, startDistributedSystem } from '../../deploy/processes/distributed-system.ts';
import { rollingRestart } from '../../deploy/processes/rolling-restart.ts';
import { servicePort } from '../../deploy/processes/service-port.ts';
import { reportedTask } from '../../deploy/provision/progress.ts';
import { type ApiUser, openApiUser, untilGatewaysKnow } from '../harness/installation/api-user.fixture.ts';
import {
  overrideLimits,
  sharedEngines,
  systemEnvironment,
} from '../harness/installation/system-under-test.fixture.ts';
import { type LoadReport, startSteadyLoad } from '../harness/load/steady-load.ts';

const SAMPLE = resolve(import.meta.dirname, '../../deploy/embedded/samples/tour.mp3');
/** Longer than the grace of a draining splitter: such a job is handed back. */
const SLOW_SOURCE_MS = 6_000;
/** Above the speed below which a splitter gives a source up. */
const TRICKLE = { bytes: 700, everyMs: 500 };
const DRAIN_GRACE_SECONDS = '2';
const SETTLE_TIMEOUT_MS = 60_000;

let scratch: string;
let database: pg.Client;
let system: DistributedSystem;
let user: ApiUser;
/** While it is set, one job after the other has a source without an end: whichever splitter works on it has to hand it back. */
let isHolding = false;
let isOneHeld = false;
const sources = createServer(async ({ url }, response) => {
  const sample = await readFile(SAMPLE);
  response.writeHead(200, { 'content-length': sample.length, 'content-type': 'audio/mpeg' });
  const isSlow = url?.startsWith('/slow') === true;
  let sent = Math.floor(sample.length / 2);
  response.write(sample.subarray(0, sent));
  if (isSlow && isHolding && !isOneHeld) {
    isOneHeld = true;
    while (isHolding && !response.destroyed) {
      response.write(sample.subarray(sent, sent + TRICKLE.bytes));
      sent += TRICKLE.bytes;
      await sleep(TRICKLE.everyMs);
    }
    isOneHeld = false;
  } else if (isSlow) await sleep(SLOW_SOURCE_MS);
  response.end(sample.subarray(sent));
});

before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'audiosplit-rolling-'));
  const engines = await sharedEngines('rolling');
  database = new pg.Client({ connectionString: engines.databaseUrl });
  await database.connect();
  await new Promise<void>((ready) => sources.listen(0, '127.0.0.1', ready));
  const sourcesUrl = `http://127.0.0.1:${(sources.address() as AddressInfo).port}`;

  const port = await servicePort();
  const task = reportedTask('balancer', () => undefined, new AbortController().signal);
  system = await startDistributedSystem({
    gateways: 2,
    splitters: 2,
    code: 'source',
    directory: scratch,
    ownLogins: true,
    restart: false,
    balancer: {
      command: await ensureBalancer(task),
      address: { host: '127.0.0.1', port, baseUrl: `http://127.0.0.1:${port}` },
      samplesPort: await servicePort(),
    },
    env: {
      ...systemEnvironment(engines, scratch),
      NODE_COMPILE_CACHE: join(scratch, 'compiled'),
      TRUST_PROXY: '127.0.0.1',
      SPLITTER_CONCURRENCY: '4',
      DRAIN_DELAY_SECONDS: '2',
      DRAIN_GRACE_SECONDS,
    },
  });
  user = await openApiUser(system.baseUrl, sourcesUrl);
  await overrideLimits(system, {
    accountId: user.accountId,
    requestsPerMinute: 100_000,
    concurrentJobs: 50,
    monthlyMinutes: 100_000,
  });
  await untilGatewaysKnow(user, 100_000);
});
after(async () => {
  await system?.[Symbol.asyncDispose]();
  await database?.end();
  sources.closeAllConnections();
  sources.close();
  await rm(scratch, { recursive: true, force: true });
});

/** Attempts and fences of all jobs there are. */
async function readJobs() {
  const { rows } = await database.query<{ status: string; attempts: number; fence: string }>(
    'select status, attempts, fence from jobs.jobs',
  );
  return rows;
}

test('a rolling restart under load fails no request and counts no attempt', async (t) => {
  const pidsBefore = new Map(system.processes.map((each) => [each.name, each.identity()?.pid]));
  const load = startSteadyLoad(user);
  let report: LoadReport;
  try {
    await until(() => load.hasUsedEverything(), 'every kind of request has been answered once');
    isHolding = true;
    await until(async () => isOneHeld, 'a splitter works on a source without an end');
    await rollingRestart(system.processes, (name, message) => t.diagnostic(`${name} ${message}`));
  } finally {
    isHolding = false;
    report = await load.stop();
  }
  t.diagnostic(`${JSON.stringify(report.answered)} answered, ${report.resumed} streams taken up again`);
  assert.deepEqual(report.failures, []);

  const areComplete = async () => (await readJobs()).every(({ status }) => status === 'completed');
  await until(areComplete, 'all jobs are complete', SETTLE_TIMEOUT_MS);
  const jobs = await readJobs();
  assert.equal(jobs.length, report.created);
  assert.deepEqual(
    jobs.filter(({ attempts }) => attempts !== 1),
    [],
  );
  const handedBack = jobs.filter(({ fence }) => Number(fence) > 1).length;
  t.diagnostic(`${jobs.length} jobs, ${handedBack} handed back and done by another splitter`);
  assert.ok(handedBack > 0, 'a splitter has handed back what did not end in time');
  for (const { name, identity } of system.processes) {
    if (name !== 'balancer') assert.notEqual(identity()?.pid, pidsBefore.get(name), name);
  }
});
