/** Uploads with tus 1.0: with requests as curl sends them, and with the reference client. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import { Upload, type UploadOptions } from 'tus-js-client';
import { expectError } from '../../testing/expect-error.ts';
import { readJson } from '../../testing/read-json.ts';
import { ACCOUNT_ID, startTestGateway } from '../../testing/test-gateway.ts';
import { uploadKeyOf } from '../uploaded-source.ts';
import { createResumableJobs } from './resumable-jobs.fixture.ts';

const MIB = 1024 * 1024;
const TUS = { 'tus-resumable': '1.0.0' };

interface Links {
  readonly uploadUrl: string;
  readonly sourceUrl: string;
}

describe('resumable uploads', () => {
  const jobs = createResumableJobs(() => gateway.clock());
  const gateway = forSuite(() => startTestGateway({ services: { jobs } }));

  const metadata = (name: string) =>
    `filename ${Buffer.from(name).toString('base64')},filetype YXVkaW8vbXBlZw==`;
  const post = (headers: Record<string, string>, at = gateway, apiKey = at.newKey().secret) =>
    at.call('/api/v1/uploads/tus', { method: 'POST', apiKey, headers: { ...TUS, ...headers } });
  const create = async (sizeBytes: number, at = gateway, name = 'talk.mp3') => {
    const response = await post(
      { 'upload-length': String(sizeBytes), 'upload-metadata': metadata(name) },
      at,
    );
    assert.equal(response.status, 201, await response.clone().text());
    return readJson<Links>(response);
  };
  const patchHeaders = (offset: number) => ({
    ...TUS,
    'upload-offset': String(offset),
    'content-type': 'application/offset+octet-stream',
  });
  const patch = (url: string, offset: number, body: string | Buffer, headers: Record<string, string> = {}) =>
    fetch(url, {
      method: 'PATCH',
      headers: { ...patchHeaders(offset), ...headers },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    });
  const head = (url: string) => fetch(url, { method: 'HEAD', headers: TUS });
  const offsetOf = async (url: string) => {
    const response = await head(url);
    assert.equal(response.status, 200);
    return Number(response.headers.get('upload-offset'));
  };
  const remove = (url: string) => fetch(url, { method: 'DELETE', headers: TUS });
  /** Sends a part bit by bit. */
  const open = (url: string, offset: number, length: number) => {
    const headers = { ...patchHeaders(offset), 'content-length': String(length) };
    const client = httpRequest(url, { method: 'PATCH', headers, agent: false });
    client.on('error', () => undefined);
    client.flushHeaders();
    return client;
  };
  const answerOf = async (client: ReturnType<typeof open>) => {
    const [response] = (await once(client, 'response')) as [IncomingMessage];
    const { error } = JSON.parse((await text(response)) || '{}');
    return { status: response.statusCode, connection: response.headers.connection, code: error?.code };
  };
  /** Uploads with the reference client; resolves with the file's address. */
  const sendByClient = (content: Buffer, options: UploadOptions, at = gateway) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const upload = new Upload(content, {
      endpoint: `${at.url}/api/v1/uploads/tus`,
      chunkSize: 8 * MIB,
      headers: { 'x-api-key': at.newKey().secret },
      metadata: { filename: 'talk.mp3', filetype: 'audio/mpeg' },
      retryDelays: [0, 50, 100],
      onError: reject,
      onSuccess: ({ lastResponse }) => resolve(lastResponse.getHeader('upload-source-url') ?? ''),
      ...options,
    });
    upload.start();
    return { upload, sourceUrl: promise };
  };

  test('a file in three parts, of any length, is a source like one that was sent in one request', async () => {
    const { uploadUrl, sourceUrl } = await create(12);
    assert.equal(await offsetOf(uploadUrl), 0);
    for (const [offset, body] of [
      [0, 'the '],
      [4, 'whole '],
      [10, 'it'],
    ] as const) {
      const response = await patch(uploadUrl, offset, body);
      assert.equal(response.status, 204, await response.clone().text());
      assert.equal(response.headers.get('upload-offset'), String(offset + body.length));
      assert.equal(response.headers.get('upload-source-url'), sourceUrl);
    }
    const file = await fetch(sourceUrl);
    assert.deepEqual([await file.text(), file.headers.get('content-type')], ['the whole it', 'audio/mpeg']);
    const links = { publicBaseUrl: () => gateway.url, secret: gateway.downloadSecret, clock: gateway.clock };
    assert.match(uploadKeyOf(sourceUrl, ACCOUNT_ID, links) ?? '', /^uploads\/acc_test\/upl_\w+\/talk\.mp3$/);
  });

  test('POST returns address, expiry and file; HEAD offset, length and metadata, uncached', async () => {
    const response = await post({ 'upload-length': '7', 'upload-metadata': metadata('a b.mp3') });
    const links = await readJson<Links>(response);
    assert.equal(response.headers.get('location'), links.uploadUrl);
    assert.equal(response.headers.get('upload-source-url'), links.sourceUrl);
    const leftMs = Date.parse(response.headers.get('upload-expires') ?? '') - Date.now();
    assert.ok(Math.abs(leftMs - 86_400_000) < 60_000, `${leftMs}`);
    const { headers } = await head(links.uploadUrl);
    assert.deepEqual(
      ['upload-offset', 'upload-length', 'upload-metadata', 'cache-control', 'tus-resumable'].map((name) =>
        headers.get(name),
      ),
      ['0', '7', metadata('a b.mp3'), 'no-store', '1.0.0'],
    );
  });

  test('OPTIONS returns the version and the extensions', async () => {
    const response = await fetch(`${gateway.url}/api/v1/uploads/tus`, { method: 'OPTIONS' });
    assert.equal(response.status, 204);
    assert.equal(response.headers.get('tus-version'), '1.0.0');
    assert.equal(response.headers.get('tus-extension'), 'creation,expiration,termination');
    assert.equal(response.headers.get('access-control-allow-origin'), null);
  });

  test('one request may contain many parts, which are kept when it breaks off', async () => {
    await using large = await startTestGateway({ services: { jobs } });
    const content = randomBytes(18 * MIB);
    const { uploadUrl, sourceUrl } = await create(content.byteLength, large);
    const client = open(uploadUrl, 0, content.byteLength);
    client.write(content.subarray(0, 9 * MIB));
    await until(async () => (jobs.uploads.get(idIn(uploadUrl))?.arrivedBytes ?? 0n) > 0n, 'a part is there');
    client.destroy();
    await until(async () => (await offsetOf(uploadUrl)) === 8 * MIB, 'the whole part counts');
    const rest = await patch(uploadUrl, 8 * MIB, content.subarray(8 * MIB));
    assert.equal(rest.status, 204, await rest.clone().text());
    const file = Buffer.from(await (await fetch(sourceUrl)).arrayBuffer());
    assert.ok(file.equals(content));
  });

  test('an upload continues at another gateway after one died during a part', async () => {
    const dying = await startTestGateway({ services: { jobs }, dependencies: { store: gateway.store } });
    const { uploadUrl, sourceUrl } = await create(10, dying);
    assert.equal((await patch(uploadUrl, 0, 'first')).status, 204);
    const client = open(uploadUrl, 5, 5);
    client.write('sec');
    await dying[Symbol.asyncDispose]();
    client.destroy();
    const other = uploadUrl.replace(dying.url, gateway.url);
    const signed = await fetch(other, { method: 'HEAD', headers: TUS });
    assert.equal(signed.status, 200);
    assert.equal(signed.headers.get('upload-offset'), '5');
    assert.equal((await patch(other, 5, 'other')).status, 204);
    assert.equal(await (await fetch(sourceUrl.replace(dying.url, gateway.url))).text(), 'firstother');
  });

  test('HEAD completes an upload whose gateway died before the file was complete', async () => {
    let isDying = true;
    const store: ObjectStore = {
      ...gateway.store,
      completeMultipart: (...args) =>
        isDying ? Promise.reject(new Error('killed')) : gateway.store.completeMultipart(...args),
    };
    await using other = await startTestGateway({ services: { jobs }, dependencies: { store } });
    const { uploadUrl, sourceUrl } = await create(5, other);
    await expectError(await patch(uploadUrl, 0, 'audio'), 'INTERNAL_ERROR');
    isDying = false;
    for (let time = 0; time < 2; time++) assert.equal(await offsetOf(uploadUrl), 5);
    assert.equal(await (await fetch(sourceUrl)).text(), 'audio');
  });

  test('409 for a wrong offset and for a complete upload; the offset stays', async () => {
    const { uploadUrl } = await create(10);
    assert.equal((await patch(uploadUrl, 0, '12345')).status, 204);
    for (const offset of [0, 4, 6]) {
      await expectError(await patch(uploadUrl, offset, 'x'), 'UPLOAD_OFFSET_CONFLICT');
    }
    assert.equal(await offsetOf(uploadUrl), 5);
    assert.equal((await patch(uploadUrl, 5, '67890')).status, 204);
    await expectError(await remove(uploadUrl), 'UPLOAD_OFFSET_CONFLICT');
  });

  test('413 for more than was announced, 400 without a length, and nothing of either counts', async () => {
    const { uploadUrl } = await create(10);
    await expectError(await patch(uploadUrl, 0, '12345678901'), 'FILE_TOO_LARGE');
    const chunked = httpRequest(uploadUrl, { method: 'PATCH', headers: patchHeaders(0), agent: false });
    chunked.write('123');
    chunked.end('45');
    assert.deepEqual(await answerOf(chunked), { status: 400, connection: 'close', code: 'INVALID_PARAMS' });
    await expectError(await patch(uploadUrl, 0, ''), 'INVALID_PARAMS');
    assert.equal(await offsetOf(uploadUrl), 0);
  });

  test('the later of two requests for the same bytes at one gateway takes over', async () => {
    const { uploadUrl, sourceUrl } = await create(10);
    const first = open(uploadUrl, 0, 10);
    first.write('abc');
    const refused = answerOf(first);
    await until(async () => jobs.uploads.has(idIn(uploadUrl)), 'it has begun');
    assert.equal((await patch(uploadUrl, 0, '1234567890')).status, 204);
    assert.equal((await refused).code, 'UPLOAD_OFFSET_CONFLICT');
    assert.equal(await (await fetch(sourceUrl)).text(), '1234567890');
  });

  test('one of two requests for the same bytes at two gateways counts completely', async () => {
    await using other = await startTestGateway({
      services: { jobs },
      config: { downloadSecret: gateway.downloadSecret },
      dependencies: { store: gateway.store },
    });
    const { uploadUrl, sourceUrl } = await create(10);
    const elsewhere = uploadUrl.replace(gateway.url, other.url);
    const first = open(elsewhere, 0, 10);
    first.write('abcde');
    const settled = answerOf(first);
    assert.equal((await patch(uploadUrl, 0, '1234567890')).status, 204);
    first.end('fghij');
    assert.equal((await settled).code, 'UPLOAD_OFFSET_CONFLICT');
    assert.equal(await (await fetch(sourceUrl)).text(), '1234567890');
  });

  test('DELETE abandons an upload: 404 UPLOAD_NOT_FOUND afterwards', async () => {
    const { uploadUrl } = await create(10);
    assert.equal((await patch(uploadUrl, 0, '12345')).status, 204);
    assert.equal((await remove(uploadUrl)).status, 204);
    await expectError(await patch(uploadUrl, 5, '67890'), 'UPLOAD_NOT_FOUND');
    assert.equal((await head(uploadUrl)).status, 404);
    await expectError(await remove(uploadUrl), 'UPLOAD_NOT_FOUND');
  });

  test('403 for the address of another account, another size, or another kind of link', async () => {
    const { uploadUrl, sourceUrl } = await create(10);
    for (const forged of [
      uploadUrl.replace(ACCOUNT_ID, 'acc_other'),
      uploadUrl.replace('size=10', 'size=99'),
      uploadUrl.replace('/uploads/tus/', '/uploads/tus/x'),
      sourceUrl.replace('/uploads/', '/uploads/tus/'),
    ]) {
      await expectError(await patch(forged, 0, '12345'), 'INVALID_SIGNATURE');
      assert.equal((await head(forged)).status, 403);
    }
    await expectError(
      await fetch(uploadUrl.replace('/uploads/tus/', '/uploads/'), { method: 'PUT', body: 'x' }),
      'INVALID_SIGNATURE',
    );
  });

  test('403 UPLOAD_EXPIRED after 24 hours', async () => {
    await using other = await startTestGateway({
      services: { jobs: createResumableJobs(() => other.clock()) },
    });
    const { uploadUrl } = await create(10, other);
    assert.equal((await patch(uploadUrl, 0, '12345')).status, 204);
    other.advance(86_400_000);
    await expectError(await patch(uploadUrl, 5, '67890'), 'UPLOAD_EXPIRED');
  });

  test('408 for an upload that stops; the bytes that arrived before are kept', async () => {
    await using slow = await startTestGateway({ services: { jobs }, bounds: { UPLOAD_IDLE_SECONDS: 0.2 } });
    const { uploadUrl } = await create(10, slow);
    assert.equal((await patch(uploadUrl, 0, '12345')).status, 204);
    const client = open(uploadUrl, 5, 5);
    client.write('67');
    assert.deepEqual(await answerOf(client), { status: 408, connection: 'close', code: 'UPLOAD_TIMEOUT' });
    assert.equal(await offsetOf(uploadUrl), 5);
  });

  test('412 without the version of the protocol, or with another one', async () => {
    const { uploadUrl } = await create(10);
    const withVersion = (version: Record<string, string>) =>
      fetch(uploadUrl, { method: 'DELETE', headers: version });
    for (const version of [{}, { 'tus-resumable': '0.2.2' }]) {
      const response = await withVersion(version as Record<string, string>);
      assert.equal(response.headers.get('tus-version'), '1.0.0');
      await expectError(response, 'TUS_VERSION_UNSUPPORTED');
    }
  });

  for (const [name, headers] of Object.entries({
    'no length': {},
    'a length that is not a number': { 'upload-length': 'ten' },
    'an empty file': { 'upload-length': '0' },
    'a deferred length': { 'upload-defer-length': '1' },
    'a negative length': { 'upload-length': '-1' },
    'malformed metadata': { 'upload-length': '5', 'upload-metadata': 'filename %%%' },
    'a path as name': { 'upload-length': '5', 'upload-metadata': `filename ${btoa('a/b.mp3')}` },
    'too much metadata': { 'upload-length': '5', 'upload-metadata': `note ${btoa('x'.repeat(4_000))}` },
    'partial uploads to be concatenated': { 'upload-length': '5', 'upload-concat': 'partial' },
  })) {
    test(`400 INVALID_PARAMS: ${name}`, async () => {
      await expectError(await post(headers as Record<string, string>), 'INVALID_PARAMS');
    });
  }

  test('401 UNAUTHORIZED: no credential', async () => {
    const response = await gateway.call('/api/v1/uploads/tus', {
      method: 'POST',
      headers: { ...TUS, 'upload-length': '5' },
    });
    await expectError(response, 'UNAUTHORIZED');
  });

  test('the reference client sends a file in parts of 8 MiB', async () => {
    const content = randomBytes(9 * MIB);
    const sent: string[] = [];
    const { sourceUrl } = sendByClient(content, {
      onBeforeRequest: (request) => void sent.push(request.getMethod()),
    });
    const file = Buffer.from(await (await fetch(await sourceUrl)).arrayBuffer());
    assert.ok(file.equals(content));
    assert.deepEqual(sent, ['POST', 'PATCH', 'PATCH']);
  });

  test('the reference client resumes by itself after a break, also at another gateway', async () => {
    const content = randomBytes(3 * MIB);
    let puts = 0;
    const store: ObjectStore = {
      ...gateway.store,
      async put(...args) {
        puts += 1;
        if (puts === 2) throw new Error('the store is away');
        return gateway.store.put(...args);
      },
    };
    await using breaking = await startTestGateway({ services: { jobs }, dependencies: { store } });
    const sent: string[] = [];
    const { sourceUrl } = sendByClient(
      content,
      { chunkSize: MIB, onBeforeRequest: (request) => void sent.push(request.getMethod()) },
      breaking,
    );
    const file = Buffer.from(await (await fetch(await sourceUrl)).arrayBuffer());
    assert.ok(file.equals(content));
    assert.deepEqual(sent, ['POST', 'PATCH', 'PATCH', 'HEAD', 'PATCH', 'PATCH']);
  });
});

function idIn(url: string): string {
  return /upl_[0-9a-z]+/.exec(url)?.[0] ?? '';
}
