/**
 * What callers meet while something is down, on separate processes and engines of their own that are killed and frozen.
 * docs/degradation.md is the table of it. Order matters: each test leaves the installation whole.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@audiosplit/chassis/testing/until';
import pg from 'pg';
import { startEngines } from '../../deploy/engines/start-engines.ts';
import { stopEngines } from '../../deploy/engines/stop-engines.ts';
import { type DistributedSystem, startDistributedSystem } from '../../deploy/processes/distributed-system.ts';
import { type BalancerUnderTest, startBalancer } from '../harness/installation/balancer.ts';
import { type EnginesUnderTest, enginesUnderTest } from '../harness/installation/engine-controls.ts';
import { overrideLimits, systemEnvironment } from '../harness/installation/system-under-test.fixture.ts';

const SAMPLE = resolve(import.meta.dirname, '../../deploy/embedded/samples/tour.mp3');
const SPLIT = { splitMode: 'duration', segmentDuration: 20 };
/** Of every key of the test's account. */
const REQUESTS_PER_MINUTE = 600;
const GATEWAYS = 2;
const BALANCER_LOOKS_MS = 4_000;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly ms: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field
  readonly body: any;
}

interface CallOptions {
  readonly gateway?: number;
  readonly headers?: Record<string, string>;
  readonly json?: object;
}

describe('degradation', () => {
  let scratch: string;
  let engines: EnginesUnderTest;
  let system: DistributedSystem;
  let database: pg.Pool;
  let sourceUrl: string;
  let authorization: string;
  let key: string;
  const sources = createServer(async (_request, response) => {
    const sample = await readFile(SAMPLE);
    response.writeHead(200, { 'content-length': sample.length }).end(sample);
  });

  before(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'audiosplit-degradation-'));
    // Postgres runs under an account of its own and has to pass through to its data.
    await chmod(scratch, 0o711);
    const endpoints = await startEngines({
      dir: scratch,
      only: ['postgres', 'redis', 'kafka', 'versitygw'],
    });
    engines = enginesUnderTest(scratch);
    database = new pg.Pool({ connectionString: endpoints.databaseUrl, max: 1 });
    database.on('error', () => undefined);
    await new Promise<void>((ready) => sources.listen(0, '127.0.0.1', ready));
    sourceUrl = `http://127.0.0.1:${(sources.address() as AddressInfo).port}/tour.mp3`;
    system = await startDistributedSystem({
      gateways: GATEWAYS,
      splitters: 1,
      code: 'source',
      directory: join(scratch, 'system'),
      ownLogins: true,
      restart: false,
      env: {
        ...systemEnvironment(endpoints, scratch),
        JOB_REAP_EVERY_SECONDS: '1',
        DRAIN_GRACE_SECONDS: '1',
      },
    });
    const email = `d${randomBytes(6).toString('hex')}@example.com`;
    const registered = await call('POST', '/api/v1/auth/register', {
      json: { email, password: 'correct horse battery' },
    });
    assert.equal(registered.status, 201, JSON.stringify(registered.body));
    authorization = `Bearer ${registered.body.accessToken}`;
    const accountId = registered.body.account.id;
    await overrideLimits(system, { accountId, requestsPerMinute: REQUESTS_PER_MINUTE });
    key = await newKey();
    await until(async () => (await list()).headers.get('x-ratelimit-limit') === String(REQUESTS_PER_MINUTE));
  });
  after(async () => {
    for (const name of ['billing', 'gateway-0'] as const) system?.process(name).signal('SIGCONT');
    await system?.[Symbol.asyncDispose]();
    await database?.end().catch(() => undefined);
    sources.closeAllConnections();
    sources.close();
    await stopEngines({ dir: scratch });
    await rm(scratch, { recursive: true, force: true });
  });

  const call = async (
    method: string,
    pathOrUrl: string,
    { gateway = 0, headers = {}, json }: CallOptions = {},
  ): Promise<Answer> => {
    const startedMs = performance.now();
    const response = await fetch(new URL(pathOrUrl, system.gatewayUrls[gateway]), {
      method,
      headers: { ...headers, ...(json === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      ms: performance.now() - startedMs,
      body: response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text,
    };
  };
  const list = (gateway = 0, apiKey = key, headers: Record<string, string> = {}) =>
    call('GET', '/api/v1/splits', { gateway, headers: { 'x-api-key': apiKey, ...headers } });
  const create = () =>
    call('POST', '/api/v1/splits', { headers: { 'x-api-key': key }, json: { sourceUrl, ...SPLIT } });
  const read = (jobId: string) => call('GET', `/api/v1/splits/${jobId}`, { headers: { 'x-api-key': key } });
  const newKey = async (): Promise<string> => {
    const created = await call('POST', '/api/v1/api-keys', {
      headers: { authorization },
      json: { name: 't' },
    });
    assert.equal(created.status, 201, JSON.stringify(created.body));
    return created.body.key;
  };
  const readiness = (gateway = 0) => call('GET', '/readyz', { gateway });
  const untilEnded = async (jobId: string): Promise<Answer['body']> => {
    let job: Answer['body'];
    await until(
      async () => {
        job = (await read(jobId)).body;
        if (!['completed', 'failed'].includes(job.status)) await sleep(250);
        return ['completed', 'failed'].includes(job.status);
      },
      `the end of ${jobId}`,
      90_000,
    );
    return job;
  };
  const assertUnavailable = ({ status, headers, body, ms }: Answer, withinMs: number) => {
    assert.equal(status, 503, JSON.stringify(body));
    assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    assert.deepEqual(
      [body.error.code, body.error.status, Object.keys(body)],
      ['SERVICE_UNAVAILABLE', 503, ['error']],
    );
    assert.ok(ms < withinMs, `answered after ${ms} ms`);
  };
  const percentile = (answers: readonly Answer[], share: number) =>
    answers.map(({ ms }) => ms).toSorted((a, b) => a - b)[Math.ceil(answers.length * share) - 1] ??
    Number.NaN;
  const inTurn = async (count: number, ask: (n: number) => Promise<Answer>): Promise<Answer[]> => {
    const answers: Answer[] = [];
    for (let n = 0; n < count; n++) answers.push(await ask(n));
    return answers;
  };
  /** So many at a time, as connections of one caller come. */
  const together = async (count: number, ask: (n: number) => Promise<Answer>): Promise<Answer[]> => {
    let next = 0;
    const lanes = Array.from({ length: 40 }, async () => {
      const answers: Answer[] = [];
      while (next < count) answers.push(await ask(next++));
      return answers;
    });
    return (await Promise.all(lanes)).flat();
  };
  /** Counts made here and there have to fall into one window. */
  const windowWithTimeLeft = async (seconds: number) => {
    const leftMs = 60_000 - (Date.now() % 60_000);
    if (leftMs < seconds * 1_000) await sleep(leftMs + 100);
  };

  describe('Redis', () => {
    /** Twice its share from one gateway; how many passed. */
    const askOneGateway = async (): Promise<{
      readonly passed: number;
      readonly answers: readonly Answer[];
    }> => {
      const apiKey = await newKey();
      await windowWithTimeLeft(12);
      const answers = await together(REQUESTS_PER_MINUTE, () => list(0, apiKey));
      return { passed: answers.filter(({ status }) => status === 200).length, answers };
    };
    const askAll = async (): Promise<number> => {
      const apiKey = await newKey();
      await windowWithTimeLeft(12);
      const answers = await together(REQUESTS_PER_MINUTE + 50, (n) => list(n % GATEWAYS, apiKey));
      return answers.filter(({ status }) => status === 200).length;
    };

    for (const [fault, breakIt, mend] of [
      ['frozen', () => engines.freeze('redis'), () => engines.thaw('redis')],
      ['killed', () => engines.kill('redis'), () => engines.restart('redis')],
    ] as const) {
      test(`${fault}: each gateway lets its share of the limit through, in good time, and counting is exact again`, async () => {
        await breakIt();
        // Whoever finds out waits for the limiter's deadline; nobody after that does.
        await list();
        const calm = await inTurn(10, () => list());
        assert.ok(calm.every(({ status }) => status === 200));
        const { passed, answers } = await askOneGateway();
        assert.equal(passed, REQUESTS_PER_MINUTE / GATEWAYS);
        assert.ok(answers.every(({ status }) => status === 200 || status === 429));
        assert.equal((await readiness()).status, 200);
        await mend();
        await until(async () => (await askAll()) === REQUESTS_PER_MINUTE, 'exact counts', 60_000);
        // A wait for Redis would show in each of them.
        assert.ok(percentile(calm, 0.5) < 250, `${percentile(calm, 0.5)} ms`);
      });
    }
  });

  describe('a service', () => {
    test('frozen: who needs it gets 503 in bounded time, and nobody else waits', async () => {
      const usage = (headers = {}) =>
        call('GET', '/api/v1/billing', { headers: { authorization, ...headers } });
      const beforehand = await inTurn(30, () => list());
      system.process('billing').signal('SIGSTOP');
      try {
        const crowd = Array.from({ length: 40 }, () => usage());
        const beside = await inTurn(30, () => list());
        assert.ok(beside.every(({ status }) => status === 200));
        for (const answer of await Promise.all(crowd)) assertUnavailable(answer, 15_000);
        assertUnavailable(await usage({ prefer: 'wait=1' }), 3_000);
        const normalMs = percentile(beforehand, 0.9);
        assert.ok(
          percentile(beside, 0.9) < Math.max(5 * normalMs, 250),
          `${percentile(beside, 0.9)} ms instead of ${normalMs} ms`,
        );
        assert.equal((await readiness()).status, 200);
      } finally {
        system.process('billing').signal('SIGCONT');
      }
      await until(async () => (await usage()).status === 200);
    });
  });

  describe('Kafka', () => {
    test('killed: jobs are accepted and done, and what others are to hear of them goes out once it is back', async () => {
      await engines.kill('kafka');
      const created = await inTurn(5, () => create());
      assert.deepEqual(
        created.map(({ status }) => status),
        created.map(() => 201),
      );
      for (const gateway of [0, 1]) assert.equal((await readiness(gateway)).status, 200);
      const waiting = async () => {
        const { rows } = await database.query<{ events: number }>(
          'select count(*)::int as events from jobs.outbox',
        );
        return rows[0]?.events ?? Number.NaN;
      };
      assert.ok((await waiting()) > 0);
      const jobIds: string[] = created.map(({ body }) => body.id);
      for (const jobId of jobIds) assert.equal((await untilEnded(jobId)).status, 'completed');
      await engines.restart('kafka');
      await until(async () => (await waiting()) === 0, 'an empty outbox', 90_000);
    });
  });

  describe('S3', () => {
    const upload = async (): Promise<string> => {
      const made = await call('POST', '/api/v1/uploads', {
        headers: { 'x-api-key': key },
        json: { fileName: 'a.mp3' },
      });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      return made.body.uploadUrl;
    };
    const send = async (uploadUrl: string): Promise<Answer> => {
      const startedMs = performance.now();
      const response = await fetch(uploadUrl, { method: 'PUT', body: Buffer.alloc(100_000, 1) });
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        ms: performance.now() - startedMs,
        body: text === '' ? undefined : JSON.parse(text),
      };
    };

    test('killed: uploads and downloads give 503, a job tries again and then fails, and nothing is left on disk', async () => {
      const job = await untilEnded((await create()).body.id);
      assert.equal(job.status, 'completed');
      const { downloadUrl } = job.segments[0];
      const uploadUrl = await upload();
      await engines.kill('versitygw');
      const doomed = (await create()).body.id;
      assertUnavailable(await send(uploadUrl), 20_000);
      assertUnavailable(await call('GET', downloadUrl), 20_000);
      assert.equal((await list()).status, 200);
      const ready = await readiness();
      assert.deepEqual([ready.status, ready.body.dependencies.store], [200, 'failing']);

      const failed = await untilEnded(doomed);
      assert.deepEqual([failed.status, failed.error.code], ['failed', 'INTERNAL_ERROR']);
      const { rows } = await database.query('select attempts from jobs.jobs where id = $1', [doomed]);
      assert.deepEqual(rows, [{ attempts: 3 }]);
      assert.deepEqual(
        (await readdir(join(scratch, 'system', 'scratch'), { recursive: true })).filter((path) =>
          path.includes('job_'),
        ),
        [],
      );
      await engines.restart('versitygw');
      assert.equal((await send(uploadUrl)).status, 204);
      await until(async () => (await readiness()).body.dependencies.store === 'ok');
      assert.equal((await call('GET', downloadUrl)).status, 200);
    });
  });

  describe('Postgres', () => {
    let balancer: BalancerUnderTest;
    before(async () => {
      const gatewayPorts = system.gatewayUrls.map((url) => Number(new URL(url).port));
      const samplesPort = (sources.address() as AddressInfo).port;
      balancer = await startBalancer(scratch, { gatewayPorts, services: [], samplesPort });
    });
    after(() => balancer?.process.stop());
    const throughBalancer = (path: string) =>
      call('GET', new URL(path, balancer.baseUrl).href, { headers: { 'x-api-key': key } });
    const untilWell = async () => {
      for (const gateway of [0, 1]) {
        await until(async () => (await list(gateway)).status === 200, 'an answer', 60_000);
        await until(async () => (await readiness(gateway)).status === 200, 'readiness', 60_000);
      }
      // The pools hold no connection that is of no use any more.
      const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => list(n % GATEWAYS)));
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    };

    test('stopped at once and started again: 503 meanwhile, health says so, and the pools heal by themselves', async () => {
      const { downloadUrl } = (await untilEnded((await create()).body.id)).segments[0];
      const { pathname, search } = new URL(downloadUrl);
      await engines.kill('postgres');
      for (const gateway of [0, 1]) {
        await until(async () => (await list(gateway)).status !== 200);
        assertUnavailable(await list(gateway), 15_000);
        const ready = await readiness(gateway);
        assert.deepEqual([ready.status, ready.body.dependencies.auth], [503, 'failing']);
        assert.equal((await call('GET', '/healthz', { gateway })).status, 200);
      }
      // Longer than it takes a balancer to drop those that it asks.
      await sleep(BALANCER_LOOKS_MS);
      for (let turn = 0; turn < GATEWAYS; turn++) {
        const refused = await throughBalancer('/api/v1/splits');
        assertUnavailable(refused, 15_000);
        assert.ok(refused.headers.has('x-ratelimit-limit'), 'the refusal is the balancer’s own');
        assert.equal((await throughBalancer(pathname + search)).status, 200);
      }
      await engines.restart('postgres');
      await untilWell();
      assert.equal((await untilEnded((await create()).body.id)).status, 'completed');
    });

    test('frozen: 503 at the deadline, the caller’s own where it names one, and the pools heal by themselves', async () => {
      engines.freeze('postgres');
      try {
        // A key that was just verified is trusted for a moment.
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
