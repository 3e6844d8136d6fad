import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { exposedGauges } from '@audiosplit/chassis/observability/metrics';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { startCallerThread } from '@audiosplit/chassis/testing/caller-thread';
import { until } from '@audiosplit/chassis/testing/until';
import type { FastifyInstance } from 'fastify';
import { expectError } from './testing/expect-error.ts';
import { startTestGateway } from './testing/test-gateway.ts';

/** More than fits into socket buffers. */
const LARGE_BYTES = 50_000_000;

const fail = async () => {
  throw new Error('redis://10.0.0.7 refused');
};
const brokenLimiter = {
  take: fail,
  look: fail,
  remember: async () => {},
  remembers: async () => false,
  check: fail,
  [Symbol.asyncDispose]: async () => undefined,
};

describe('starting', () => {
  test('a port in use is reported in one line that names PORT and the remedy', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    assert.ok(typeof address === 'object' && address !== null);
    await assert.rejects(startTestGateway({ config: { port: address.port } }), (error) => {
      assert.ok(error instanceof StartError);
      assert.match(
        error.message,
        /^cannot listen on 127\.0\.0\.1:\d+ \(EADDRINUSE\): .*set PORT to a free one$/,
      );
      return true;
    });
    server.close();
  });

  test('further routes can be plugged in, outside of the API', async () => {
    const plugin = async (app: FastifyInstance) => {
      app.get('/samples/one.txt', { config: { bounds: ['downloads'] } }, async () => 'sample');
    };
    await using gateway = await startTestGateway({ dependencies: { plugins: [plugin] } });
    assert.equal(await (await gateway.call('/samples/one.txt')).text(), 'sample');
    await expectError(await gateway.call('/samples/two.txt'), 'NOT_FOUND');
  });
});

describe('transport security', () => {
  const PATHS = [
    '/healthz',
    '/api/v1/plans',
    '/jobs/job_1',
    '/downloads/x',
    '/console/trpc/session.get',
    '/no',
  ];
  const policyAt = async (url: string, path: string) =>
    (await fetch(url + path)).headers.get('strict-transport-security');

  test('a gateway behind TLS tells browsers to use only https for a year', async () => {
    await using gateway = await startTestGateway({ config: { publicBaseUrl: 'https://audio.example' } });
    for (const path of PATHS) assert.equal(await policyAt(gateway.url, path), 'max-age=31536000', path);
  });

  for (const publicBaseUrl of [undefined, 'http://audio.example']) {
    test(`a gateway at ${publicBaseUrl ?? 'its own address'} does not demand TLS`, async () => {
      await using gateway = await startTestGateway({ config: publicBaseUrl ? { publicBaseUrl } : {} });
      for (const path of PATHS) assert.equal(await policyAt(gateway.url, path), null, path);
    });
  }
});

describe('health', () => {
  test('/healthz and /readyz return 200 while everything works', async () => {
    await using gateway = await startTestGateway();
    assert.deepEqual(await (await gateway.call('/healthz')).json(), { status: 'ok' });
    const ready = await gateway.call('/readyz');
    assert.equal(ready.status, 200);
    assert.deepEqual(await ready.json(), {
      status: 'ready',
      dependencies: { limiter: 'ok', store: 'ok', auth: 'ok' },
    });
  });

  test('/readyz returns 503 and names the failing dependency, without the reason; /healthz stays 200', async () => {
    await using gateway = await startTestGateway({ dependencies: { limiter: brokenLimiter } });
    const response = await gateway.call('/readyz');
    assert.equal(response.status, 503);
    assert.deepEqual(await response.json(), {
      status: 'failing',
      dependencies: { limiter: 'failing', store: 'ok', auth: 'ok' },
    });
    assert.equal((await gateway.call('/healthz')).status, 200);
  });

  test('/readyz names an unavailable store, and stays 200, because most of the API works without it', async () => {
    await using whole = await startTestGateway();
    const store = { ...whole.store, check: () => Promise.reject(new Error('connect ECONNREFUSED')) };
    await using gateway = await startTestGateway({ dependencies: { store } });
    const response = await gateway.call('/readyz');
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), {
      status: 'ready',
      dependencies: { limiter: 'ok', store: 'failing', auth: 'ok' },
    });
  });

  test('/accepting returns 200 even if a dependency fails, so that callers get the 503 with a Retry-After', async () => {
    await using gateway = await startTestGateway({ dependencies: { limiter: brokenLimiter } });
    assert.equal((await gateway.call('/readyz')).status, 503);
    const response = await gateway.call('/accepting');
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), { status: 'accepting' });
  });

  test('the metrics match /readyz until the gateway has stopped', async () => {
    const read = async () => {
      const gauge = exposedGauges().find(({ name }) => name === 'audiosplit_gateway_dependency_failing');
      const readings = await Promise.all((gauge?.readers ?? []).map((readGauge) => readGauge()));
      return readings.flat().map(({ labels, value }) => ({ ...labels, value }));
    };
    // Excludes gateways of other tests in this process.
    const others = await read();
    {
      await using _gateway = await startTestGateway({ dependencies: { limiter: brokenLimiter } });
      assert.deepEqual((await read()).slice(others.length), [
        { dependency: 'limiter', value: 1 },
        { dependency: 'store', value: 0 },
        { dependency: 'auth', value: 0 },
      ]);
    }
    assert.deepEqual(await read(), others);
  });
});

describe('stopping', () => {
  test('requests in flight finish, new connections are rejected', async () => {
    const answer = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    const gateway = await startTestGateway({
      services: {
        billing: {
          async listPlans() {
            reached.resolve();
            await answer.promise;
            return { plans: [] };
          },
        },
      },
    });
    const inFlight = gateway.call('/api/v1/plans');
    await reached.promise;

    const stopped = gateway[Symbol.asyncDispose]();
    await until(() => isRefused(gateway.url), 'new connections are refused');
    answer.resolve();
    const response = await inFlight;
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('connection'), 'close');
    assert.deepEqual(await response.json(), { data: [] });
    await stopped;
  });

  test('during the delay it reports that it is not ready, and serves requests with Connection: close', async () => {
    const haste = new AbortController();
    const drain = { delayMs: 60_000, requestsMs: 1_000, skipDelay: haste.signal };
    const gateway = await startTestGateway({ dependencies: { drain } });
    const stopped = gateway[Symbol.asyncDispose]();
    for (const path of ['/readyz', '/accepting']) {
      const ready = await fetch(`${gateway.url}${path}`);
      assert.equal(ready.status, 503, path);
      assert.equal(((await ready.json()) as { readonly status: string }).status, 'draining', path);
    }
    for (const path of ['/api/v1/plans', '/healthz', '/api/v1/nothing-here']) {
      const response = await fetch(`${gateway.url}${path}`);
      assert.equal(response.headers.get('connection'), 'close', path);
      assert.notEqual(response.status, 503, path);
      await response.arrayBuffer();
    }
    haste.abort();
    await stopped;
    await assert.rejects(fetch(`${gateway.url}/healthz`));
  });

  test('the end of a response that its caller has not read yet is not cut off', async () => {
    const plugin = async (app: FastifyInstance) => {
      app.get('/large', { config: { bounds: ['downloads'] } }, (_request, reply) =>
        reply.send(Buffer.alloc(LARGE_BYTES)),
      );
    };
    const drain = { delayMs: 0, requestsMs: 10_000, skipDelay: new AbortController().signal };
    const gateway = await startTestGateway({ dependencies: { drain, plugins: [plugin] } });
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    socket.write('GET /large HTTP/1.1\r\nHost: gateway\r\n\r\n');
    await once(socket, 'readable');
    const stopped = gateway[Symbol.asyncDispose]();
    await until(() => isRefused(gateway.url), 'new connections are refused');
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    await once(socket, 'close');
    assert.ok(bytes > LARGE_BYTES, `${bytes}`);
    await stopped;
  });

  for (const isKept of [true, false]) {
    const connection = isKept ? 'a connection that was idle until then' : 'a new connection';
    test(`requests that arrive over ${connection} just before the process closes are answered`, async () => {
      const haste = new AbortController();
      const drain = { delayMs: 60_000, requestsMs: 5_000, skipDelay: haste.signal };
      const gateway = await startTestGateway({ dependencies: { drain } });
      await using caller = startCallerThread(`${gateway.url}/healthz`);
      if (isKept) assert.match(await caller.ask(), /^HTTP\/1\.1 200 /);
      const stopped = gateway[Symbol.asyncDispose]();
      const answer = caller.ask();
      caller.holdUpUntilSent();
      haste.abort();
      assert.match(await answer, /^HTTP\/1\.1 200 .*^connection: close\r$/ms);
      await stopped;
    });
  }
});

const isRefused = (url: string) =>
  fetch(`${url}/healthz`).then(
    () => false,
    () => true,
  );
