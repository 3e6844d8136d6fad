import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { startLocalServer } from '@audiosplit/chassis/egress/http-server.fixture';
import { createKeyedSemaphore } from '@audiosplit/chassis/keyed-semaphore';
import { createEgress, failsWith, OPTIONS, QUICK, readAll } from './fetch-source.fixture.ts';
import { openSource } from './fetch-source.ts';

test('a whole source is read, with its size, type and name', async () => {
  const bytes = randomBytes(300_000);
  await using server = await startLocalServer((_request, response) => {
    response
      .writeHead(200, {
        'content-length': bytes.length,
        'content-type': 'audio/mpeg',
        'content-disposition': 'attachment; filename="show.mp3"',
      })
      .end(bytes);
  });
  await using egress = createEgress();
  await using source = await openSource(egress, `${server.origin}/a.wav`, OPTIONS);
  assert.equal(source.fileName, 'show.mp3');
  assert.equal(source.declaredSizeBytes, 300_000);
  assert.equal(source.contentType, 'audio/mpeg');
  assert.deepEqual(await readAll(source.body), bytes);
  assert.equal(source.bytesRead(), 300_000);
  await server.untilNoConnections();
});

// Covers D-2.6 D-9.12
test('rejects error responses', async (t) => {
  for (const [status, retryable] of [
    [400, false],
    [401, false],
    [403, false],
    [404, false],
    [410, false],
    [204, false],
    [206, false],
    [304, false],
    [429, true],
    [500, true],
    [502, true],
    [503, true],
  ] as const) {
    await t.test(String(status), async () => {
      await using server = await startLocalServer((_request, response) => {
        response.writeHead(status).end();
      });
      await using egress = createEgress();
      await assert.rejects(
        openSource(egress, `${server.origin}/`, OPTIONS),
        failsWith('SOURCE_UNREACHABLE', retryable, new RegExp(`${status}`)),
      );
      await server.untilNoConnections();
    });
  }
});

// Covers D-2.7 D-9.11
test('rejects addresses and URLs that are not allowed', async () => {
  await using egress = createEgress();
  for (const url of ['http://169.254.169.254/', 'http://[::1]/', 'file:///etc/passwd', 'nonsense']) {
    await assert.rejects(openSource(egress, url, OPTIONS), failsWith('SOURCE_FORBIDDEN', false), url);
  }
});

test('reports network faults', async () => {
  const gone = await startLocalServer(() => {});
  await gone[Symbol.asyncDispose]();
  await using egress = createEgress();
  await assert.rejects(openSource(egress, `${gone.origin}/`, OPTIONS), failsWith('SOURCE_UNREACHABLE', true));

  await using loop = await startLocalServer((_request, response) => {
    response.writeHead(302, { location: '/' }).end();
  });
  await assert.rejects(
    openSource(egress, `${loop.origin}/`, OPTIONS),
    failsWith('SOURCE_UNREACHABLE', false),
  );
  assert.equal(loop.requests.length, 6);
});

test('a source that has never answered is requested twice', async (t) => {
  const impatient = { ...OPTIONS, limits: { ...QUICK, firstByteTimeoutMs: 60 } };
  for (const [name, answer] of [
    ['no response', () => {}],
    ['headers only', (response: ServerResponse) => response.writeHead(200).flushHeaders()],
  ] as const) {
    await t.test(name, async () => {
      await using server = await startLocalServer((_request, response) => answer(response));
      await using egress = createEgress();
      await assert.rejects(
        openSource(egress, `${server.origin}/`, impatient),
        failsWith('SOURCE_TIMEOUT', false, /0\.06 s/),
      );
      assert.equal(server.requests.length, 2);
      await server.untilNoConnections();
    });
  }
  await t.test('a response to the second request is used', async () => {
    await using server = await startLocalServer((_request, response) => {
      if (server.requests.length === 2) response.end('audio');
    });
    await using egress = createEgress();
    const limits = { ...QUICK, firstByteTimeoutMs: 500 };
    await using source = await openSource(egress, `${server.origin}/`, { ...OPTIONS, limits });
    assert.equal(String(await readAll(source.body)), 'audio');
  });
  await t.test('an empty source counts as a response', async () => {
    await using server = await startLocalServer((_request, response) => response.end());
    await using egress = createEgress();
    await using source = await openSource(egress, `${server.origin}/`, OPTIONS);
    assert.equal((await readAll(source.body)).length, 0);
    assert.equal(server.requests.length, 1);
  });
});

test('an encoded source is rejected', async () => {
  await using server = await startLocalServer((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end('x');
  });
  await using egress = createEgress();
  await assert.rejects(
    openSource(egress, `${server.origin}/`, OPTIONS),
    failsWith('SOURCE_UNREACHABLE', false, /gzip/),
  );
});

// Covers D-2.22
test('rejects a source above the limit, with or without a declared size', async () => {
  await using server = await startLocalServer((request, response) => {
    if (request.url === '/declared') response.writeHead(200, { 'content-length': '1001' });
    if (request.url === '/later') {
      response.write(Buffer.alloc(1_000));
      setTimeout(() => response.end('x'), 20);
    } else response.write(Buffer.alloc(1_001));
  });
  await using egress = createEgress();
  const options = { ...OPTIONS, maxBytes: 1_000 };
  const tooLarge = failsWith('FILE_TOO_LARGE', false, /1\.00 kB/);
  await assert.rejects(openSource(egress, `${server.origin}/declared`, options), tooLarge);
  await assert.rejects(openSource(egress, `${server.origin}/chunked`, options), tooLarge);
  await using source = await openSource(egress, `${server.origin}/later`, options);
  await assert.rejects(readAll(source.body), tooLarge);
  await server.untilNoConnections();
});

// Covers D-2.6 D-9.13 B-3.1
test('rejects a source that stops', async () => {
  await using server = await startLocalServer((_request, response) => response.write('some'));
  await using egress = createEgress();
  await using source = await openSource(egress, `${server.origin}/`, {
    ...OPTIONS,
    limits: { idleTimeoutMs: 30 },
  });
  await assert.rejects(readAll(source.body), failsWith('SOURCE_TIMEOUT', false));
  assert.equal(server.requests.length, 1);
  await server.untilNoConnections();
});

// Covers D-2.6 D-9.13
test('rejects a source that drips', async () => {
  await using server = await startLocalServer((_request, response) => {
    const timer = setInterval(() => response.write('x'), 5);
    response.once('close', () => clearInterval(timer));
  });
  await using egress = createEgress();
  await using source = await openSource(egress, `${server.origin}/`, {
    ...OPTIONS,
    limits: { speedWindowMs: 60, minBytesPerSecond: 100_000 },
  });
  await assert.rejects(readAll(source.body), failsWith('SOURCE_TIMEOUT', false, /100 kB a second/));
  await server.untilNoConnections();
});

// Covers D-9.13 B-3.3
test('all transfers of a job share one limit of time, and time of a busy reader does not count', async () => {
  await using server = await startLocalServer((request, response) => {
    const timer = setInterval(() => response.write('x'), 5);
    request.socket.once('close', () => clearInterval(timer));
  });
  await using egress = createEgress();
  const use = { fetchMs: 0, resumes: 0 };
  const options = { ...OPTIONS, use, limits: { minBytesPerSecond: 0, maxFetchMs: 1_000 } };
  {
    await using source = await openSource(egress, `${server.origin}/`, options);
    for await (const _chunk of source.body) {
      if (source.bytesRead() === 5) await new Promise((resolve) => setTimeout(resolve, 1_100));
      if (source.bytesRead() >= 60) break;
    }
  }
  assert.ok(use.fetchMs > 0 && use.fetchMs < 1_000, `${use.fetchMs} ms`);
  await using source = await openSource(egress, `${server.origin}/`, options);
  const startedAtMs = performance.now();
  await assert.rejects(readAll(source.body), failsWith('SOURCE_TIMEOUT', false, /1 s/));
  assert.ok(performance.now() - startedAtMs < 1_000, 'what was used before counts');
  assert.ok(use.fetchMs >= 1_000);
  await assert.rejects(
    openSource(egress, `${server.origin}/`, options),
    failsWith('SOURCE_TIMEOUT', false, /1 s/),
  );
  await server.untilNoConnections();
});

// Covers B-3.8
test('waiting for a connection does not count as time, and follows the order by account and host', async () => {
  const open: ServerResponse[] = [];
  await using server = await startLocalServer((request, response) => {
    if (request.url === '/elsewhere') {
      response.writeHead(302, { location: '/here' }).end();
      return;
    }
    response.write('some');
    open.push(response);
  });
  await using egress = createEgress();
  const connections = createKeyedSemaphore(2);
  const limits = { ...QUICK, connectTimeoutMs: 500, firstByteTimeoutMs: 500, maxFetchMs: 700 };
  const ask = (accountId: string, path: string) =>
    openSource(egress, `${server.origin}${path}`, {
      ...OPTIONS,
      limits,
      enterHost: (host, signal) => connections.acquire(`${accountId} ${host}`, signal),
    });
  const held = await Promise.all([ask('acc_1', '/a'), ask('acc_1', '/b')]);
  const third = ask('acc_1', '/elsewhere');
  const fourth = ask('acc_1', '/d');
  await using _other = await ask('acc_2', '/e');
  await new Promise((resolve) => setTimeout(resolve, 800));
  const paths = () => server.requests.map(({ url }) => url);
  assert.deepEqual(paths().toSorted(), ['/a', '/b', '/e']);
  await held[0][Symbol.asyncDispose]();
  await using _fourth = await fourth;
  assert.deepEqual(
    paths().slice(3),
    ['/elsewhere', '/d'],
    'a redirect gives its place up and lines up again',
  );
  await held[1][Symbol.asyncDispose]();
  await using _third = await third;
  assert.deepEqual(paths().slice(5), ['/here']);
});

test('a busy reader does not make a source count as dripping', async () => {
  await using server = await startLocalServer((_request, response) => response.end(Buffer.alloc(600_000)));
  await using egress = createEgress();
  await using source = await openSource(egress, `${server.origin}/`, {
    ...OPTIONS,
    limits: { speedWindowMs: 200, minBytesPerSecond: 1_000_000, idleTimeoutMs: 200 },
  });
  for await (const _chunk of source.body) await new Promise((resolve) => setTimeout(resolve, 30));
  assert.equal(source.bytesRead(), 600_000);
});

test('stopping in the middle closes the connection, and so does never starting to read', async () => {
  await using server = await startLocalServer((_request, response) => response.write(Buffer.alloc(100_000)));
  await using egress = createEgress();
  const left = await openSource(egress, `${server.origin}/`, OPTIONS);
  for await (const _chunk of left.body) break;
  await server.untilNoConnections();
  const unread = await openSource(egress, `${server.origin}/`, OPTIONS);
  await unread[Symbol.asyncDispose]();
  await server.untilNoConnections();
});

test("an abort returns the signal's reason", async () => {
  await using server = await startLocalServer((_request, response) => response.write('some'));
  await using egress = createEgress();
  const reason = new Error('lease lost');
  await assert.rejects(
    openSource(egress, `${server.origin}/`, { ...OPTIONS, signal: AbortSignal.abort(reason) }),
    reason,
  );
  const stop = new AbortController();
  await using source = await openSource(egress, `${server.origin}/`, { ...OPTIONS, signal: stop.signal });
  await assert.rejects(async () => {
    for await (const _chunk of source.body) stop.abort(reason);
  }, reason);
  await server.untilNoConnections();
});
