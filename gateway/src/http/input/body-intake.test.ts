/** Slow or large input from callers who are not identified. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { closed } from '@audiosplit/chassis/testing/closed';
import { until } from '@audiosplit/chassis/testing/until';
import { CONSOLE_HEADER } from '../../console/same-origin.ts';
import { expectError } from '../../testing/expect-error.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

const PROXY = { trustProxy: ['127.0.0.1'] };
const LOGIN = '/api/v1/auth/login';

function open(gateway: TestGateway, bytes: string): Socket {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(bytes);
  return socket;
}

const answerOf = async (socket: Socket) => String((await once(socket, 'data'))[0]);

function headers(path: string, length: number, fields = ''): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${fields}\r\n`;
}

// Covers B-9.2
test('413 for a body of more than 64 KiB without a credential; with a credential it is read', async () => {
  await using gateway = await startTestGateway();
  const json = { email: 'a@example.com', password: 'x'.repeat(66_000) };
  await expectError(await gateway.call(LOGIN, { method: 'POST', json, token: null }), 'PAYLOAD_TOO_LARGE', {
    message: /65536 bytes/,
  });
  const known = await gateway.call('/api/v1/api-keys', { method: 'POST', json });
  await expectError(known, 'INVALID_PARAMS');
  for (const path of ['/webhooks/stripe', '/console/trpc/session.signIn']) {
    const response = await fetch(gateway.url + path, {
      method: 'POST',
      body: JSON.stringify(json),
      headers: { 'content-type': 'application/json', [CONSOLE_HEADER]: '1' },
    });
    assert.equal(response.status, 413, path);
  }
});

// Covers B-9.1
test('408 REQUEST_TIMEOUT for headers that do not end, and the connection is closed', async () => {
  await using gateway = await startTestGateway({ bounds: { REQUEST_HEADERS_SECONDS: 0.1 } });
  const socket = open(gateway, 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ');
  const answer = await answerOf(socket);
  assert.match(answer, /^HTTP\/1.1 408 .*"code":"REQUEST_TIMEOUT"/s);
  await closed(socket);
});

// Covers B-9.1
test('408 REQUEST_TIMEOUT for a body that does not end, and the connection is closed', async () => {
  await using gateway = await startTestGateway({ bounds: { REQUEST_BODY_SECONDS: 0.1 } });
  const socket = open(gateway, `${headers(LOGIN, 1_000)}{`);
  const answer = await answerOf(socket);
  assert.match(answer, /^HTTP\/1.1 408 .*connection: close.*"code":"REQUEST_TIMEOUT"/s);
  await closed(socket);
});

test('a connection that is opened in advance and closed without a byte is not counted', async () => {
  await using gateway = await startTestGateway({ bounds: { REQUEST_HEADERS_SECONDS: 0.1 } });
  await closed(open(gateway, ''));
  const { headers } = await gateway.call('/api/v1/plans', { token: null });
  assert.equal(headers.get('x-ratelimit-remaining'), '59');
});

// Covers B-9.3
test('503 for the address that has most bytes in the buffer when bodies fill it', async () => {
  const bounds = { BODY_BUFFER_BYTES: 100_000 };
  await using gateway = await startTestGateway({ bounds, config: PROXY });
  const send = (address: string, bytes: number) =>
    open(gateway, headers(LOGIN, 60_000, `X-Forwarded-For: ${address}\r\n`) + ' '.repeat(bytes));
  const greedy = [send('203.0.113.1', 40_000), send('203.0.113.1', 40_000)];
  const refused = Promise.race(greedy.map(answerOf));
  await until(() => greedy.every(({ bytesWritten }) => bytesWritten > 40_000));
  // Regardless of the order, the greedy address holds more than the modest one requests.
  const modest = send('203.0.113.2', 30_000);
  assert.match(await refused, /^HTTP\/1.1 503 .*retry-after: .*100000 bytes/is);
  modest.write(`${' '.repeat(29_998)}{}`);
  assert.doesNotMatch(await answerOf(modest), /^HTTP\/1.1 503/);
  for (const socket of [...greedy, modest]) socket.destroy();
});

test('connections of one address beyond the limit are closed, idle ones do not count', async () => {
  await using gateway = await startTestGateway({ bounds: { CONNECTIONS_PER_ADDRESS: 20 } });
  const idle = Array.from({ length: 18 }, () => open(gateway, ''));
  await Promise.all(idle.map((socket) => once(socket, 'connect')));
  assert.equal((await fetch(`${gateway.url}/healthz`)).status, 200);
  const beyond = Array.from({ length: 5 }, () => open(gateway, ''));
  await closed(beyond.at(-1) ?? assert.fail());
  for (const socket of [...idle, ...beyond]) socket.destroy();
});
