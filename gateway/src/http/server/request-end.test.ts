import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPrometheus, type Prometheus } from '@audiosplit/chassis/observability/prometheus';
import { listenToSpans } from '@audiosplit/chassis/observability/spans';
import { createLogger, silentLogger } from '@audiosplit/chassis/process/log';
import { until } from '@audiosplit/chassis/testing/until';
import type { FastifyInstance } from 'fastify';
import { METRICS } from '../../metrics.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

/** Duration of a held request. */
const HELD_MS = 120;

interface Entry {
  readonly msg: string;
  readonly durationMs: number;
  readonly err?: Readonly<Record<string, unknown>>;
  readonly route: string;
  readonly status: number;
  readonly aborted?: boolean;
}

const PAGE = { config: { bounds: ['pages'] } } as const;

describe('the end of a request', () => {
  const reached: string[] = [];
  const entries: Entry[] = [];
  const spans: { readonly name: string; readonly status: unknown }[] = [];
  let begun = 0;
  let gateway: TestGateway;
  let prometheus: Prometheus;
  let release = Promise.withResolvers<void>();
  const running = new AsyncDisposableStack();

  before(async () => {
    prometheus = running.use(
      createPrometheus({ processes: ['gateway'], metrics: METRICS, log: silentLogger() }),
    );
    const sink = listenToSpans({
      start(trace, { name }) {
        const isCall = name.startsWith('audiosplit.');
        if (!isCall) begun += 1;
        return {
          trace,
          end({ attributes = {} } = {}) {
            if (!isCall) spans.push({ name, status: attributes['http.response.status_code'] });
          },
        };
      },
    });
    running.use(sink);
    const log = createLogger('gateway', 'info', { write: (line) => void entries.push(JSON.parse(line)) });
    const plugin = async (app: FastifyInstance) => {
      app.get('/held', PAGE, async () => {
        reached.push('/held');
        await release.promise;
        return 'late';
      });
      app.get('/broken', PAGE, (_request, reply) => reply.send(Readable.from(breaking())));
      app.get('/endless', PAGE, (_request, reply) => reply.send(Readable.from(endless())));
    };
    gateway = running.use(await startTestGateway({ dependencies: { plugins: [plugin], log } }));
  });
  after(() => running.disposeAsync());

  const requests = () => entries.filter(({ msg }) => msg === 'request');
  const figure = async (series: string) => {
    const line = (await prometheus.scrape()).split('\n').find((each) => each.startsWith(`${series} `));
    return Number(line?.slice(series.length));
  };

  /** Waits for `count` requests to end, and returns how they ended. */
  async function endsOf(count: number): Promise<readonly Pick<Entry, 'route' | 'status' | 'aborted'>[]> {
    await until(() => requests().length === count, `${count} requests have a line`);
    await until(
      async () => (await figure('audiosplit_http_requests_in_flight')) === 0,
      'nothing is in flight',
    );
    assert.equal(begun, count);
    assert.equal(spans.length, count, 'every span has ended, once');
    const ended = requests().map(({ route, status, aborted }) => ({
      route,
      status,
      ...(aborted === undefined ? {} : { aborted }),
    }));
    reached.length = entries.length = spans.length = begun = 0;
    return ended;
  }

  function say(text: string): Socket {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.write(text);
    return socket;
  }
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: gateway\r\n\r\n`;

  test('is reported with the last byte of the response', async () => {
    assert.equal((await fetch(`${gateway.url}/openapi.json`)).status, 200);
    assert.deepEqual(await endsOf(1), [{ route: '/openapi.json', status: 200 }]);
  });

  test('includes the duration', async () => {
    const held = fetch(`${gateway.url}/held`);
    await until(() => reached.length === 1);
    await sleep(HELD_MS);
    release.resolve();
    assert.equal((await held).status, 200);
    await until(() => requests().length === 1);
    const durationMs = requests()[0]?.durationMs ?? Number.NaN;
    assert.ok(durationMs >= HELD_MS - 1, `${durationMs}`);
    await endsOf(1);
    const sum = 'audiosplit_http_request_duration_seconds_sum{method="GET",route="/held",status_class="2xx"}';
    assert.ok(Math.abs((await figure(sum)) - durationMs / 1_000) < 0.001);
    release = Promise.withResolvers();
  });

  test('is reported once, as 499, if the caller disconnects before the response', async () => {
    const socket = say(get('/held'));
    await until(() => reached.length === 1);
    assert.equal(await figure('audiosplit_http_requests_in_flight'), 1);
    socket.destroy();
    await until(() => spans.length === 1);
    assert.deepEqual(spans, [{ name: 'GET /held', status: undefined }], 'no status was sent');
    assert.deepEqual(await endsOf(1), [{ route: '/held', status: 499, aborted: true }]);
    const counted =
      'audiosplit_http_request_duration_seconds_count{method="GET",route="/held",status_class="none"}';
    assert.equal(await figure(counted), 1);

    release.resolve();
    assert.equal((await fetch(`${gateway.url}/held`)).status, 200);
    assert.deepEqual(await endsOf(1), [{ route: '/held', status: 200 }]);
    release = Promise.withResolvers();
  });

  test('is reported with the sent status if the caller disconnects during the response', async () => {
    const socket = say(get('/endless'));
    socket.once('data', () => socket.destroy());
    assert.deepEqual(await endsOf(1), [{ route: '/endless', status: 200, aborted: true }]);
  });

  test('is reported if the response breaks off, with a line that gives the reason', async () => {
    const response = await fetch(`${gateway.url}/broken`);
    await assert.rejects(response.arrayBuffer());
    const logEntry = () => entries.find(({ msg }) => msg === 'an answer is cut short');
    await until(() => logEntry() !== undefined);
    assert.equal(logEntry()?.err?.message, 'the store is gone');
    assert.deepEqual(await endsOf(1), [{ route: '/broken', status: 200, aborted: true }]);
  });

  test('is reported if the caller disconnects before the request is complete', async () => {
    const key = gateway.newKey().secret;
    const head = `POST /api/v1/splits HTTP/1.1\r\nHost: gateway\r\nX-API-Key: ${key}\r\n`;
    const socket = say(`${head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"sourceUrl":`);
    await until(async () => (await figure('audiosplit_http_requests_in_flight')) === 1);
    socket.destroy();
    const [end] = await endsOf(1);
    assert.equal(end?.route, '/api/v1/splits');
    assert.equal(end?.aborted, true);
  });

  test('is reported for each request that waits on one connection', async () => {
    const waiting = 12;
    const socket = say(get('/held').repeat(waiting));
    await until(() => reached.length === waiting);
    socket.destroy();
    const one = { route: '/held', status: 499, aborted: true };
    assert.deepEqual(await endsOf(waiting), Array(waiting).fill(one));
    release.resolve();
  });
});

async function* breaking(): AsyncGenerator<Buffer> {
  yield Buffer.alloc(65_536);
  await sleep(20);
  throw new Error('the store is gone');
}

function* endless(): Generator<Buffer> {
  for (;;) yield Buffer.alloc(65_536);
}
