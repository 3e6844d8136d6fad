/** How the lean transport handles network and server failures, and how a server stops without failing it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { JobsService } from '@audiosplit/proto/jobs/v1/jobs';
import { MethodOptions_IdempotencyLevel as IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, type ConnectRouter, createClient } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { startCallerThread } from '../../testing/caller-thread.ts';
import { closed } from '../../testing/closed.ts';
import { until } from '../../testing/until.ts';
import { createLeanTransport, openConnectionPool } from './lean-transport.ts';
import { createListener } from './listener.ts';
import { createLeanHandler } from './server.ts';

const HOST = '127.0.0.1';
const TIMEOUT_MS = 10_000;

async function listen(server: Server, port = 0): Promise<number> {
  server.listen(port, HOST);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function transportTo(port: number) {
  const baseUrl = `http://${HOST}:${port}`;
  return createLeanTransport({
    baseUrl,
    interceptors: [],
    defaultTimeoutMs: TIMEOUT_MS,
    maxMessageBytes: 1_000_000,
    pool: openConnectionPool(baseUrl),
  });
}

const clientOf = (port: number) => createClient(JobsService, transportTo(port));

/** Returns the job with the requested id. */
function listener(
  getJob: (id: string) => Promise<{ job: { id: string } }> = async (id) => ({ job: { id } }),
) {
  const routes = (router: ConnectRouter) =>
    router.service(JobsService, { getJob: ({ jobId }) => getJob(jobId) });
  return createListener({
    lean: createLeanHandler({ routes, interceptors: [], maxTimeoutMs: 60_000, maxMessageBytes: 1_000_000 }),
    stock: connectNodeAdapter({ routes }),
  });
}

/** A server that does not use Connect. */
async function answering(answer: RequestListener) {
  const server = createHttpServer(answer);
  const port = await listen(server);
  return {
    port,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A server that reads each request in full, and then closes the connection. */
async function hangingUp() {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket);
    socket.once('data', () => socket.destroy());
  });
  const port = await listen(server);
  return {
    port,
    get requests() {
      return sockets.length;
    },
    async [Symbol.asyncDispose]() {
      server.close();
    },
  };
}

async function refusal(call: Promise<unknown>): Promise<ConnectError> {
  const error = await call.catch((thrown: unknown) => thrown);
  assert.ok(error instanceof ConnectError, String(error));
  return error;
}

test('a connection that breaks is reported as unavailable, and the call is not sent again', async () => {
  await using server = await hangingUp();
  const method = { ...JobsService.method.getJob, idempotency: IdempotencyLevel.IDEMPOTENCY_UNKNOWN };
  const call = transportTo(server.port).unary(method, undefined, undefined, undefined, {});
  assert.equal((await refusal(call)).code, Code.Unavailable);
  assert.equal(server.requests, 1);
});

test('a call of an idempotent method is sent again, four times at most', async () => {
  await using server = await hangingUp();
  const method = { ...JobsService.method.getJob, idempotency: IdempotencyLevel.NO_SIDE_EFFECTS };
  const call = transportTo(server.port).unary(method, undefined, undefined, undefined, {});
  assert.equal((await refusal(call)).code, Code.Unavailable);
  assert.equal(server.requests, 4);
});

test('a connection that is reset in the middle of a call is reported as unavailable', async () => {
  const arrived = Promise.withResolvers<void>();
  await using server = await answering((request) => {
    arrived.resolve();
    request.socket.resetAndDestroy();
  });
  const call = refusal(clientOf(server.port).getJob({}));
  await arrived.promise;
  assert.equal((await call).code, Code.Unavailable);
});

test('a truncated response is reported as unavailable', async () => {
  await using server = await answering((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/proto', 'content-length': 100 });
    response.write('half');
    response.socket?.end();
  });
  assert.equal((await refusal(clientOf(server.port).getJob({}))).code, Code.Unavailable);
});

test('without a server the error is unavailable, after a short wait', async () => {
  const server = createTcpServer();
  const port = await listen(server);
  server.close();
  await once(server, 'close');
  const error = await refusal(clientOf(port).getJob({}));
  assert.equal(error.code, Code.Unavailable);
  assert.match(error.message, /cannot be reached/);
});

test('without a server until the deadline, the error is the deadline', async () => {
  const server = createTcpServer();
  const port = await listen(server);
  server.close();
  await once(server, 'close');
  const error = await refusal(clientOf(port).getJob({}, { timeoutMs: 10 }));
  assert.equal(error.code, Code.DeadlineExceeded);
});

test('a call waits for a server that returns within a short time', async () => {
  const gone = createTcpServer();
  const port = await listen(gone);
  gone.close();
  await once(gone, 'close');
  const call = clientOf(port).getJob({ jobId: 'a' });
  const back = listener();
  await listen(back.server, port);
  assert.equal((await call).job?.id, 'a');
  await back.close(0);
});

test('calls continue after a server was killed and restarted', async () => {
  const first = listener();
  const port = await listen(first.server);
  const client = clientOf(port);
  assert.equal((await client.getJob({ jobId: 'a' })).job?.id, 'a');
  await first.close(0);
  const second = listener();
  await listen(second.server, port);
  assert.equal((await client.getJob({ jobId: 'b' })).job?.id, 'b');
  await second.close(0);
});

test('a server that drains while its callers switch to another fails no call', async () => {
  const [old, next] = [listener(), listener()];
  const clients = { old: clientOf(await listen(old.server)), next: clientOf(await listen(next.server)) };
  let isReplaced = false;
  const calls = { old: 0, next: 0 };
  const load = Array.from({ length: 16 }, async () => {
    while (calls.next < 200) {
      const to = isReplaced ? 'next' : 'old';
      await clients[to].getJob({ jobId: 'a' });
      calls[to] += 1;
    }
  });
  const replacement = (async () => {
    await until(() => calls.old > 200, 'calls to the old server');
    old.drain();
    isReplaced = true;
    await old.close(TIMEOUT_MS);
  })();
  const outcomes = await Promise.allSettled([...load, replacement]);
  await next.close(0);
  assert.deepEqual(
    outcomes.filter(({ status }) => status === 'rejected'),
    [],
  );
});

test('a draining server still answers, and tells callers to close the connection', async () => {
  const draining = listener();
  const port = await listen(draining.server);
  const client = clientOf(port);
  await client.getJob({ jobId: 'a' });
  draining.drain();
  assert.equal((await client.getJob({ jobId: 'b' })).job?.id, 'b');
  const response = await fetch(`http://${HOST}:${port}/${JobsService.typeName}/GetJob`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  assert.equal(response.headers.get('connection'), 'close');
  await draining.close(0);
});

test('closing lets a call in flight finish', async () => {
  const started = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const closing = listener(async (id) => {
    started.resolve();
    await finish.promise;
    return { job: { id } };
  });
  const port = await listen(closing.server);
  const call = clientOf(port).getJob({ jobId: 'a' });
  await started.promise;
  const closed = closing.close(TIMEOUT_MS);
  finish.resolve();
  assert.equal((await call).job?.id, 'a');
  await closed;
});

test('closing ends a call that takes too long', async () => {
  const started = Promise.withResolvers<void>();
  const closing = listener(() => {
    started.resolve();
    return new Promise(() => undefined);
  });
  const port = await listen(closing.server);
  const call = refusal(clientOf(port).getJob({}));
  await started.promise;
  await closing.close(1);
  assert.equal((await call).code, Code.Unavailable);
});

test('requests that arrive over new connections just before closing are answered', async () => {
  const closing = listener();
  const port = await listen(closing.server);
  await using stack = new AsyncDisposableStack();
  const callers = Array.from({ length: 8 }, () => stack.use(startCallerThread(`http://${HOST}:${port}/`)));
  const answers = callers.map((caller) => caller.ask());
  for (const caller of callers) caller.holdUpUntilSent();
  const closed = closing.close(TIMEOUT_MS);
  for (const answer of await Promise.all(answers))
    assert.match(answer, /^HTTP\/1\.1 \d+ .*^connection: close\r$/ims);
  await closed;
});

test('a silent peer does not delay closing', async () => {
  const closing = listener();
  const port = await listen(closing.server);
  const silent = connect(port, HOST);
  await once(silent, 'connect');
  silent.write('PRI * HT');
  await closing.close(TIMEOUT_MS);
  await closed(silent);
});

const STRANGE_ANSWERS: readonly (readonly [string, RequestListener, Code])[] = [
  [
    'the page of a proxy without a server',
    (_request, response) => response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>no</h1>'),
    Code.Unavailable,
  ],
  [
    'a status whose JSON is not an error',
    (_request, response) => response.writeHead(403, { 'content-type': 'application/json' }).end('{'),
    Code.PermissionDenied,
  ],
  [
    'an error with an unknown code',
    (_request, response) =>
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"code":"lost","message":"x"}'),
    Code.Unimplemented,
  ],
  [
    'another type',
    (_request, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('hello'),
    Code.Unknown,
  ],
  [
    'bytes that are not a message',
    (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/proto' }).end('\xff\xff\xff'),
    Code.Internal,
  ],
  [
    'an unrequested compressed message',
    (_request, response) =>
      response
        .writeHead(200, { 'content-type': 'application/proto', 'content-encoding': 'gzip' })
        .end(gzipSync('')),
    Code.Internal,
  ],
];

for (const [what, answer, code] of STRANGE_ANSWERS) {
  test(`${what} is ${Code[code]}`, async () => {
    await using server = await answering(answer);
    assert.equal((await refusal(clientOf(server.port).getJob({}))).code, code);
  });
}

test('a request identifies itself as the protocol requires', async () => {
  const seen = Promise.withResolvers<NodeJS.Dict<string | string[]>>();
  await using server = await answering((request, response) => {
    seen.resolve(request.headers);
    response.writeHead(200, { 'content-type': 'application/proto' }).end();
  });
  await clientOf(server.port).getJob({}, { timeoutMs: 1_234 });
  const headers = await seen.promise;
  assert.equal(headers['connect-protocol-version'], '1');
  assert.equal(headers['connect-timeout-ms'], '1234');
  assert.equal(headers['content-type'], 'application/proto');
  assert.equal(headers['content-length'], '0');
  assert.equal(headers['accept-encoding'], undefined);
});
