/** Bodies of uploads and downloads, over connections that break off. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { type Audiosplit, createAudiosplit, type Retry } from './index.ts';

const CONTENT = Uint8Array.from({ length: 300_000 }, (_, index) => index % 251);

interface Received {
  readonly method: string;
  readonly range: string | undefined;
  readonly length: string | undefined;
  readonly body: Buffer;
}

describe('transfers', () => {
  let url: string;
  let received: Received[];
  /** The store's faults for the next requests, one each; then it serves normally. */
  let faults: ((request: IncomingMessage, response: ServerResponse) => void)[];
  let retries: Retry[];
  let client: Audiosplit;
  const server = createServer(async (request, response) => {
    const { method = '', headers } = request;
    const record = (body: Buffer) =>
      received.push({ method, range: headers.range, length: headers['content-length'], body });
    const fault = faults.shift();
    if (fault !== undefined) {
      record(Buffer.alloc(0));
      fault(request, response);
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    record(Buffer.concat(chunks));
    if (method === 'PUT') {
      response.end();
      return;
    }
    const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
    response.writeHead(from > 0 ? 206 : 200, { 'content-disposition': 'attachment; filename="a-1.mp3"' });
    response.end(CONTENT.subarray(from));
  });
  const breakAfter =
    (bytes: number, from = 0) =>
    (_request: unknown, response: ServerResponse) => {
      response.writeHead(from > 0 ? 206 : 200, { 'content-length': String(CONTENT.length - from) });
      response.write(CONTENT.subarray(from, from + bytes), () => setTimeout(() => response.destroy(), 20));
    };
  before(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    [received, faults, retries] = [[], [], []];
    client = createAudiosplit({
      baseUrl: url,
      retries: { baseDelayMs: 1, maxRetries: 2 },
      onRetry: (retry) => retries.push(retry),
    });
  });
  const read = async (size = CONTENT.length) => {
    const { fileName, bytes } = await client.openSegment({ downloadUrl: url, size });
    return { fileName, content: Buffer.concat(await Array.fromAsync(bytes)) };
  };

  test('a segment that breaks off is resumed after the last received byte', async () => {
    faults.push(breakAfter(100_000), breakAfter(50_000, 100_000));
    const { content } = await read();
    assert.ok(content.equals(CONTENT));
    assert.deepEqual(
      received.map(({ range }) => range),
      [undefined, 'bytes=100000-', 'bytes=150000-'],
    );
    assert.deepEqual(
      retries.map(({ error }) => error.code),
      ['CONNECTION_FAILED', 'CONNECTION_FAILED'],
    );
  });

  test('a download continues after the bytes of an earlier one', async () => {
    const rest = async () => {
      const { bytes } = await client.openSegment(
        { downloadUrl: url, size: CONTENT.length },
        { from: 200_000 },
      );
      return Buffer.concat(await Array.fromAsync(bytes));
    };
    faults.push(breakAfter(50_000, 200_000));
    assert.ok((await rest()).equals(CONTENT.subarray(200_000)));
    assert.deepEqual(
      received.map(({ range }) => range),
      ['bytes=200000-', 'bytes=250000-'],
    );
    faults.push((_request, response) => response.end(CONTENT));
    assert.ok((await rest()).equals(CONTENT.subarray(200_000)), 'of a server without ranges');
  });

  test('a segment has the name given by the API', async () => {
    assert.equal((await read()).fileName, 'a-1.mp3');
  });

  test('a server without ranges sends the start again, which is skipped', async () => {
    faults.push(breakAfter(100_000), (_request, response) => response.end(CONTENT));
    assert.ok((await read()).content.equals(CONTENT));
  });

  test('received bytes reset the count of retries; without any the download fails', async () => {
    faults.push(...[0, 1, 2, 3].map((times) => breakAfter(10_000, times * 10_000)));
    assert.ok((await read()).content.equals(CONTENT));
    faults.push(breakAfter(100_000), ...[1, 2, 3].map(() => (request: IncomingMessage) => request.destroy()));
    await assert.rejects(read(), { code: 'CONNECTION_FAILED' });
  });

  test('a segment with more bytes than expected is rejected', async () => {
    await assert.rejects(read(1_000), { code: 'UNEXPECTED_ANSWER', message: /1000 bytes came with more/ });
  });

  test('a signal ends a download midway', async () => {
    faults.push((_request, response) => response.write(CONTENT.subarray(0, 1_000)));
    const reason = new Error('thought better of it');
    const aborting = new AbortController();
    const { bytes } = await client.openSegment(
      { downloadUrl: url, size: CONTENT.length },
      { signal: aborting.signal },
    );
    await assert.rejects(
      async () => {
        for await (const _ of bytes) aborting.abort(reason);
      },
      (error) => error === reason,
    );
  });

  test('an upload reports its progress, and a body that can be created again is sent again', async () => {
    faults.push((request) => request.destroy());
    const sent: number[] = [];
    async function* chunks() {
      yield CONTENT.subarray(0, 100_000);
      yield CONTENT.subarray(100_000);
    }
    await client.uploadTo({ uploadUrl: url }, chunks, {
      sizeBytes: CONTENT.length,
      onProgress: (bytes) => sent.push(bytes),
    });
    assert.deepEqual(sent.slice(-3), [0, 100_000, 300_000]);
    assert.ok(received.at(-1)?.body.equals(CONTENT));
    assert.equal(received.at(-1)?.length, '300000');
  });

  test('progress of a Blob and of a stream is reported', async () => {
    for (const body of [new Blob([CONTENT]), new Blob([CONTENT]).stream()]) {
      const sent: number[] = [];
      await client.uploadTo({ uploadUrl: url }, body, { onProgress: (bytes) => sent.push(bytes) });
      assert.deepEqual([sent[0], sent.at(-1)], [0, CONTENT.length]);
      assert.ok(received.at(-1)?.body.equals(CONTENT));
    }
  });

  test('an error while reading the file is thrown unchanged, without a retry', async () => {
    const unreadable = new Error('EIO');
    async function* chunks() {
      yield CONTENT.subarray(0, 1_000);
      throw unreadable;
    }
    await assert.rejects(client.uploadTo({ uploadUrl: url }, chunks), (error) => error === unreadable);
    assert.deepEqual(retries, []);
  });
});
