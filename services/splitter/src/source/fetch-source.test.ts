import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import { createGuardedEgress } from '@audiosplit/chassis/egress/guarded-egress';
import { startLocalServer } from '@audiosplit/chassis/egress/http-server.fixture';
import { openSource, type SourceOptions } from './fetch-source.ts';
import { SourceError, type SourceFailure } from './source-error.ts';

const createEgress = () => createGuardedEgress({ allowCidrs: ['127.0.0.0/8'], allowUrlPrefixes: [] });

const never = new AbortController().signal;
const OPTIONS: SourceOptions = { maxBytes: 10_000_000, signal: never, limits: { resumeDelayMs: 1 } };

const failsWith = (failure: SourceFailure, retryable: boolean, message?: RegExp) => (error: unknown) =>
  error instanceof SourceError &&
  error.failure === failure &&
  error.retryable === retryable &&
  (message === undefined || message.test(error.message));

async function readAll(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(body));
}

test('a whole source with what is known of it', async () => {
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
test('refused answers', async (t) => {
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
test('addresses and URLs that are not allowed', async () => {
  await using egress = createEgress();
  for (const url of ['http://169.254.169.254/', 'http://[::1]/', 'file:///etc/passwd', 'nonsense']) {
    await assert.rejects(openSource(egress, url, OPTIONS), failsWith('SOURCE_FORBIDDEN', false), url);
  }
});

test('faults of the network', async () => {
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

  await using silent = await startLocalServer(() => {});
  const impatient = { ...OPTIONS, limits: { headersTimeoutMs: 30 } };
  await assert.rejects(openSource(egress, `${silent.origin}/`, impatient), failsWith('SOURCE_TIMEOUT', true));
});

test('an encoded source is refused', async () => {
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
test('a source past the limit, declared or not', async () => {
  await using server = await startLocalServer((request, response) => {
    if (request.url === '/declared') response.writeHead(200, { 'content-length': '1001' });
    response.write(Buffer.alloc(1_001));
  });
  await using egress = createEgress();
  const options = { ...OPTIONS, maxBytes: 1_000 };
  const tooLarge = failsWith('FILE_TOO_LARGE', false, /1\.00 kB/);
  await assert.rejects(openSource(egress, `${server.origin}/declared`, options), tooLarge);
  await using source = await openSource(egress, `${server.origin}/chunked`, options);
  await assert.rejects(readAll(source.body), tooLarge);
  await server.untilNoConnections();
});

// Covers D-2.6 D-9.13
test('a source that stops', async () => {
  await using server = await startLocalServer((_request, response) => response.write('some'));
  await using egress = createEgress();
  await using source = await openSource(egress, `${server.origin}/`, {
    ...OPTIONS,
    limits: { idleTimeoutMs: 30 },
  });
  await assert.rejects(readAll(source.body), failsWith('SOURCE_TIMEOUT', true));
  await server.untilNoConnections();
});

// Covers D-2.6 D-9.13
test('a source that drips', async () => {
  await using server = await startLocalServer((_request, response) => {
    const timer = setInterval(() => response.write('x'), 5);
    response.once('close', () => clearInterval(timer));
  });
  await using egress = createEgress();
  await using source = await openSource(egress, `${server.origin}/`, {
    ...OPTIONS,
    limits: { speedWindowMs: 60, minBytesPerSecond: 100_000 },
  });
  await assert.rejects(readAll(source.body), failsWith('SOURCE_TIMEOUT', true, /100 kB a second/));
  await server.untilNoConnections();
});

test('a busy reader is not a dripping source', async () => {
  await using server = await startLocalServer((_request, response) => response.end(Buffer.alloc(600_000)));
  await using egress = createEgress();
  await using source = await openSource(egress, `${server.origin}/`, {
    ...OPTIONS,
    limits: { speedWindowMs: 200, minBytesPerSecond: 1_000_000, idleTimeoutMs: 200 },
  });
  for await (const _chunk of source.body) await new Promise((resolve) => setTimeout(resolve, 30));
  assert.equal(source.bytesRead(), 600_000);
});

test('leaving off in the middle closes the connection, and so does never starting', async () => {
  await using server = await startLocalServer((_request, response) => response.write(Buffer.alloc(100_000)));
  await using egress = createEgress();
  const left = await openSource(egress, `${server.origin}/`, OPTIONS);
  for await (const _chunk of left.body) break;
  await server.untilNoConnections();
  const unread = await openSource(egress, `${server.origin}/`, OPTIONS);
  await unread[Symbol.asyncDispose]();
  await server.untilNoConnections();
});

test("an abort gives back the signal's reason", async () => {
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

const ETAG = '"v1"';
const BYTES = randomBytes(200_000);

/** Sends from `first` and breaks the connection after `length` bytes. */
function sendAndBreak(
  request: IncomingMessage,
  response: ServerResponse,
  first: number,
  length: number,
): void {
  response.write(BYTES.subarray(first, first + length), () => request.socket.end());
}

/** Serves ranges, and breaks off after `breakAfterBytes` in each of its first `breaks` answers. */
function brittle(breaks: number, breakAfterBytes: number, validators: Record<string, string>) {
  let answers = 0;
  return (request: IncomingMessage, response: ServerResponse): void => {
    const { range } = request.headers;
    const first = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
    response.writeHead(range === undefined ? 200 : 206, {
      'accept-ranges': 'bytes',
      'content-length': BYTES.length - first,
      ...validators,
      ...(range === undefined
        ? {}
        : { 'content-range': `bytes ${first}-${BYTES.length - 1}/${BYTES.length}` }),
    });
    answers += 1;
    if (answers <= breaks) sendAndBreak(request, response, first, breakAfterBytes);
    else response.end(BYTES.subarray(first));
  };
}

test('a broken connection is resumed where it broke, up to three times', async (t) => {
  const lastModified = 'Fri, 20 Nov 2026 10:00:00 GMT';
  for (const [name, validators, ifRange] of [
    ['strong ETag', { etag: ETAG }, ETAG],
    ['Last-Modified', { 'last-modified': lastModified }, lastModified],
  ] as const) {
    await t.test(name, async () => {
      await using server = await startLocalServer(brittle(3, 30_000, validators));
      await using egress = createEgress();
      await using source = await openSource(egress, `${server.origin}/`, OPTIONS);
      const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
      assert.equal(sha256(await readAll(source.body)), sha256(BYTES));
      assert.equal(source.bytesRead(), BYTES.length);
      assert.deepEqual(
        server.requests.map(({ headers }) => [headers.range, headers['if-range']]),
        [
          [undefined, undefined],
          ['bytes=30000-', ifRange],
          ['bytes=60000-', ifRange],
          ['bytes=90000-', ifRange],
        ],
      );
    });
  }
});

test('a fourth break is the end', async () => {
  await using server = await startLocalServer(brittle(4, 30_000, { etag: ETAG }));
  await using egress = createEgress();
  await using source = await openSource(egress, `${server.origin}/`, OPTIONS);
  await assert.rejects(readAll(source.body), failsWith('SOURCE_UNREACHABLE', true, /120 kB had come/));
  assert.equal(server.requests.length, 4);
});

test('without a strong validator nothing is resumed', async () => {
  await using server = await startLocalServer(brittle(1, 30_000, { etag: 'W/"v1"' }));
  await using egress = createEgress();
  await using source = await openSource(egress, `${server.origin}/`, OPTIONS);
  await assert.rejects(readAll(source.body), failsWith('SOURCE_UNREACHABLE', true));
  assert.equal(server.requests.length, 1);
});

test('only the rest of the same source is joined on', async (t) => {
  const size = BYTES.length;
  for (const [name, status, headers, retryable, requests] of [
    ['it changed', 200, { etag: '"v2"' }, true, 2],
    ['another ETag', 206, { etag: '"v2"', 'content-range': `bytes 1000-${size - 1}/${size}` }, true, 2],
    ['another start', 206, { etag: ETAG, 'content-range': `bytes 999-${size - 1}/${size}` }, true, 2],
    ['another total', 206, { etag: ETAG, 'content-range': `bytes 1000-${size}/${size + 1}` }, true, 2],
    ['another end', 206, { etag: ETAG, 'content-range': `bytes 1000-1999/${size}` }, true, 2],
    ['no range told', 206, { etag: ETAG }, true, 2],
    ['nothing left', 416, { 'content-range': 'bytes */500' }, true, 2],
    ['now refused', 403, {}, false, 2],
    ['out of order for long', 503, {}, true, 4],
  ] as const) {
    await t.test(name, async () => {
      await using server = await startLocalServer((request, response) => {
        if (request.headers.range !== undefined) {
          response.writeHead(status, headers).end('wrong bytes');
          return;
        }
        response.writeHead(200, { 'accept-ranges': 'bytes', etag: ETAG, 'content-length': size });
        sendAndBreak(request, response, 0, 1_000);
      });
      await using egress = createEgress();
      await using source = await openSource(egress, `${server.origin}/`, OPTIONS);
      await assert.rejects(readAll(source.body), failsWith('SOURCE_UNREACHABLE', retryable));
      assert.equal(source.bytesRead(), 1_000);
      assert.equal(server.requests.length, requests);
      await server.untilNoConnections();
    });
  }
});

test('an abort ends the wait before a resume', async () => {
  await using server = await startLocalServer(brittle(1, 30_000, { etag: ETAG }));
  await using egress = createEgress();
  const stop = new AbortController();
  await using source = await openSource(egress, `${server.origin}/`, {
    ...OPTIONS,
    signal: stop.signal,
    limits: { resumeDelayMs: 60_000 },
  });
  const reading = readAll(source.body);
  await server.untilNoConnections();
  const reason = new Error('canceled');
  stop.abort(reason);
  await assert.rejects(reading, reason);
});
