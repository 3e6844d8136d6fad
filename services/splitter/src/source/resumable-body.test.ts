import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import { EgressError, type EnterHost } from '@audiosplit/chassis/egress/egress';
import { startLocalServer } from '@audiosplit/chassis/egress/http-server.fixture';
import { createEgress, failsWith, OPTIONS, QUICK, readAll } from './fetch-source.fixture.ts';
import { openSource } from './fetch-source.ts';
import { createFetchTurn, enterAnyFetch } from './fetch-turn.ts';
import { createResumableBody } from './resumable-body.ts';
import { DEFAULT_SOURCE_LIMITS } from './source-limits.ts';
import type { Transfer } from './transfer.ts';

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

/** Serves ranges, and breaks off after `breakAfterBytes` in each of its first `breaks` responses. */
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

// Covers B-3.5
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

test('a fourth break fails the source', async () => {
  await using server = await startLocalServer(brittle(4, 30_000, { etag: ETAG }));
  await using egress = createEgress();
  await using source = await openSource(egress, `${server.origin}/`, OPTIONS);
  await assert.rejects(readAll(source.body), failsWith('SOURCE_UNREACHABLE', true, /120 kB/));
  assert.equal(server.requests.length, 4);
});

// Covers B-3.6
test('a resume that brings no byte is the last one', async (t) => {
  for (const [name, answer, failure] of [
    ['it breaks', (request: IncomingMessage) => request.socket.destroy(), 'SOURCE_UNREACHABLE'],
    [
      'it breaks after the headers',
      (request: IncomingMessage, response: ServerResponse) => {
        response.flushHeaders();
        request.socket.end();
      },
      'SOURCE_UNREACHABLE',
    ],
    [
      'it ends without a byte',
      (_request: IncomingMessage, response: ServerResponse) => response.end(),
      'SOURCE_UNREACHABLE',
    ],
    ['it is silent', () => {}, 'SOURCE_TIMEOUT'],
  ] as const) {
    await t.test(name, async () => {
      await using server = await startLocalServer((request, response) => {
        if (request.headers.range === undefined) {
          response.writeHead(200, { 'accept-ranges': 'bytes', etag: ETAG, 'content-length': BYTES.length });
          sendAndBreak(request, response, 0, 1_000);
          return;
        }
        const contentRange = `bytes 1000-${BYTES.length - 1}/${BYTES.length}`;
        response.writeHead(206, { etag: ETAG, 'content-range': contentRange });
        answer(request, response);
      });
      await using egress = createEgress();
      const use = { fetchMs: 0, resumes: 0 };
      const limits = { ...QUICK, firstByteTimeoutMs: 100 };
      await using source = await openSource(egress, `${server.origin}/`, { ...OPTIONS, limits, use });
      await assert.rejects(readAll(source.body), failsWith(failure, failure === 'SOURCE_UNREACHABLE'));
      assert.equal(server.requests.length, 2);
      assert.equal(use.resumes, 1);
      await server.untilNoConnections();
    });
  }
});

// Covers B-3.5
test('resumes of earlier attempts count towards the limit', async () => {
  await using server = await startLocalServer(brittle(4, 30_000, { etag: ETAG }));
  await using egress = createEgress();
  const use = { fetchMs: 0, resumes: 2 };
  await using source = await openSource(egress, `${server.origin}/`, { ...OPTIONS, use });
  await assert.rejects(readAll(source.body), failsWith('SOURCE_UNREACHABLE', true, /60\.0 kB/));
  assert.equal(server.requests.length, 2);
  assert.equal(use.resumes, 3);
});

test('nothing is resumed without a strong validator', async () => {
  await using server = await startLocalServer(brittle(1, 30_000, { etag: 'W/"v1"' }));
  await using egress = createEgress();
  await using source = await openSource(egress, `${server.origin}/`, OPTIONS);
  await assert.rejects(readAll(source.body), failsWith('SOURCE_UNREACHABLE', true));
  assert.equal(server.requests.length, 1);
});

test('only the rest of the same source is appended', async (t) => {
  const size = BYTES.length;
  for (const [name, status, headers, retryable, requests] of [
    ['it changed', 200, { etag: '"v2"' }, true, 2],
    ['another ETag', 206, { etag: '"v2"', 'content-range': `bytes 1000-${size - 1}/${size}` }, true, 2],
    ['another start', 206, { etag: ETAG, 'content-range': `bytes 999-${size - 1}/${size}` }, true, 2],
    ['another total', 206, { etag: ETAG, 'content-range': `bytes 1000-${size}/${size + 1}` }, true, 2],
    ['another end', 206, { etag: ETAG, 'content-range': `bytes 1000-1999/${size}` }, true, 2],
    ['no range stated', 206, { etag: ETAG }, true, 2],
    ['nothing left', 416, { 'content-range': 'bytes */500' }, true, 2],
    ['now rejected', 403, {}, false, 2],
    ['unavailable', 503, {}, true, 2],
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

test('closing the source ends a waiting resume', async (t) => {
  for (const [name, resumeDelayMs] of [
    ['before it begins', 60_000],
    ['while it waits for a connection', 1],
  ] as const) {
    await t.test(name, async () => {
      await using server = await startLocalServer(brittle(1, 30_000, { etag: ETAG }));
      await using egress = createEgress();
      const inLine = Promise.withResolvers<void>();
      if (resumeDelayMs > 1) inLine.resolve();
      let entered = 0;
      const enterHost: EnterHost = (_host, signal) => {
        entered += 1;
        if (entered === 1) return Promise.resolve({ [Symbol.dispose]() {} });
        inLine.resolve();
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      };
      const source = await openSource(egress, `${server.origin}/`, {
        ...OPTIONS,
        enterHost,
        limits: { resumeDelayMs },
      });
      const reading = readAll(source.body);
      reading.catch(() => undefined);
      await server.untilNoConnections();
      await inLine.promise;
      await source[Symbol.asyncDispose]();
      await assert.rejects(reading, /the source was closed/);
      assert.equal(server.requests.length, 1);
    });
  }
});

test('the speed includes the wait before a break, and the wait for the rest', async () => {
  let clockMs = 0;
  const transfer = (waits: readonly number[], isBroken: boolean): Transfer => {
    const left = [...waits];
    return {
      headers: { etag: ETAG, 'accept-ranges': 'bytes' },
      isEmpty: false,
      async next() {
        const waitMs = left.shift();
        clockMs += waitMs ?? 0;
        if (waitMs !== undefined && (left.length > 0 || !isBroken)) return Buffer.alloc(1);
        if (!isBroken) return undefined;
        throw new EgressError('connection-lost', 'The connection broke.');
      },
      destroy() {},
    };
  };
  const limits = { ...DEFAULT_SOURCE_LIMITS, ...QUICK, speedWindowMs: 30_000, minBytesPerSecond: 1 };
  for (const [beforeBreakMs, forTheRestMs, isFastEnough] of [
    [10_000, 10_000, true],
    [20_000, 20_000, false],
    [40_000, 0, false],
    [0, 40_000, false],
  ] as const) {
    const body = createResumableBody(transfer([0, beforeBreakMs], true), {
      start: async () => {
        clockMs += forTheRestMs;
        return transfer([0], false);
      },
      waitedMs: () => clockMs,
      turn: createFetchTurn(enterAnyFetch, new AbortController().signal),
      toPublicError: (error) => error,
      limits,
      use: { fetchMs: 0, resumes: 0 },
      signal: new AbortController().signal,
    });
    const reading = readAll(body.chunks);
    if (isFastEnough) assert.equal((await reading).length, 2);
    else await assert.rejects(reading, failsWith('SOURCE_TIMEOUT', false));
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
