import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../process/env.ts';
import { createLogger, silentLogger } from '../process/log.ts';
import { countedSpans } from '../testing/counted-spans.ts';
import { leaksIn } from '../testing/leaks.ts';
import { startTraceCollector } from '../testing/trace-collector.ts';
import { currentTrace, newTrace, runInTrace, traceFromHeaders, traceHeaders } from '../trace.ts';
import { MAX_WAITING_SPANS } from './open-telemetry.ts';
import { createPrometheus } from './prometheus.ts';
import { PROCESS_METRICS } from './shared-metrics.ts';
import { inSpan, isTraced, startSpan, withoutSpans } from './spans.ts';
import { startTracing } from './tracing.ts';
import { readTracingConfig } from './tracing-config.ts';

const options = { serviceName: 'audiosplit-test', log: silentLogger() };
const begin = { name: 'request', kind: 'server', mayBegin: true } as const;
/** The number of spans that the library takes from the queue at once. */
const FIRST_BATCH = 512;
const step = { name: 'step', kind: 'internal' } as const;

function configFor(url: string, share = '1') {
  return readTracingConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_TRACES_SAMPLER_ARG: share });
}

test('nothing is traced without an endpoint, and work runs unchanged', async () => {
  assert.equal(readTracingConfig({}), undefined);
  assert.equal(await startTracing(undefined, options), undefined);
  assert.equal(isTraced(), false);
  assert.equal(startSpan({ ...begin, parent: newTrace() }), undefined);
  const trace = newTrace();
  assert.equal(await inSpan({ ...step, parent: trace }, async () => currentTrace()), trace);
});

test('the argument of another sampler is not read without an endpoint', () => {
  assert.equal(readTracingConfig({ OTEL_TRACES_SAMPLER_ARG: 'root=always_on' }), undefined);
});

test('an invalid endpoint or sampling ratio is rejected', () => {
  assert.throws(() => configFor('collector:4318'), ConfigError);
  for (const share of ['2', '-1', 'all', '1e-3'])
    assert.throws(() => configFor('http://collector', share), ConfigError);
  assert.equal(configFor('http://collector', '0.25')?.sampledShare, 0.25);
});

test('spans are exported as a tree under the trace id of the log; failures are marked, without their messages', async () => {
  await using collector = await startTraceCollector();
  const trace = newTrace();
  {
    await using _tracing = await startTracing(configFor(collector.url), options);
    const root = startSpan({ ...begin, parent: trace, attributes: { 'http.route': '/things' } });
    assert.ok(root);
    await runInTrace(root.trace, async () => {
      assert.match(
        traceHeaders().traceparent ?? '',
        new RegExp(`^00-${trace.traceId}-${root.trace.spanId}-01$`),
      );
      const failing = inSpan(step, () => Promise.reject(new TypeError('the password is hunter2')));
      await assert.rejects(failing, TypeError);
    });
    root.end({ attributes: { 'http.response.status_code': 200 } });
  }
  assert.equal(isTraced(), false);
  assert.ok(collector.spans.every(({ serviceName }) => serviceName === 'audiosplit-test'));
  const [failed, root] = collector.spans;
  assert.deepEqual([failed?.name, root?.name], ['step', 'request']);
  assert.equal(root?.traceId, trace.traceId);
  assert.equal(failed?.traceId, trace.traceId);
  assert.ok(!root?.parentSpanId);
  assert.equal(failed?.parentSpanId, root?.spanId);
  assert.equal(failed?.status?.code, 2);
  assert.doesNotMatch(JSON.stringify(collector.spans), /hunter2/);
  assert.match(JSON.stringify(failed?.attributes), /TypeError/);
});

test('a trace keeps the sampling decision made at its start', async () => {
  await using collector = await startTraceCollector();
  const given = (flags: string) =>
    traceFromHeaders((name) =>
      name === 'traceparent' ? `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-${flags}` : undefined,
    );
  {
    await using _tracing = await startTracing(configFor(collector.url, '0'), options);
    const unsampled = startSpan({ ...begin, parent: newTrace() });
    assert.equal(unsampled?.trace.isSampled, false);
    assert.equal(startSpan({ ...step, parent: unsampled.trace }), undefined);
    assert.match(runInTrace(unsampled.trace, traceHeaders).traceparent ?? '', /-00$/);
    unsampled.end();
    assert.equal(startSpan({ ...begin, parent: given('00') }), undefined);
    startSpan({ ...begin, parent: given('01') })?.end();
    // Without a request, like periodic work.
    assert.equal(startSpan(step), undefined);
    assert.equal(startSpan({ ...step, parent: newTrace() }), undefined);
    await runInTrace(given('01'), () => withoutSpans(() => inSpan(step, async () => undefined)));
  }
  assert.deepEqual(
    collector.spans.map(({ name, traceId, parentSpanId }) => ({ name, traceId, parentSpanId })),
    [{ name: 'request', traceId: '4bf92f3577b34da6a3ce929d0e0e4736', parentSpanId: '00f067aa0ba902b7' }],
  );
});

test('a collector that is unavailable is reported once, and delays no call', async () => {
  const lines: string[] = [];
  const log = createLogger('test', 'info', { write: (line: string) => void lines.push(line) });
  const collector = await startTraceCollector();
  await collector[Symbol.asyncDispose]();
  const tracing = await startTracing(configFor(collector.url), { ...options, log });
  startSpan({ ...begin, parent: newTrace() })?.end();
  await tracing?.[Symbol.asyncDispose]();
  assert.equal(lines.filter((line) => line.includes('spans cannot be exported')).length, 1, lines.join());
});

test('a rejection by the collector that repeats the request is logged without its headers', async (t) => {
  const lines: string[] = [];
  const log = createLogger('test', 'trace', { write: (line: string) => void lines.push(line) });
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(401).end(JSON.stringify(request.headers));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.env.OTEL_EXPORTER_OTLP_HEADERS = 'authorization=Bearer%20planted-token';
  t.after(() => {
    delete process.env.OTEL_EXPORTER_OTLP_HEADERS;
    server.close();
  });
  {
    const { port } = server.address() as AddressInfo;
    await using _tracing = await startTracing(configFor(`http://127.0.0.1:${port}`), { ...options, log });
    startSpan({ ...begin, parent: newTrace() })?.end();
  }
  assert.match(lines.join(), /"code":401.*spans cannot be exported/);
  assert.deepEqual(leaksIn(lines, { token: 'planted-token' }), []);
});

test('spans are counted by outcome: those beyond the queue are dropped, all others exported', async () => {
  using prometheus = createPrometheus({
    processes: ['gateway'],
    metrics: PROCESS_METRICS,
    log: silentLogger(),
  });
  await using collector = await startTraceCollector();
  const dropped = 600;
  {
    await using _tracing = await startTracing(configFor(collector.url), options);
    for (let n = 0; n < MAX_WAITING_SPANS + FIRST_BATCH + dropped; n++)
      startSpan({ ...begin, parent: newTrace() })?.end();
    const _notEnded = startSpan({ ...begin, parent: newTrace() });
    startSpan({ ...begin, parent: { ...newTrace(), isSampled: false } })?.end();
  }
  const exported = MAX_WAITING_SPANS + FIRST_BATCH;
  assert.equal(collector.spans.length, exported);
  const counted = countedSpans(await prometheus.scrape());
  assert.deepEqual(counted, { started: exported + dropped + 1, exported, failed: 0, dropped });
});

test('spans that the collector rejects are counted as such', async () => {
  using prometheus = createPrometheus({
    processes: ['gateway'],
    metrics: PROCESS_METRICS,
    log: silentLogger(),
  });
  const collector = await startTraceCollector();
  await collector[Symbol.asyncDispose]();
  {
    await using _tracing = await startTracing(configFor(collector.url), options);
    startSpan({ ...begin, parent: newTrace() })?.end();
  }
  assert.deepEqual(countedSpans(await prometheus.scrape()), {
    started: 1,
    exported: 0,
    failed: 1,
    dropped: 0,
  });
});

test('the end of a span may be earlier than the call that ends it', async () => {
  await using collector = await startTraceCollector();
  {
    await using _tracing = await startTracing(configFor(collector.url), options);
    const spans = [1, 2].map(() => startSpan({ ...begin, parent: newTrace() }));
    const atMs = performance.now();
    await sleep(20);
    spans[0]?.end({ atMs });
    spans[1]?.end();
  }
  const [early = 0n, late = 0n] = collector.spans.map(({ endTimeUnixNano }) => BigInt(endTimeUnixNano));
  assert.ok(late - early > 15_000_000n, `${late - early} ns`);
});
