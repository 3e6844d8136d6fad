import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import type { RequestListener } from 'node:http';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import { listen } from '../../servers/listen.ts';
import { startObjectStoreProxy } from './object-store-proxy.ts';

describe('a proxy in front of an object store', () => {
  const stored: { readonly bytes: number; readonly isWhole: boolean }[] = [];
  const settled = new EventEmitter();
  const serve: RequestListener = (request, response) => {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on('close', () => {
      stored.push({ bytes, isWhole: request.complete });
      settled.emit('stored');
    });
    request.on('error', () => undefined);
    request.on('end', () => response.writeHead(200, { etag: '"x"' }).end(request.headers['x-amz-date']));
  };
  const upstream = forSuite(() => listen(serve));
  const proxy = forSuite(() => startObjectStoreProxy(new URL(upstream.url)));

  const body = Buffer.alloc(100_000, 'a');
  const put = () =>
    fetch(`${proxy.url}/bucket/key?x-id=PutObject`, {
      method: 'PUT',
      body,
      headers: { 'x-amz-date': '20260101T000000Z' },
    });
  const nextStored = () => once(settled, 'stored');

  test('requests and responses pass unchanged', async () => {
    const stores = nextStored();
    const response = await put();
    assert.deepEqual([response.status, await response.text()], [200, '20260101T000000Z']);
    await stores;
    assert.deepEqual(stored.at(-1), { bytes: body.length, isWhole: true });
  });

  test('errors: every request gets the response of an overloaded S3', async () => {
    using broken = proxy.breakDown('errors');
    const response = await put();
    assert.equal(response.status, 503);
    assert.match(await response.text(), /<Code>SlowDown<\/Code>/);
    assert.equal(broken.hits(), 1);
  });

  test('truncated uploads: half of the body arrives, and the connection breaks on both sides', async () => {
    using broken = proxy.breakDown('truncated uploads');
    const stores = nextStored();
    await assert.rejects(put());
    await stores;
    assert.deepEqual(stored.at(-1), { bytes: body.length / 2, isWhole: false });
    assert.equal(broken.hits(), 1);
  });

  test('held uploads: half of the body arrives, and nothing more until the hold ends and breaks it off', async () => {
    const hold = proxy.holdUploads();
    const before = stored.length;
    const putting = assert.rejects(put());
    await until(() => hold.paths().length > 0);
    assert.deepEqual(hold.paths(), ['/bucket/key']);
    assert.equal((await fetch(`${proxy.url}/bucket/key`)).status, 200, 'reading goes on');
    hold[Symbol.dispose]();
    await putting;
    await until(() => stored.length === before + 2);
    assert.deepEqual(stored.at(-1), { bytes: body.length / 2, isWhole: false });
    assert.equal((await put()).status, 200);
  });

  test('lost responses: the object is stored, the client gets no response, and reads still work', async () => {
    using _broken = proxy.breakDown('lost answers');
    const stores = nextStored();
    await assert.rejects(put());
    await stores;
    assert.deepEqual(stored.at(-1), { bytes: body.length, isWhole: true });
    assert.equal((await fetch(`${proxy.url}/bucket/key`)).status, 200);
  });
});
