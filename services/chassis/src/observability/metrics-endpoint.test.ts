import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '../process/env.ts';
import { StartError } from '../process/lifecycle.ts';
import { silentLogger } from '../process/log.ts';
import { withDefault } from '../process/settings.ts';
import { isMeasured } from './metrics.ts';
import { METRICS_SETTINGS, readMetricsConfig, startMetricsEndpoint } from './metrics-endpoint.ts';
import { PROCESS_METRICS } from './shared-metrics.ts';

const options = { processes: ['gateway'], metrics: PROCESS_METRICS, log: silentLogger() } as const;
const anyPort = { host: '127.0.0.1', port: 0 };

test('nothing is measured unless a port is set', async () => {
  assert.equal(readMetricsConfig({}), undefined);
  assert.equal(await startMetricsEndpoint(undefined, options), undefined);
  assert.equal(isMeasured(), false);
  assert.deepEqual(readMetricsConfig({ METRICS_PORT: '9464' }), { host: '0.0.0.0', port: 9464 });
  const METRICS_HOST = withDefault(METRICS_SETTINGS.METRICS_HOST, '127.0.0.1');
  const local = { ...METRICS_SETTINGS, METRICS_HOST };
  assert.deepEqual(readMetricsConfig({ METRICS_PORT: '9464' }, local)?.host, '127.0.0.1');
  assert.throws(() => readMetricsConfig({ METRICS_PORT: 'yes' }), ConfigError);
});

test('only GET /metrics is answered, in the Prometheus format', async () => {
  {
    await using endpoint = await startMetricsEndpoint(anyPort, options);
    const url = `http://127.0.0.1:${endpoint?.port}`;
    const answer = await fetch(`${url}/metrics`);
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
    assert.match(await answer.text(), /^# TYPE audiosplit_rpc_client_duration_seconds histogram$/m);
    assert.equal((await fetch(`${url}/`)).status, 404);
    assert.equal((await fetch(`${url}/metrics`, { method: 'POST' })).status, 404);
  }
  assert.equal(isMeasured(), false);
});

test('a port that is taken is reported in one line, and leaves nothing behind', async () => {
  await using endpoint = await startMetricsEndpoint(anyPort, options);
  const port = endpoint?.port ?? 0;
  await endpoint?.[Symbol.asyncDispose]();
  const { createServer } = await import('node:net');
  const other = createServer().listen(port, '127.0.0.1');
  try {
    await assert.rejects(startMetricsEndpoint({ host: '127.0.0.1', port }, options), (error: Error) => {
      assert.ok(error instanceof StartError);
      assert.match(error.message, /^cannot serve metrics on 127\.0\.0\.1:\d+ \(EADDRINUSE\): choose another/);
      return true;
    });
    assert.equal(isMeasured(), false);
  } finally {
    other.close();
  }
});
