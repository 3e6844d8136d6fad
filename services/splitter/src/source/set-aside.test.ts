/** A fetch that gives its slot to another account and takes it again. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import { startLocalServer } from '@audiosplit/chassis/egress/http-server.fixture';
import { createEgress, failsWith, OPTIONS } from './fetch-source.fixture.ts';
import { openSource } from './fetch-source.ts';
import { noSourceUse } from './source-use.ts';

const BYTES = randomBytes(200_000);
const HALF = 100_000;
const ETAG = '"v1"';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const whole: Answer = (_request, response) => {
  response.writeHead(200, { 'content-length': BYTES.length }).end(BYTES);
};
const rest: Answer = ({ headers: { range } }, response) => {
  const first = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1]);
  const contentRange = `bytes ${first}-${BYTES.length - 1}/${BYTES.length}`;
  response.writeHead(206, { etag: ETAG, 'content-range': contentRange }).end(BYTES.subarray(first));
};

/** A fetch whose first response stops half-way, is set aside there, and waits for its slot again. */
async function setAsideHalfWay(headers: Readonly<Record<string, string>>, second: Answer) {
  const stack = new AsyncDisposableStack();
  let answers = 0;
  const server = stack.use(
    await startLocalServer((request, response) => {
      answers += 1;
      if (answers > 1) second(request, response);
      else {
        const all = { 'content-length': BYTES.length, 'accept-ranges': 'bytes', ...headers };
        response.writeHead(200, all).write(BYTES.subarray(0, HALF));
      }
    }),
  );
  const egress = stack.use(createEgress());
  const use = noSourceUse();
  const heads: boolean[] = [];
  const first = new AbortController();
  const secondPlace = Promise.withResolvers<void>();
  const source = stack.use(
    await openSource(egress, `${server.origin}/`, {
      ...OPTIONS,
      use,
      async enterFetches(_signal, isFirst) {
        heads.push(isFirst);
        if (heads.length === 1) return { setAside: first.signal, [Symbol.dispose]() {} };
        await secondPlace.promise;
        return { setAside: new AbortController().signal, [Symbol.dispose]() {} };
      },
    }),
  );
  const chunks: Uint8Array[] = [];
  const reading = (async () => {
    for await (const chunk of source.body) {
      chunks.push(chunk);
      if (source.bytesRead() === HALF) first.abort();
    }
    return Buffer.concat(chunks);
  })();
  reading.catch(() => undefined);
  await server.untilNoConnections();
  assert.equal(source.bytesRead(), HALF);
  assert.deepEqual(heads, [false, true], 'it asks for a place at the head of its line');
  assert.equal(server.requests.length, 1);
  secondPlace.resolve();
  return { server, use, reading, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

// Covers B-2.7 B-2.8
test('a fetch that is set aside closes its connection, keeps its bytes, and requests the rest by Range, without a resume', async () => {
  await using fetch = await setAsideHalfWay({ etag: ETAG }, rest);
  assert.deepEqual(await fetch.reading, BYTES);
  assert.equal(fetch.server.requests[1]?.headers.range, `bytes=${HALF}-`);
  assert.equal(fetch.use.resumes, 0);
});

// Covers B-2.7
test('a source without a validator or ranges is read from the start, and compared with the bytes read before', async () => {
  for (const headers of [{}, { etag: ETAG }] as Record<string, string>[]) {
    await using same = await setAsideHalfWay(headers, whole);
    assert.deepEqual(await same.reading, BYTES);
  }
  const other = randomBytes(BYTES.length);
  await using changed = await setAsideHalfWay({}, (_request, response) => {
    response.writeHead(200, { 'content-length': other.length }).end(other);
  });
  await assert.rejects(changed.reading, failsWith('SOURCE_UNREACHABLE', true, /changed/));
});

// Covers B-2.8
test('a source without its first byte is requested again, which does not count as an attempt', async () => {
  let answers = 0;
  await using server = await startLocalServer((request, response) => {
    answers += 1;
    // Of three connections the first two are silent: the one set aside, and the first of the two attempts.
    if (answers === 3) whole(request, response);
  });
  await using egress = createEgress();
  const places = [new AbortController(), new AbortController(), new AbortController()];
  let entered = 0;
  const opening = openSource(egress, `${server.origin}/`, {
    ...OPTIONS,
    limits: { ...OPTIONS.limits, firstByteTimeoutMs: 400 },
    async enterFetches() {
      const place = places[entered++];
      if (place === undefined) throw new Error('more places than were set aside');
      return { setAside: place.signal, [Symbol.dispose]() {} };
    },
  });
  while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
  places[0]?.abort();
  await using source = await opening;
  assert.equal(source.declaredSizeBytes, BYTES.length);
  assert.deepEqual([server.requests.length, entered], [3, 2]);
});
