import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { closed } from '@audiosplit/chassis/testing/closed';
import { until } from '@audiosplit/chassis/testing/until';
import fastify from 'fastify';
import { createSharedBudget } from '../../bounds/shared-budget.ts';
import { ApiError } from '../errors/api-error.ts';
import { ANYONE } from '../server/access.ts';
import { addBodyIntake } from './body-intake.ts';
import { addJsonBodies, MAX_BODY_BYTES } from './json-body.ts';

const BODY_TIMEOUT_MS = 150;

async function startApp(bodyTimeoutMs = 20_000) {
  const app = fastify({ bodyLimit: MAX_BODY_BYTES });
  app.setErrorHandler((error, _request, reply) => {
    const status = error instanceof ApiError ? error.status : Object(error).statusCode;
    return reply.code(status).send(String(error));
  });
  addJsonBodies(app);
  addBodyIntake(app, {
    bounds: { REQUEST_BODY_SECONDS: bodyTimeoutMs / 1_000, UNIDENTIFIED_BODY_BYTES: MAX_BODY_BYTES },
    buffer: createSharedBudget({ limitBytes: 2 ** 30 }),
  });
  const answered: string[] = [];
  app.addHook('onResponse', async (request) => void answered.push(request.url));
  app.addHook('onRequestAbort', async (request) => void answered.push(`aborted ${request.url}`));
  app.post('/counted', { config: { access: ANYONE } }, async (request) => {
    await sleep(2 * BODY_TIMEOUT_MS);
    return request.body;
  });
  const refuse = async () => {
    throw Object.assign(new Error('refused'), { statusCode: 401 });
  };
  app.post('/refused', { config: { access: ANYONE }, onRequest: refuse }, async () => undefined);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  return { port, answered, [Symbol.asyncDispose]: () => app.close() };
}

test('408 for a request whose body trickles in; the connection is closed and the request is released', async () => {
  await using app = await startApp(BODY_TIMEOUT_MS);
  const socket = connect(app.port, '127.0.0.1');
  socket.write(
    'POST /counted HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
  );
  const trickle = setInterval(() => socket.write(' '), BODY_TIMEOUT_MS / 5);
  socket.on('error', () => undefined);
  const [answer] = await once(socket, 'data');
  assert.match(String(answer), /^HTTP\/1.1 408 .*\r\nconnection: close\r\n/is);
  await closed(socket).finally(() => clearInterval(trickle));
  assert.ok(app.answered.length > 0, 'the request has ended for the hooks too');
});

test('a response may take longer than a body', async () => {
  await using app = await startApp(BODY_TIMEOUT_MS);
  const response = await fetch(`http://127.0.0.1:${app.port}/counted`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"whole":true}',
  });
  assert.deepEqual(await response.json(), { whole: true });
});

for (const [what, head] of [
  ['too large by its length', 'Content-Type: application/json\r\nContent-Length: 300000\r\n'],
  ['of a type that is not accepted', 'Content-Type: text/plain\r\nContent-Length: 100\r\n'],
  ['too large in chunks', 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n'],
] as const) {
  test(`no timer is left for a body that is rejected before it has arrived: ${what}`, async () => {
    await using app = await startApp();
    const socket = connect(app.port, '127.0.0.1');
    const before = runningTimers();
    const chunk = `${(MAX_BODY_BYTES + 1).toString(16)}\r\n${' '.repeat(MAX_BODY_BYTES + 1)}\r\n`;
    const sent = head.includes('chunked') ? chunk : '{';
    socket.write(`POST /counted HTTP/1.1\r\nHost: x\r\n${head}\r\n${sent}`);
    const [answer] = await once(socket, 'data');
    assert.match(String(answer), /^HTTP\/1.1 41[35] /);
    await until(() => runningTimers() <= before, 'no timer is left', 5_000);
    await closed(socket);
  });
}

test('the connection of a rejected caller ends with the response, not with the body', async () => {
  await using app = await startApp();
  const socket = connect(app.port, '127.0.0.1');
  socket.write('POST /refused HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{');
  const [answer] = await once(socket, 'data');
  assert.match(String(answer), /^HTTP\/1.1 401 .*\r\nconnection: close\r\n/is);
  await closed(socket);
});

function runningTimers(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
}
