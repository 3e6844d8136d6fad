import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { until } from '../testing/until.ts';
import type { EgressRequest } from './egress.ts';
import { failsWith } from './fails-with.fixture.ts';
import { createGuardedEgress } from './guarded-egress.ts';
import { startLocalServer } from './http-server.fixture.ts';

const GET: EgressRequest = {
  method: 'GET',
  maxRedirects: 5,
  connectTimeoutMs: 5_000,
  headersTimeoutMs: 5_000,
  idleTimeoutMs: 5_000,
  maxBodyBytes: 1_000_000,
};

const createEgress = () => createGuardedEgress({ allowCidrs: ['127.0.0.0/8'], allowUrlPrefixes: [] });

test('a server that accepts a connection and sends nothing', async () => {
  await using server = await startLocalServer(() => {});
  await using egress = createEgress();
  await assert.rejects(
    egress.request(`${server.origin}/`, { ...GET, headersTimeoutMs: 50 }),
    failsWith('timeout'),
  );
  await server.untilNoConnections();
});

test('a server that sends its headers a line at a time', async () => {
  await using server = await startLocalServer((request) => {
    const { socket } = request;
    socket.write('HTTP/1.1 200 OK\r\n');
    const timer = setInterval(() => socket.write('x-slow: 1\r\n'), 10);
    socket.once('close', () => clearInterval(timer));
  });
  await using egress = createEgress();
  await assert.rejects(
    egress.request(`${server.origin}/`, { ...GET, headersTimeoutMs: 80 }),
    failsWith('timeout'),
  );
  await server.untilNoConnections();
});

test('a body that stops in the middle', async () => {
  await using server = await startLocalServer((_request, response) => {
    response.writeHead(200, { 'content-length': '1000' }).write('some');
  });
  await using egress = createEgress();
  const response = await egress.request(`${server.origin}/`, { ...GET, idleTimeoutMs: 50 });
  await assert.rejects(buffer(response.body), failsWith('timeout'));
  await server.untilNoConnections();
});

test('a body that drips without end is stopped by the total timeout', async () => {
  await using server = await startLocalServer((_request, response) => {
    const timer = setInterval(() => response.write('x'), 10);
    response.once('close', () => clearInterval(timer));
  });
  await using egress = createEgress();
  const response = await egress.request(`${server.origin}/`, { ...GET, totalTimeoutMs: 100 });
  await assert.rejects(buffer(response.body), failsWith('timeout'));
  await server.untilNoConnections();
});

test('a slow reader does not count as a slow server', async () => {
  await using server = await startLocalServer((_request, response) => response.end(Buffer.alloc(900_000)));
  await using egress = createEgress();
  const response = await egress.request(`${server.origin}/`, { ...GET, idleTimeoutMs: 40 });
  let bytes = 0;
  for await (const chunk of response.body) {
    if (bytes === 0) await new Promise((resolve) => setTimeout(resolve, 120));
    bytes += chunk.length;
  }
  assert.equal(bytes, 900_000);
});

test('a declared size above the limit is rejected without reading the body', async () => {
  await using server = await startLocalServer((_request, response) => {
    response.writeHead(200, { 'content-length': '101' }).write('x');
  });
  await using egress = createEgress();
  const response = await egress.request(`${server.origin}/`, { ...GET, maxBodyBytes: 100 });
  assert.equal(response.status, 200);
  await assert.rejects(buffer(response.body), failsWith('too-large'));
  await server.untilNoConnections();
});

test('a body without a declared size is cut above the limit, and one of exactly the limit passes', async () => {
  await using server = await startLocalServer((request, response) => {
    response.write(Buffer.alloc(Number(request.url?.slice(1))));
    response.end();
  });
  await using egress = createEgress();
  const full = await egress.request(`${server.origin}/100`, { ...GET, maxBodyBytes: 100 });
  assert.equal((await buffer(full.body)).length, 100);
  const over = await egress.request(`${server.origin}/101`, { ...GET, maxBodyBytes: 100 });
  await assert.rejects(buffer(over.body), failsWith('too-large'));
  await server.untilNoConnections();
});

test('an endless body is read only as fast as its reader', async () => {
  let sent = 0;
  await using server = await startLocalServer((_request, response) => {
    const chunk = Buffer.alloc(1 << 20);
    const send = () => {
      while (!response.destroyed && response.write(chunk)) sent += chunk.length;
    };
    response.on('drain', send);
    send();
  });
  await using egress = createEgress();
  const response = await egress.request(`${server.origin}/`, {
    ...GET,
    maxBodyBytes: Number.MAX_SAFE_INTEGER,
  });
  await once(response.body, 'readable');
  assert.ok(response.body.readableLength < 1 << 20);
  assert.ok(sent < 64 << 20);
  response.body.destroy();
  await server.untilNoConnections();
});

test('a truncated body is an error, with chunks or with a length', async () => {
  await using server = await startLocalServer((request, response) => {
    if (request.url === '/counted') response.writeHead(200, { 'content-length': '1000' });
    response.write('some', () => request.socket.end());
  });
  await using egress = createEgress();
  for (const path of ['/counted', '/chunked']) {
    const response = await egress.request(`${server.origin}${path}`, GET);
    await assert.rejects(buffer(response.body), failsWith('connection-lost'), path);
  }
});

test('responses that are not HTTP are rejected', async (t) => {
  for (const [name, answer] of [
    ['silence', ''],
    ['another protocol', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
    [
      'length and chunks',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['endless headers', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(20_000)}`],
    ['an upgrade', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'],
  ] as const) {
    await t.test(name, async () => {
      const sockets = new Set<Socket>();
      const listener = createServer((socket) => {
        sockets.add(socket);
        socket.on('error', () => {});
        socket.once('data', () => socket.end(answer));
      }).listen(0, '127.0.0.1');
      await once(listener, 'listening');
      const { port } = listener.address() as AddressInfo;
      try {
        await using egress = createEgress();
        await assert.rejects(egress.request(`http://127.0.0.1:${port}/`, GET), failsWith('connection-lost'));
      } finally {
        for (const socket of sockets) socket.destroy();
        listener.close();
      }
    });
  }
});

test('an encoded body is passed on unchanged', async () => {
  const encoded = gzipSync('audio');
  await using server = await startLocalServer((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip', 'x-twice': ['a', 'b'] }).end(encoded);
  });
  await using egress = createEgress();
  const response = await egress.request(`${server.origin}/`, GET);
  assert.equal(response.headers['content-encoding'], 'gzip');
  assert.equal(response.headers['x-twice'], 'a, b');
  assert.deepEqual(await buffer(response.body), encoded);
});

test('a HEAD request returns the headers, and ignores the size that they declare', async () => {
  await using server = await startLocalServer((_request, response) => {
    response.writeHead(200, { 'content-length': '9999999999' }).end();
  });
  await using egress = createEgress();
  const response = await egress.request(`${server.origin}/`, { ...GET, method: 'HEAD', maxBodyBytes: 0 });
  assert.equal(response.headers['content-length'], '9999999999');
  await server.untilNoConnections();
  assert.equal((await buffer(response.body)).length, 0);
});

test('a POST request sends its body with its length', async () => {
  let received = Buffer.alloc(0);
  await using server = await startLocalServer(async (request, response) => {
    received = await buffer(request);
    response.writeHead(204).end();
  });
  await using egress = createEgress();
  const backing = Buffer.from('xx{"a":1}xx');
  const response = await egress.request(`${server.origin}/`, {
    ...GET,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': '1' },
    body: backing.subarray(2, 9),
  });
  response.body.destroy();
  assert.equal(response.status, 204);
  assert.equal(received.toString(), '{"a":1}');
  assert.equal(server.requests[0]?.headers['content-length'], '7');
});

test('an abort ends the request in any phase', async () => {
  await using server = await startLocalServer((request, response) => {
    if (request.url === '/body') response.write('some');
  });
  await using egress = createEgress();

  await assert.rejects(
    egress.request(`${server.origin}/`, { ...GET, signal: AbortSignal.abort() }),
    failsWith('aborted'),
  );
  assert.equal(server.requests.length, 0);

  const reason = new Error('lease lost');
  const beforeHeaders = new AbortController();
  const pending = egress.request(`${server.origin}/`, { ...GET, signal: beforeHeaders.signal });
  while (server.requests.length === 0) await new Promise(setImmediate);
  beforeHeaders.abort(reason);
  await assert.rejects(
    pending,
    (error: unknown) => failsWith('aborted')(error) && (error as Error).cause === reason,
  );

  const duringBody = new AbortController();
  const response = await egress.request(`${server.origin}/body`, { ...GET, signal: duringBody.signal });
  const reading = buffer(response.body);
  duringBody.abort(reason);
  await assert.rejects(reading, failsWith('aborted'));
  await server.untilNoConnections();
});

test('disposing ends open requests and rejects later ones', async () => {
  await using server = await startLocalServer((request, response) => {
    if (request.url === '/body') response.write('some');
  });
  const egress = createEgress();
  const response = await egress.request(`${server.origin}/body`, GET);
  const waiting = assert.rejects(egress.request(`${server.origin}/silent`, GET), failsWith('aborted'));
  await egress[Symbol.asyncDispose]();
  await waiting;
  await assert.rejects(buffer(response.body), failsWith('aborted'));
  await assert.rejects(egress.request(`${server.origin}/`, GET), failsWith('aborted'));
  await server.untilNoConnections();
});

test('an unread body that fails, and one destroyed at once, leave no connection open', async () => {
  await using server = await startLocalServer((_request, response) => response.write('some'));
  await using egress = createEgress();
  const unread = await egress.request(`${server.origin}/`, { ...GET, totalTimeoutMs: 50 });
  await new Promise((resolve) => unread.body.once('close', resolve));
  const destroyed = await egress.request(`${server.origin}/`, GET);
  destroyed.body.destroy();
  await server.untilNoConnections();
});

test('waiting for a slot does not count as time of a hop, and the slot is freed with the connection', async () => {
  await using server = await startLocalServer((request, response) => {
    if (request.url === '/') response.writeHead(302, { location: '/there' }).end();
    else response.end('there');
  });
  await using egress = createEgress();
  const host = `127.0.0.1:${server.port}`;
  const events: string[] = [];
  const response = await egress.request(`${server.origin}/`, {
    ...GET,
    headersTimeoutMs: 300,
    totalTimeoutMs: 300,
    async enterHost(entered) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      events.push(`enter ${entered}`);
      return { [Symbol.dispose]: () => events.push('leave') };
    },
  });
  assert.equal(String(await buffer(response.body)), 'there');
  await until(() => events.length === 4);
  assert.deepEqual(events, [`enter ${host}`, 'leave', `enter ${host}`, 'leave']);
});

test('a hop that fails frees its slot, and an aborted request stops waiting for one', async () => {
  const gone = await startLocalServer(() => {});
  await gone[Symbol.asyncDispose]();
  await using egress = createEgress();
  let left = 0;
  const place = { [Symbol.dispose]: () => (left += 1) };
  await assert.rejects(
    egress.request(`${gone.origin}/`, { ...GET, enterHost: async () => place }),
    failsWith('connect-failed'),
  );
  assert.equal(left, 1);
  const stop = new AbortController();
  const waiting = egress.request(`${gone.origin}/`, {
    ...GET,
    signal: stop.signal,
    enterHost: (_host, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  });
  stop.abort();
  await assert.rejects(waiting, failsWith('aborted'));
});
