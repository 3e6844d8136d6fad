import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { Readable } from 'node:stream';
import { before, describe, test } from 'node:test';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { expectError } from '../testing/expect-error.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';
import { createDownloadLinks, type DownloadLinks } from './download-links.ts';

const KEY = 'jobs/job_1/1/talk 0.mp3';
const BYTES = Buffer.from('0123456789');

function linksOf(gateway: TestGateway): DownloadLinks {
  return createDownloadLinks({
    publicBaseUrl: () => gateway.url,
    secret: gateway.downloadSecret,
    clock: gateway.clock,
  });
}

describe('downloads', () => {
  let link: string;
  const gateway = forSuite(startTestGateway);
  before(async () => {
    await gateway.store.put(KEY, Readable.from([BYTES]), { contentType: 'audio/mpeg' });
    link = linksOf(gateway).signer()(KEY, 'Gespräch "eins"-0.mp3').url;
  });

  // Covers D-2.41 D-9.29
  test('200: the whole file, as an attachment with its name', async () => {
    const response = await fetch(link);
    assert.equal(response.status, 200);
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), BYTES);
    assert.equal(response.headers.get('content-type'), 'audio/mpeg');
    assert.equal(response.headers.get('content-length'), '10');
    assert.equal(response.headers.get('accept-ranges'), 'bytes');
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(response.headers.get('x-ratelimit-limit'), '600');
    assert.equal(
      response.headers.get('content-disposition'),
      `attachment; filename="Gespr?ch \\"eins\\"-0.mp3"; filename*=UTF-8''Gespr%C3%A4ch%20%22eins%22-0.mp3`,
    );
  });

  // Covers D-2.40
  test('200: HEAD returns the same headers without the bytes', async () => {
    const [head, get] = await Promise.all([fetch(link, { method: 'HEAD' }), fetch(link)]);
    assert.equal(head.status, 200);
    for (const name of [
      'content-type',
      'content-length',
      'content-disposition',
      'etag',
      'last-modified',
      'accept-ranges',
    ]) {
      assert.equal(head.headers.get(name), get.headers.get(name), name);
    }
    assert.equal((await head.arrayBuffer()).byteLength, 0);
    await get.arrayBuffer();
  });

  for (const [range, text, contentRange] of [
    ['bytes=0-0', '0', 'bytes 0-0/10'],
    ['bytes=2-4', '234', 'bytes 2-4/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-2', '89', 'bytes 8-9/10'],
  ] as const) {
    // Covers D-2.40
    test(`206: ${range}`, async () => {
      const response = await fetch(link, { headers: { range } });
      assert.equal(response.status, 206);
      assert.equal(response.headers.get('content-range'), contentRange);
      assert.equal(response.headers.get('content-length'), String(text.length));
      assert.equal(await response.text(), text);
    });
  }

  test('200: the whole file for several ranges, or for a range of a file that has changed', async () => {
    for (const headers of [{ range: 'bytes=0-1,3-4' }, { range: 'bytes=0-1', 'if-range': '"other"' }]) {
      const response = await fetch(link, { headers });
      assert.equal(response.status, 200);
      assert.equal(await response.text(), '0123456789');
    }
  });

  test('206: a range of the file that the client has started to read', async () => {
    const etag = (await fetch(link, { method: 'HEAD' })).headers.get('etag') ?? '';
    const response = await fetch(link, { headers: { range: 'bytes=8-', 'if-range': etag } });
    assert.equal(response.status, 206);
    assert.equal(await response.text(), '89');
  });

  test('416 RANGE_NOT_SATISFIABLE contains the size', async () => {
    const response = await fetch(link, { headers: { range: 'bytes=10-' } });
    assert.equal(response.headers.get('content-range'), 'bytes */10');
    await expectError(response, 'RANGE_NOT_SATISFIABLE');
  });

  test('403 INVALID_SIGNATURE: another file, name, time or signature, or none', async () => {
    const forgeries = [
      link.replace('job_1', 'job_2'),
      link.replace('eins', 'zwei'),
      link.replace(/expires=\d+/, 'expires=9999999999'),
      link.replace(/signature=.{4}/, 'signature=AAAA'),
      link.replace(/&signature=.*/, ''),
      `${gateway.url}/downloads/${KEY}`,
    ];
    for (const forged of forgeries) await expectError(await fetch(forged), 'INVALID_SIGNATURE');
  });

  test('404 NOT_FOUND: a correctly signed link to a missing file', async () => {
    for (const key of ['jobs/gone.mp3', 'jobs//odd']) {
      const url = linksOf(gateway).signer()(key, 'a.mp3').url;
      await expectError(await fetch(url), 'NOT_FOUND');
      assert.equal((await fetch(url, { method: 'HEAD' })).status, 404);
    }
  });

  // Covers I-1.6 I-8.19 D-2.39
  test('403 DOWNLOAD_EXPIRED after 24 hours, or when the file of the link expires', async () => {
    await using other = await startTestGateway();
    await other.store.put(KEY, Readable.from([BYTES]), { contentType: 'audio/mpeg' });
    const links = linksOf(other);
    const soon = links.signer(new Date(other.clock().getTime() + 5_000))(KEY, 'a.mp3');
    const day = links.signer()(KEY, 'a.mp3');
    other.advance(6_000);
    await expectError(await fetch(soon.url), 'DOWNLOAD_EXPIRED');
    other.advance(86_400_000 - 8_000);
    assert.equal(await (await fetch(day.url)).text(), '0123456789');
    other.advance(2_000);
    await expectError(await fetch(day.url), 'DOWNLOAD_EXPIRED');
  });

  test('the file is read no faster than the client reads it, and closed when the client disconnects', async () => {
    let producedBytes = 0;
    const endless = new Readable({
      read() {
        const chunk = Buffer.alloc(64 * 1024);
        producedBytes += chunk.length;
        this.push(chunk);
      },
    });
    const described = {
      key: 'big',
      sizeBytes: 1_000_000_000,
      contentType: 'audio/wav',
      modifiedAt: new Date(),
    };
    const store: ObjectStore = { ...gateway.store, get: async () => ({ ...described, body: endless }) };
    await using other = await startTestGateway({ dependencies: { store } });

    const { url } = linksOf(other).signer()('big', 'big.wav');
    const client = httpRequest(url);
    client.end();
    const [response] = await once(client, 'response');
    response.once('readable', () => undefined);
    await once(response, 'readable');
    let before = -1;
    while (before !== producedBytes) {
      before = producedBytes;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.ok(producedBytes < 50_000_000, `${producedBytes} bytes were read for a caller that takes none`);

    client.destroy();
    await once(endless, 'close');
    assert.ok(endless.destroyed);
  });
});
