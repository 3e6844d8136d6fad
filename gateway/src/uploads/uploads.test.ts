import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { before, describe, test } from 'node:test';
import { UnavailableError } from '@audiosplit/chassis/errors';
import { newId } from '@audiosplit/chassis/ids';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { expectError } from '../testing/expect-error.ts';
import { readJson } from '../testing/read-json.ts';
import { ACCOUNT_ID, type ServiceDoubles, startTestGateway } from '../testing/test-gateway.ts';
import { uploadKeyOf } from './uploaded-source.ts';

interface Links {
  readonly uploadUrl: string;
  readonly sourceUrl: string;
  readonly expiresAt: string;
}

/** The largest file that the test's account may upload. */
const MAX_BYTES = 1_000;

describe('uploads', () => {
  let apiKey: string;
  const services: ServiceDoubles = {
    jobs: {
      reserveUpload: () => ({ uploadId: newId('upl'), reservedAt: timestampFromDate(gateway.clock()) }),
    },
  };
  const gateway = forSuite(() => startTestGateway({ services }));
  before(() => {
    apiKey = gateway.newKey().secret;
  });

  const create = async (json?: unknown) => {
    const response = await gateway.call('/api/v1/uploads', { method: 'POST', apiKey, json });
    assert.equal(response.status, 201);
    return readJson<Links>(response);
  };
  const put = (url: string, body: string, headers: Record<string, string> = {}) =>
    fetch(url, { method: 'PUT', body: Buffer.from(body), headers });

  // Covers D-2.52 D-9.32
  test('201: two links for 24 hours; the file sent to one is returned by the other', async () => {
    const { uploadUrl, sourceUrl, expiresAt } = await create({ fileName: 'mein Gespräch.mp3' });
    const lifeMs = new Date(expiresAt).getTime() - gateway.clock().getTime();
    assert.ok(lifeMs > 86_399_000 && lifeMs <= 86_400_000);

    assert.equal((await put(uploadUrl, 'audio', { 'content-type': 'audio/mpeg' })).status, 204);
    const back = await fetch(sourceUrl);
    assert.equal(back.status, 200);
    assert.equal(back.headers.get('content-type'), 'audio/mpeg');
    assert.match(back.headers.get('content-disposition') ?? '', /^attachment;.*mein%20Gespr%C3%A4ch\.mp3$/);
    assert.equal(await back.text(), 'audio');
    const part = await fetch(sourceUrl, { headers: { range: 'bytes=1-2' } });
    assert.deepEqual([part.status, await part.text()], [206, 'ud']);
    assert.equal((await fetch(sourceUrl, { method: 'HEAD' })).headers.get('content-length'), '5');
  });

  test('a sourceUrl gives the key of the stored object, under any address and only to its own account', async () => {
    const { uploadUrl, sourceUrl } = await create({ fileName: 'a b.wav' });
    await put(uploadUrl, 'audio');
    const links = { publicBaseUrl: () => gateway.url, secret: gateway.downloadSecret, clock: gateway.clock };
    const keyOf = (url: string, accountId = ACCOUNT_ID) => uploadKeyOf(url, accountId, links);
    const key = keyOf(sourceUrl) ?? '';
    assert.match(key, new RegExp(`^uploads/${ACCOUNT_ID}/upl_[0-9a-z]{26}/a b\\.wav$`));
    assert.equal((await gateway.store.head(key)).sizeBytes, 5);
    assert.equal(keyOf(sourceUrl.replace(gateway.url, 'https://former.example')), key);

    const forged = sourceUrl.replace(/signature=.{4}/, 'signature=AAAA');
    const refusals = [
      () => keyOf(forged),
      () => keyOf(forged.replace('/uploads/', '/%75ploads/')),
      () => keyOf(sourceUrl, 'acc_other'),
      () => keyOf(uploadUrl),
      () =>
        uploadKeyOf(sourceUrl, ACCOUNT_ID, { ...links, clock: () => new Date(Date.now() + 2 * 86_400_000) }),
    ];
    for (const refused of refusals) assert.throws(refused, { code: 'INVALID_PARAMS' });
    assert.equal(keyOf(forged.replace(gateway.url, 'https://other.example')), undefined);
    assert.equal(keyOf(`${gateway.url}/samples/tour.mp3`), undefined);
  });

  test('a JSON file, one without a type and one without a name are accepted like any other', async () => {
    const { uploadUrl, sourceUrl } = await create();
    assert.equal(
      (await put(uploadUrl, '{"not": "parsed"', { 'content-type': 'application/json' })).status,
      204,
    );
    assert.equal(await (await fetch(sourceUrl)).text(), '{"not": "parsed"');
    assert.equal((await put(uploadUrl, 'again')).status, 204);
    const again = await fetch(sourceUrl);
    assert.equal(again.headers.get('content-type'), 'application/octet-stream');
    assert.equal(await again.text(), 'again');
  });

  test("204: a file of exactly the account's limit", async () => {
    assert.equal((await put((await create()).uploadUrl, 'x'.repeat(MAX_BYTES))).status, 204);
  });

  test('413 FILE_TOO_LARGE by the announced length, or by the received bytes if none is announced', async () => {
    const { uploadUrl, sourceUrl } = await create();
    await expectError(await put(uploadUrl, 'x'.repeat(MAX_BYTES + 1)), 'FILE_TOO_LARGE');
    const chunks = new Blob(['x'.repeat(600), 'x'.repeat(600)]).stream();
    const unannounced = await fetch(uploadUrl, { method: 'PUT', body: chunks, duplex: 'half' });
    await expectError(unannounced, 'FILE_TOO_LARGE');
    await expectError(await fetch(sourceUrl), 'NOT_FOUND');
  });

  test('400 INVALID_PARAMS: an empty body', async () => {
    const { uploadUrl, sourceUrl } = await create();
    await expectError(await fetch(uploadUrl, { method: 'PUT' }), 'INVALID_PARAMS');
    const empty = new ReadableStream({ start: (controller) => controller.close() });
    await expectError(
      await fetch(uploadUrl, { method: 'PUT', body: empty, duplex: 'half' }),
      'INVALID_PARAMS',
    );
    await expectError(await fetch(sourceUrl), 'NOT_FOUND');
  });

  test('403 INVALID_SIGNATURE: an altered link, or one of the two links used as the other', async () => {
    const { uploadUrl, sourceUrl } = await create();
    const forgeries = [
      uploadUrl.replace('maxBytes=1000', 'maxBytes=9999'),
      uploadUrl.replace(ACCOUNT_ID, 'acc_other'),
      sourceUrl,
    ];
    for (const forged of forgeries) await expectError(await put(forged, 'audio'), 'INVALID_SIGNATURE');
    await expectError(await fetch(uploadUrl), 'INVALID_SIGNATURE');
  });

  test('an upload that breaks off leaves nothing behind', async () => {
    await using files = await startTestGateway({ services });
    const begun = Promise.withResolvers<{ readonly stored: Promise<unknown> }>();
    const store: ObjectStore = {
      ...files.store,
      put: (...upload) => {
        const stored = files.store.put(...upload);
        begun.resolve({ stored });
        return stored;
      },
    };
    await using other = await startTestGateway({ services, dependencies: { store } });
    const response = await other.call('/api/v1/uploads', { method: 'POST', apiKey: other.newKey().secret });
    const { uploadUrl } = await readJson<Links>(response);

    const client = httpRequest(uploadUrl, { method: 'PUT', headers: { 'content-length': '100' } });
    client.on('error', () => undefined);
    client.write('half of it');
    const { stored } = await begun.promise;
    client.destroy();
    // Not an internal error: the log and the alerts must not take it for a fault of the service.
    await assert.rejects(stored, { code: 'INVALID_PARAMS', message: 'The upload broke off after 10 bytes.' });
    assert.deepEqual(await Array.fromAsync(files.store.list('uploads/')), []);
  });

  test('503 while the store is unavailable, for the whole file in progress and not only the received part', async () => {
    await using files = await startTestGateway({ services });
    const away = () => Promise.reject(new UnavailableError(new Error('connect ECONNREFUSED 10.0.0.7:9000')));
    const store: ObjectStore = {
      ...files.store,
      get: away,
      head: away,
      async put(_key, body) {
        await once(body, 'readable');
        body.destroy();
        return away();
      },
    };
    await using other = await startTestGateway({ services, dependencies: { store } });
    const response = await other.call('/api/v1/uploads', { method: 'POST', apiKey: other.newKey().secret });
    const { uploadUrl, sourceUrl } = await readJson<Links>(response);

    const request = httpRequest(uploadUrl, { method: 'PUT', headers: { 'content-length': '1000' } });
    request.write('half of it');
    const [refused] = (await once(request, 'response')) as [IncomingMessage];
    assert.equal(refused.statusCode, 503);
    assert.match(refused.headers['retry-after'] ?? '', /^[1-9]\d*$/);
    assert.equal(refused.headers.connection, 'close');
    assert.equal(JSON.parse(await text(refused)).error.code, 'SERVICE_UNAVAILABLE');
    request.destroy();
    await expectError(await fetch(sourceUrl), 'SERVICE_UNAVAILABLE');
  });

  for (const fileName of ['', '..', '.', 'a/b.mp3', 'a\\b.mp3', 'a\u0000.mp3', '\ud800', 'x'.repeat(256)]) {
    test(`400 INVALID_PARAMS: fileName ${JSON.stringify(fileName).slice(0, 12)}`, async () => {
      const response = await gateway.call('/api/v1/uploads', { method: 'POST', apiKey, json: { fileName } });
      await expectError(response, 'INVALID_PARAMS', { field: 'fileName' });
    });
  }

  test('403 once the links have expired', async () => {
    await using other = await startTestGateway({ services });
    const { secret } = other.newKey();
    const response = await other.call('/api/v1/uploads', { method: 'POST', apiKey: secret });
    const { uploadUrl, sourceUrl } = await readJson<Links>(response);
    other.advance(86_400_000);
    await expectError(await put(uploadUrl, 'audio'), 'UPLOAD_EXPIRED');
    await expectError(await fetch(sourceUrl), 'DOWNLOAD_EXPIRED');
  });
});
