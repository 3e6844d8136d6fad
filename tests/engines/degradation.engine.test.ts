/**
 * How callers are affected while a component is down, on separate processes with their own engines, which are
 * killed and frozen. docs/degradation.md lists the effects. The order matters: each test leaves the
 * installation intact.
 */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import pg from 'pg';
import type { Account } from '../harness/accounts/open-account.ts';
import { type RawInit, raw, type Target, type TimedAnswer } from '../harness/accounts/raw.ts';
import { startBalancer } from '../harness/installation/balancer.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';
import { startSources } from '../harness/servers/sources.ts';
import { stackOfFile } from '../harness/stack-of-file.ts';

const SPLIT = { splitMode: 'duration', segmentDuration: 20 };
/** For every key of the test's account. */
const REQUESTS_PER_MINUTE = 600;
const GATEWAYS = 2;
const BALANCER_LOOKS_MS = 4_000;

interface CallOptions extends RawInit {
  readonly gateway?: number;
}

const resources = stackOfFile();
const sources = resources.use(await startSources());
const installation = resources.use(
  await startInstallation({
    kind: 'processes',
    name: 'degradation',
    engines: 'own',
    replicas: { gateway: GATEWAYS },
    env: { JOB_REAP_EVERY_SECONDS: '1', DRAIN_GRACE_SECONDS: '1' },
  }),
);
resources.defer(() => installation.processes.thaw('billing'));
const { engines } = installation;
const database = resources.adopt(
  new pg.Pool({ connectionString: installation.endpoints.databaseUrl, max: 1 }),
  (pool) => pool.end().catch(() => undefined),
);
database.on('error', () => undefined);
const account = await installation.openAccount({ limits: { requestsPerMinute: REQUESTS_PER_MINUTE } });

describe('degradation', () => {
  const call = (target: Target, { gateway = 0, ...init }: CallOptions = {}): Promise<TimedAnswer> =>
    raw(installation.gatewayUrls[gateway] ?? '', target, init);
  const list = (gateway = 0, { apiKey }: Pick<Account, 'apiKey'> = account) =>
    call('GET /api/v1/splits', { gateway, apiKey });
  const create = () => account.raw('POST /api/v1/splits', { body: { sourceUrl: sources.url(), ...SPLIT } });
  const read = (jobId: string) => account.raw(`GET /api/v1/splits/${jobId}`);
  const newKey = async () => ({ apiKey: (await account.client.createApiKey({ name: 't' })).key });
  const readiness = (gateway = 0) => call('GET /readyz', { gateway });
  const untilEnded = async (jobId: string): Promise<TimedAnswer['body']> => {
    let job: TimedAnswer['body'];
    const hasEnded = async () => {
      job = (await read(jobId)).body;
      if (['completed', 'failed'].includes(job.status)) return true;
      await sleep(250);
      return false;
    };
    await until(hasEnded, `the end of ${jobId}`, 90_000);
    return job;
  };
  const assertUnavailable = ({ status, headers, body, ms }: TimedAnswer, withinMs: number) => {
    assert.equal(status, 503, JSON.stringify(body));
    assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    const { code, status: shown } = body.error;
    assert.deepEqual([code, shown, Object.keys(body)], ['SERVICE_UNAVAILABLE', 503, ['error']]);
    assert.ok(ms < withinMs, `answered after ${ms} ms`);
  };
  const percentile = (answers: readonly TimedAnswer[], share: number) =>
    answers.map(({ ms }) => ms).toSorted((a, b) => a - b)[Math.ceil(answers.length * share) - 1] ??
    Number.NaN;
  const inTurn = async (count: number, ask: (n: number) => Promise<TimedAnswer>): Promise<TimedAnswer[]> => {
    const answers: TimedAnswer[] = [];
    for (let n = 0; n < count; n++) answers.push(await ask(n));
    return answers;
  };
  /** This many concurrently, as one caller's connections arrive. */
  const together = async (count: number, ask: (n: number) => Promise<TimedAnswer>) => {
    let next = 0;
    const lanes = Array.from({ length: 40 }, async () => {
      const answers: TimedAnswer[] = [];
      while (next < count) answers.push(await ask(next++));
      return answers;
    });
    return (await Promise.all(lanes)).flat();
  };
  /** Counts of different gateways must fall into one window. */
  const windowWithTimeLeft = async (seconds: number) => {
    const leftMs = 60_000 - (Date.now() % 60_000);
    if (leftMs < seconds * 1_000) await sleep(leftMs + 100);
  };

  describe('Redis', () => {
    /** Sends requests to `gateways` gateways in turn, in one window; returns how many passed. */
    const countPassed = async (gateways: number, requests: number): Promise<number> => {
      const key = await newKey();
      await windowWithTimeLeft(12);
      const answers = await together(requests, (n) => list(n % gateways, key));
      assert.ok(answers.every(({ status }) => status === 200 || status === 429));
      return answers.filter(({ status }) => status === 200).length;
    };

    for (const [fault, breakIt, mend] of [
      ['frozen', () => engines.freeze('redis'), () => engines.thaw('redis')],
      ['killed', () => engines.kill('redis'), () => engines.start('redis')],
    ] as const) {
      test(`${fault}: each gateway allows its share of the limit without delay, and counts are exact again afterwards`, async () => {
        await breakIt();
        // The first request waits for the limiter's timeout; later ones do not.
        await list();
        const calm = await inTurn(10, () => list());
        assert.ok(calm.every(({ status }) => status === 200));
        // Twice its share.
        assert.equal(await countPassed(1, REQUESTS_PER_MINUTE), REQUESTS_PER_MINUTE / GATEWAYS);
        assert.equal((await readiness()).status, 200);
        await mend();
        const isExact = async () =>
          (await countPassed(GATEWAYS, REQUESTS_PER_MINUTE + 50)) === REQUESTS_PER_MINUTE;
        await until(isExact, 'exact counts', 60_000);
        // A wait for Redis would be visible in each of them.
        assert.ok(percentile(calm, 0.5) < 250, `${percentile(calm, 0.5)} ms`);
      });
    }
  });

  describe('a service', () => {
    test('frozen: requests that need it get 503 in limited time, and no others wait', async () => {
      const usage = (headers = {}) =>
        call('GET /api/v1/billing', { accessToken: account.accessToken(), headers });
      const beforehand = await inTurn(30, () => list());
      installation.processes.freeze('billing');
      try {
        const crowd = Array.from({ length: 40 }, () => usage());
        const beside = await inTurn(30, () => list());
        assert.ok(beside.every(({ status }) => status === 200));
        for (const answer of await Promise.all(crowd)) assertUnavailable(answer, 15_000);
        assertUnavailable(await usage({ prefer: 'wait=1' }), 3_000);
        const [normalMs, besideMs] = [percentile(beforehand, 0.9), percentile(beside, 0.9)];
        assert.ok(besideMs < Math.max(5 * normalMs, 250), `${besideMs} ms instead of ${normalMs} ms`);
        assert.equal((await readiness()).status, 200);
      } finally {
        installation.processes.thaw('billing');
      }
      await until(async () => (await usage()).status === 200);
    });
  });

  describe('Kafka', () => {
    test('killed: jobs are accepted and completed, and their events are published when it returns', async () => {
      await engines.kill('kafka');
      const created = await inTurn(5, () => create());
      for (const { status } of created) assert.equal(status, 201);
      for (const gateway of [0, 1]) assert.equal((await readiness(gateway)).status, 200);
      const waiting = async (): Promise<number> =>
        (await database.query('select count(*)::int as events from jobs.outbox')).rows[0].events;
      assert.ok((await waiting()) > 0);
      const jobIds: string[] = created.map(({ body }) => body.id);
      for (const jobId of jobIds) assert.equal((await untilEnded(jobId)).status, 'completed');
      await engines.start('kafka');
      await until(async () => (await waiting()) === 0, 'an empty outbox', 90_000);
    });
  });

  describe('S3', () => {
    const upload = async () => (await account.client.createUpload({ fileName: 'a.mp3' })).uploadUrl;
    const send = (uploadUrl: string) => call(`PUT ${uploadUrl}`, { body: 'x'.repeat(100_000) });

    test('killed: uploads and downloads get 503, a job retries and then fails, and nothing is left on disk', async () => {
      const job = await untilEnded((await create()).body.id);
      assert.equal(job.status, 'completed');
      const { downloadUrl } = job.segments[0];
      const uploadUrl = await upload();
      await engines.kill('versitygw');
      const failing = (await create()).body.id;
      assertUnavailable(await send(uploadUrl), 20_000);
      assertUnavailable(await call(`GET ${downloadUrl}`), 20_000);
      assert.equal((await list()).status, 200);
      const ready = await readiness();
      assert.deepEqual([ready.status, ready.body.dependencies.store], [200, 'failing']);

      const failed = await untilEnded(failing);
      assert.deepEqual([failed.status, failed.error.code], ['failed', 'INTERNAL_ERROR']);
      const { rows } = await database.query('select attempts from jobs.jobs where id = $1', [failing]);
      assert.deepEqual(rows, [{ attempts: 3 }]);
      const scratch = await readdir(join(installation.dataDir, 'scratch'), { recursive: true });
      assert.deepEqual(
        scratch.filter((path) => path.includes('job_')),
        [],
      );
      await engines.start('versitygw');
      assert.equal((await send(uploadUrl)).status, 204);
      await until(async () => (await readiness()).body.dependencies.store === 'ok');
      assert.equal((await call(`GET ${downloadUrl}`)).status, 200);
    });
  });

  describe('Postgres', () => {
    const portOf = (url: string) => Number(new URL(url).port);
    const balancer = forSuite(() =>
      startBalancer(installation.dataDir, {
        gatewayPorts: installation.gatewayUrls.map(portOf),
        services: [],
        samplesPort: portOf(sources.url()),
      }),
    );
    const throughBalancer = (path: string) =>
      raw(balancer.baseUrl, `GET ${path}`, { apiKey: account.apiKey });
    const untilWell = async () => {
      for (const gateway of [0, 1]) {
        await until(async () => (await list(gateway)).status === 200, 'an answer', 60_000);
        await until(async () => (await readiness(gateway)).status === 200, 'readiness', 60_000);
      }
      // The pools contain no more broken connections.
      const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => list(n % GATEWAYS)));
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    };

    test('stopped at once and restarted: 503 meanwhile, health reports it, and the pools recover by themselves', async () => {
      const { downloadUrl } = (await untilEnded((await create()).body.id)).segments[0];
      const { pathname, search } = new URL(downloadUrl);
      await engines.kill('postgres');
      for (const gateway of [0, 1]) {
        await until(async () => (await list(gateway)).status !== 200);
        assertUnavailable(await list(gateway), 15_000);
        const ready = await readiness(gateway);
        assert.deepEqual([ready.status, ready.body.dependencies.auth], [503, 'failing']);
        assert.equal((await call('GET /healthz', { gateway })).status, 200);
      }
      // Longer than a balancer takes to drop the servers that it checks.
      await sleep(BALANCER_LOOKS_MS);
      for (let turn = 0; turn < GATEWAYS; turn++) {
        const refused = await throughBalancer('/api/v1/splits');
        assertUnavailable(refused, 15_000);
        assert.ok(refused.headers.has('x-ratelimit-limit'), 'the refusal is the balancer’s own');
        assert.equal((await throughBalancer(pathname + search)).status, 200);
      }
      await engines.start('postgres');
      await untilWell();
      assert.equal((await untilEnded((await create()).body.id)).status, 'completed');
    });

    test('frozen: 503 at the deadline, or at the caller’s own deadline, and the pools recover by themselves', async () => {
      engines.freeze('postgres');
      try {
        // A newly verified key is cached for a moment.
        await sleep(1_000);
        const asked = await Promise.all([0, 1].map((gateway) => list(gateway)));
        for (const answer of asked) assertUnavailable(answer, 15_000);
        const ready = await readiness();
        assert.deepEqual([ready.status, ready.body.dependencies.auth], [503, 'failing']);
      } finally {
        engines.thaw('postgres');
      }
      await untilWell();
    });
  });
});
