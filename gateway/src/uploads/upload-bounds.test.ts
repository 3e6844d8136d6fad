/** The time an upload may take, its maximum size, and how much of all uploads a gateway buffers. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { newId } from '@audiosplit/chassis/ids';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import { type UploadReport, UploadState } from '@audiosplit/proto/jobs/v1/jobs';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { expectError } from '../testing/expect-error.ts';
import { readJson } from '../testing/read-json.ts';
import { ACCOUNT_ID, startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

interface Links {
  readonly uploadUrl: string;
  readonly sourceUrl: string;
}

describe('the limits of uploads', () => {
  const reports: UploadReport[] = [];
  const sizes: (bigint | undefined)[] = [];
  const services = {
    jobs: {
      reserveUpload({ sizeBytes }: { readonly sizeBytes?: bigint | undefined }) {
        sizes.push(sizeBytes);
        return { uploadId: newId('upl'), reservedAt: timestampFromDate(gateway.clock()) };
      },
      reportUploads({ uploads }: { readonly uploads: UploadReport[] }) {
        reports.push(...uploads);
        return {};
      },
    },
  };
  const gateway: TestGateway = forSuite(() => startTestGateway({ services }));

  const createAt = async (at: TestGateway, json?: unknown) => {
    const response = await at.call('/api/v1/uploads', { method: 'POST', apiKey: at.newKey().secret, json });
    assert.equal(response.status, 201, await response.clone().text());
    return readJson<Links>(response);
  };
  /** Sends a file bit by bit. */
  const open = (url: string, headers: Record<string, string> = {}) => {
    const client = httpRequest(url, { method: 'PUT', headers, agent: false });
    client.on('error', () => undefined);
    client.flushHeaders();
    return client;
  };
  const answerOf = async (client: ReturnType<typeof open>) => {
    const [response] = (await once(client, 'response')) as [IncomingMessage];
    const { error } = JSON.parse((await text(response)) || '{}');
    return { status: response.statusCode, connection: response.headers.connection, error };
  };

  // Covers B-8.5 B-8.6
  test('an announced size is reserved, and the file must have it', async () => {
    const { uploadUrl, sourceUrl } = await createAt(gateway, { size: 5 });
    assert.equal(sizes.at(-1), 5n);
    const send = (body: string | ReadableStream) =>
      fetch(uploadUrl, { method: 'PUT', body, duplex: 'half' } as RequestInit);
    await expectError(await send('four'), 'INVALID_PARAMS', { message: /4 bytes instead of the 5/ });
    await expectError(await send('longer'), 'FILE_TOO_LARGE', { message: /5 bytes announced/ });
    await expectError(await send(new Blob(['four']).stream()), 'INVALID_PARAMS');
    await expectError(await send(new Blob(['longer']).stream()), 'FILE_TOO_LARGE');
    await expectError(await fetch(sourceUrl), 'NOT_FOUND');
    assert.equal((await send('audio')).status, 204);
    assert.equal(await (await fetch(sourceUrl)).text(), 'audio');
    const altered = uploadUrl.replace('size=5', 'size=9');
    await expectError(await fetch(altered, { method: 'PUT', body: 'audio' }), 'INVALID_SIGNATURE');
  });

  // Covers B-8.5
  test('413 as soon as the upload exceeds the plan, before the rest has arrived', async () => {
    const { uploadUrl } = await createAt(gateway);
    const client = open(uploadUrl, { 'transfer-encoding': 'chunked' });
    client.write('x'.repeat(1_001));
    const { status, connection, error } = await answerOf(client);
    assert.deepEqual([status, connection, error.code], [413, 'close', 'FILE_TOO_LARGE']);
  });

  // Covers B-8.4
  test('408 UPLOAD_TIMEOUT for an upload that stops; nothing is kept, and the link works again', async () => {
    await using slow = await startTestGateway({ services, bounds: { UPLOAD_IDLE_SECONDS: 0.1 } });
    const { uploadUrl, sourceUrl } = await createAt(slow);
    const client = open(uploadUrl, { 'content-length': '500' });
    client.write('half of it');
    const { status, connection, error } = await answerOf(client);
    assert.deepEqual([status, connection, error.code], [408, 'close', 'UPLOAD_TIMEOUT']);
    assert.match(error.message, /no byte came for 0.1 s/);
    assert.deepEqual(await Array.fromAsync(slow.store.list('uploads/')), []);
    assert.equal((await fetch(uploadUrl, { method: 'PUT', body: 'audio' })).status, 204);
    assert.equal(await (await fetch(sourceUrl)).text(), 'audio');
  });

  test('the start and the end are reported, with the received and the announced size', async () => {
    const { uploadUrl } = await createAt(gateway, { size: 5 });
    const [, uploadId = ''] = /(upl_[0-9a-z]+)/.exec(uploadUrl) ?? [];
    assert.equal((await fetch(uploadUrl, { method: 'PUT', body: 'audio' })).status, 204);
    const client = open(uploadUrl, { 'content-length': '5' });
    client.write('au');
    const own = () => reports.filter((report) => report.uploadId === uploadId);
    await until(() => own().length === 3, 'the second one is reported');
    client.destroy();
    await until(() => own().length === 4, 'its end is reported');
    assert.deepEqual(
      own().map(({ state, receivedBytes, announcedBytes, accountId }) => [
        state,
        receivedBytes,
        announcedBytes,
        accountId,
      ]),
      [
        [UploadState.RECEIVING, 0n, 5n, ACCOUNT_ID],
        [UploadState.STORED, 5n, 5n, ACCOUNT_ID],
        [UploadState.RECEIVING, 0n, 5n, ACCOUNT_ID],
        [UploadState.BROKEN_OFF, 2n, 5n, ACCOUNT_ID],
      ],
    );
  });

  test('a file is accepted even if it cannot be reported', async () => {
    const { reserveUpload } = services.jobs;
    await using alone = await startTestGateway({ services: { jobs: { reserveUpload } } });
    const { uploadUrl } = await createAt(alone);
    assert.equal((await fetch(uploadUrl, { method: 'PUT', body: 'audio' })).status, 204);
  });

  // Covers B-8.7
  test('an upload beyond the memory of a gateway waits unread, and continues when memory is free', async () => {
    const begun: string[] = [];
    const hold = Promise.withResolvers<void>();
    const store: ObjectStore = {
      ...gateway.store,
      putMemoryBytes: () => 40,
      async put(key, body, options) {
        begun.push(key);
        if (begun.length <= 2) await hold.promise;
        return gateway.store.put(key, body, options);
      },
    };
    const bounds = { UPLOAD_BUFFER_BYTES: 100 };
    await using full = await startTestGateway({ services, bounds, dependencies: { store } });
    const links = await Promise.all([1, 2, 3].map(() => createAt(full)));
    const sent = links.map(({ uploadUrl }) => fetch(uploadUrl, { method: 'PUT', body: 'audio' }));
    await until(() => begun.length === 2, 'two are read');
    hold.resolve();
    for (const response of sent) assert.equal((await response).status, 204);
    assert.equal(begun.length, 3);
  });

  test('a rejected link counts against its address', async () => {
    await using other = await startTestGateway({ services, bounds: { ADDRESS_REQUESTS_PER_MINUTE: 2 } });
    const { uploadUrl } = await createAt(other);
    const send = (url: string) => fetch(url, { method: 'PUT', body: 'audio' });
    const forged = `${uploadUrl}0`;
    for (let call = 0; call < 2; call++) await expectError(await send(forged), 'INVALID_SIGNATURE');
    await expectError(await send(forged), 'RATE_LIMITED');
    assert.equal((await send(uploadUrl)).status, 204);
  });
});
