/** Tests the generated configuration in a real HAProxy, in front of servers that only return their names. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage, type RequestListener } from 'node:http';
import { test } from 'node:test';
import { FLOOD_HEADER } from '@audiosplit/chassis/net/client-network';
import { until } from '@audiosplit/chassis/testing/until';
import { freePort } from '../../deploy/provision/free-port.ts';
import { raw } from '../harness/accounts/raw.ts';
import { startBalancer } from '../harness/installation/balancer.ts';
import { listen } from '../harness/servers/listen.ts';
import { stackOfFile } from '../harness/stack-of-file.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const resources = stackOfFile();
const isTaking = [true, true];
const isAccepting = [true, true];

const serve = async (listener: RequestListener) => resources.use(await listen(listener)).port;

let served = 0;

const gateway =
  (name: number): RequestListener =>
  (request, response) => {
    if (request.url === '/accepting') response.writeHead(isTaking[name] ? 200 : 503).end();
    else if (request.url === '/dies' && served++ === 0) response.destroy();
    else if (request.url === '/floods') response.writeHead(429, { [FLOOD_HEADER]: '1' }).end();
    else
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ name, headers: request.headers }));
  };

/** Answers a service's health check, over the one protocol that HAProxy's checks support. */
const service =
  (name: number): RequestListener =>
  (request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.url === '/grpc.health.v1.Health/Check')
      response.end(JSON.stringify({ status: isAccepting[name] ? 'SERVING' : 'NOT_SERVING' }));
    else response.setHeader('connection', 'close').end(JSON.stringify({ name }));
  };

const { path: folder } = resources.use(await temporaryFolder());
const rpcPort = await freePort();
const serverPorts = [await serve(service(0)), await serve(service(1))];
const balancer = resources.use(
  await startBalancer(folder, {
    gatewayPorts: [await serve(gateway(0)), await serve(gateway(1))],
    services: [{ name: 'jobs', port: rpcPort, serverPorts }],
    samplesPort: await serve((_request, response) => response.end('a sample')),
  }),
);

const ask = async (headers: Record<string, string> = {}) => {
  const { body } = await raw(balancer.baseUrl, 'GET /api/v1/plans', { headers });
  return body as { readonly name: number; readonly headers: Readonly<Record<string, string>> };
};
const askedOf = async () => new Set([(await ask()).name, (await ask()).name, (await ask()).name]);

test("gateways take turns, and receive the caller's address only from the balancer", async () => {
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

test('a request that a gateway accepted but never answered is retried if it is a GET, and never if it is a POST', async () => {
  const url = `${balancer.baseUrl}/dies`;
  served = 0;
  assert.equal((await fetch(url)).status, 200);
  assert.equal(served, 2);
  served = 0;
  // Answered with a 502, or by closing a connection that has been used before, which leaves a retry to the
  // caller.
  const status = await fetch(url, { method: 'POST', body: '{}' }).then(
    (response) => response.status,
    () => 502,
  );
  assert.equal(status, 502);
  assert.equal(served, 1);
});

test('an address that floods opens few connections, and others are not affected', async () => {
  const { hostname, port } = new URL(balancer.baseUrl);
  /** On a connection of its own. */
  const getFrom = async (localAddress: string, path: string) => {
    const request = get({ host: hostname, port, path, localAddress, agent: false });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    return response;
  };
  const statusFrom = (localAddress: string) =>
    getFrom(localAddress, '/api/v1/plans').then(
      ({ statusCode }) => statusCode,
      () => 'closed',
    );
  const { statusCode, headers } = await getFrom('127.0.0.9', '/floods');
  assert.deepEqual([statusCode, headers.connection, headers[FLOOD_HEADER]], [429, 'close', undefined]);
  const statuses = await Promise.all(Array.from({ length: 20 }, () => statusFrom('127.0.0.9')));
  const passed = statuses.filter((status) => status === 200).length;
  assert.ok(passed >= 1 && passed <= 6, `${passed} passed`);
  assert.equal(await statusFrom('127.0.0.10'), 200);
  await until(async () => (await statusFrom('127.0.0.9')) === 200);
});

test('a service that drains receives no more connections, and its replica does', async () => {
  const servedBy = async () => (await raw(`http://127.0.0.1:${rpcPort}`, 'GET /')).body.name;
  for (const draining of [0, 1]) {
    isAccepting[draining] = false;
    // A replica that still accepts may be passed over some times in a row.
    await until(async () => {
      for (let asked = 0; asked < 10; asked++) if ((await servedBy()) === draining) return false;
      return true;
    });
    for (let asked = 0; asked < 3; asked++) assert.equal(await servedBy(), 1 - draining);
    isAccepting[draining] = true;
    await until(async () => (await servedBy()) === draining || (await servedBy()) === draining);
  }
});

test('samples are served from their own address', async () => {
  assert.equal((await raw(balancer.baseUrl, 'GET /samples/tour.mp3')).body, 'a sample');
});

test('without a gateway the error has the envelope', async () => {
  isTaking.fill(false);
  const refusal = () => raw(balancer.baseUrl, 'GET /api/v1/plans');
  await until(async () => (await refusal()).status === 503);
  const { headers, body } = await refusal();
  assert.match(headers.get('content-type') ?? '', /^application\/json/);
  assert.equal(headers.get('retry-after'), '2');
  assert.match(headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
  assert.deepEqual([body.error.code, body.error.status], ['SERVICE_UNAVAILABLE', 503]);
  isTaking.fill(true);
});

test('the balancer stops on its signal', async () => {
  assert.equal(await balancer.process.stop(), 0);
  await assert.rejects(ask());
});
