import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGuardedEgress } from '@audiosplit/chassis/egress/guarded-egress';
import { startLocalServer } from '@audiosplit/chassis/egress/http-server.fixture';
import type { Names } from '@audiosplit/chassis/egress/names/names';
import { inspectSource } from './inspect-source.ts';
import { SourceError } from './source-error.ts';

const createEgress = () => createGuardedEgress({ allowCidrs: ['127.0.0.0/8'], allowUrlPrefixes: [] });

// Covers D-2.20
test('the size is read from HEAD', async () => {
  await using server = await startLocalServer((_request, response) => {
    response.writeHead(200, { 'content-length': '3000000000' }).end();
  });
  await using egress = createEgress();
  assert.deepEqual(await inspectSource(egress, `${server.origin}/`), { sizeBytes: 3_000_000_000 });
  assert.deepEqual(
    server.requests.map(({ method }) => method),
    ['HEAD'],
  );
});

test("both requests count towards the account's limit of concurrent name lookups", async () => {
  await using server = await startLocalServer((_request, response) => {
    response.writeHead(403).end();
  });
  const turns: string[] = [];
  const names: Names = {
    resolve: async () => ['127.0.0.1'],
    async enter(hostname, accountId) {
      turns.push(`${accountId} ${hostname}`);
      return { [Symbol.dispose]: () => turns.push('over') };
    },
  };
  await using egress = createGuardedEgress({ allowCidrs: ['127.0.0.0/8'], allowUrlPrefixes: [] }, { names });
  const url = server.origin.replace('127.0.0.1', 'media.test');
  await inspectSource(egress, url, { accountId: 'acc_1' });
  assert.deepEqual(turns, ['acc_1 media.test', 'over', 'acc_1 media.test', 'over']);
});

// Covers D-2.20
test('a HEAD without a size is followed by a request for the first byte', async (t) => {
  for (const [name, status, headers] of [
    ['refused', 403, {}],
    ['not known', 405, {}],
    ['without a length', 200, {}],
    ['of length zero', 200, { 'content-length': '0' }],
    ['encoded', 200, { 'content-length': '10', 'content-encoding': 'gzip' }],
  ] as const) {
    await t.test(name, async () => {
      await using server = await startLocalServer((request, response) => {
        if (request.method === 'HEAD') response.writeHead(status, headers).end();
        else response.writeHead(206, { 'content-range': 'bytes 0-0/4321' }).end('x');
      });
      await using egress = createEgress();
      assert.deepEqual(await inspectSource(egress, `${server.origin}/`), { sizeBytes: 4_321 });
      assert.equal(server.requests[1]?.headers.range, 'bytes=0-0');
    });
  }
});

test('a source without ranges gives its size with the whole response, which is not read', async () => {
  await using server = await startLocalServer((request, response) => {
    if (request.method === 'HEAD') request.socket.destroy();
    else response.writeHead(200, { 'content-length': '5000000' }).write('x');
  });
  await using egress = createEgress();
  assert.deepEqual(await inspectSource(egress, `${server.origin}/`), { sizeBytes: 5_000_000 });
  await server.untilNoConnections();
});

// Covers D-2.21
test('a source that gives no size is not an error', async (t) => {
  await t.test('missing', async () => {
    await using server = await startLocalServer((_request, response) => response.writeHead(404).end('none'));
    await using egress = createEgress();
    assert.deepEqual(await inspectSource(egress, `${server.origin}/`), {});
  });
  await t.test('silent', async () => {
    await using server = await startLocalServer(() => {});
    await using egress = createEgress();
    assert.deepEqual(await inspectSource(egress, `${server.origin}/`, { timeoutMs: 500 }), {});
    assert.equal(server.requests.length, 1);
    await server.untilNoConnections();
  });
  await t.test('without an address', async () => {
    await using egress = createGuardedEgress(
      { allowCidrs: [], allowUrlPrefixes: [] },
      { resolve: async () => [] },
    );
    assert.deepEqual(await inspectSource(egress, 'http://media.test/'), {});
  });
});

// Covers D-9.10
test('a URL that may never be fetched is forbidden', async () => {
  await using server = await startLocalServer((_request, response) => {
    response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
  });
  await using egress = createEgress();
  for (const url of [
    'http://[::1]/',
    'http://10.0.0.1/',
    'ftp://media.test/',
    'nonsense',
    `${server.origin}/`,
  ]) {
    await assert.rejects(
      inspectSource(egress, url),
      (error: unknown) => error instanceof SourceError && error.failure === 'SOURCE_FORBIDDEN',
      url,
    );
  }
});
