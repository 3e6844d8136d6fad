/** The generated configuration in a real HAProxy, before servers that only say who they are. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { until } from '@audiosplit/chassis/testing/until';
import { freePort } from '../../deploy/provision/free-port.ts';
import { type BalancerUnderTest, startBalancer } from '../harness/installation/balancer.ts';
import { listen } from '../harness/servers/listen.ts';

let folder: string;
let balancer: BalancerUnderTest;
let rpcPort: number;
const servers = new AsyncDisposableStack();
const isTaking = [true, true];
const isAccepting = [true, true];

const serve = async (listener: RequestListener) => servers.use(await listen(listener)).port;

let served = 0;

const gateway =
  (name: number): RequestListener =>
  (request, response) => {
    if (request.url === '/accepting') response.writeHead(isTaking[name] ? 200 : 503).end();
    else if (request.url === '/dies' && served++ === 0) response.destroy();
    else response.end(JSON.stringify({ name, headers: request.headers }));
  };

/** Speaks what is asked of a service's health, over the one protocol that HAProxy's checks know. */
const service =
  (name: number): RequestListener =>
  (request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.url === '/grpc.health.v1.Health/Check')
      response.end(JSON.stringify({ status: isAccepting[name] ? 'SERVING' : 'NOT_SERVING' }));
    else response.setHeader('connection', 'close').end(JSON.stringify({ name }));
  };

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audiosplit-balancer-'));
  rpcPort = await freePort();
  balancer = await startBalancer(folder, {
    gatewayPorts: [await serve(gateway(0)), await serve(gateway(1))],
    services: [
      { name: 'jobs', port: rpcPort, serverPorts: [await serve(service(0)), await serve(service(1))] },
    ],
    samplesPort: await serve((_request, response) => response.end('a sample')),
  });
});
after(async () => {
  await balancer?.process.stop();
  await servers.disposeAsync();
  await rm(folder, { recursive: true, force: true });
});

interface Seen {
  readonly name: number;
  readonly headers: Readonly<Record<string, string>>;
}

const ask = async (headers: Record<string, string> = {}): Promise<Seen> =>
  (await (await fetch(`${balancer.baseUrl}/api/v1/plans`, { headers })).json()) as Seen;
const askedOf = async () => new Set([(await ask()).name, (await ask()).name, (await ask()).name]);

test('gateways take turns, and hear who calls from the balancer alone', async () => {
  await until(async () => (await askedOf()).size === 2);
  const { headers } = await ask({ 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9' });
  assert.equal(headers['x-forwarded-for'], '127.0.0.1');
  assert.equal(headers.forwarded, undefined);
});

test('a gateway that drains gets nothing until it accepts requests again', async () => {
  isTaking[0] = false;
  await until(async () => [...(await askedOf())].join() === '1');
  isTaking[0] = true;
  await until(async () => (await askedOf()).size === 2);
});

test('what a gateway took and never answered is tried again if it was a GET, and never a POST', async () => {
  const url = `${balancer.baseUrl}/dies`;
  served = 0;
  assert.equal((await fetch(url)).status, 200);
  assert.equal(served, 2);
  served = 0;
  // Answered with a 502, or by closing a connection that has served before, which asks the caller to decide.
  const status = await fetch(url, { method: 'POST', body: '{}' }).then(
    (response) => response.status,
    () => 502,
  );
  assert.equal(status, 502);
  assert.equal(served, 1);
});

test('a service that drains gets no more connections, and one that stands beside it does', async () => {
  const servedBy = async () => {
    const response = await fetch(`http://127.0.0.1:${rpcPort}/`);
    return ((await response.json()) as { readonly name: number }).name;
  };
  for (const draining of [0, 1]) {
    isAccepting[draining] = false;
    await until(async () => (await servedBy()) !== draining && (await servedBy()) !== draining);
    assert.deepEqual(
      new Set([await servedBy(), await servedBy(), await servedBy()]),
      new Set([1 - draining]),
    );
    isAccepting[draining] = true;
    await until(async () => (await servedBy()) === draining || (await servedBy()) === draining);
  }
});

test('samples come from where they are', async () => {
  const response = await fetch(`${balancer.baseUrl}/samples/tour.mp3`);
  assert.equal(await response.text(), 'a sample');
});

test('without a gateway the refusal has the envelope', async () => {
  isTaking.fill(false);
  const refusal = async () => fetch(`${balancer.baseUrl}/api/v1/plans`);
  await until(async () => (await refusal()).status === 503);
  const refused = await refusal();
  assert.match(refused.headers.get('content-type') ?? '', /^application\/json/);
  assert.equal(refused.headers.get('retry-after'), '2');
  assert.match(refused.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
  const { error } = (await refused.json()) as { error: { code: string; status: number } };
  assert.deepEqual([error.code, error.status], ['SERVICE_UNAVAILABLE', 503]);
  isTaking.fill(true);
});

test('it stops on its signal', async () => {
  assert.equal(await balancer.process.stop(), 0);
  await assert.rejects(ask());
});
