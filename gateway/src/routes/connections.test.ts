import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NotFoundError } from '@audiosplit/chassis/errors';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { BucketAction } from '@audiosplit/proto/jobs/v1/bucket';
import type { CreateConnectionRequest } from '@audiosplit/proto/jobs/v1/connections';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { expectError } from '../testing/expect-error.ts';
import { readJson } from '../testing/read-json.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

const AT = new Date('2027-03-14T09:30:00.000Z');
const body = {
  name: 'archive',
  type: 's3',
  endpoint: 'https://s3.example.org',
  region: 'eu-central-1',
  bucket: 'podcast-audio',
  prefix: 'incoming/',
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};

describe('connections', () => {
  let created: CreateConnectionRequest | undefined;
  let checks: { action: BucketAction; fault?: string }[] = [];
  const connection = () => {
    const { name = '', bucket } = created ?? {};
    const { secretAccessKey: _, $typeName: __, ...shown } = bucket ?? assert.fail();
    return { id: 'con_1', name, ...shown, createdAt: timestampFromDate(AT) };
  };
  const gateway = forSuite(() =>
    startTestGateway({
      services: {
        connections: {
          createConnection(request) {
            created = request;
            return { connection: connection() };
          },
          listConnections: () => ({ connections: [connection()] }),
          deleteConnection({ connectionId }) {
            if (connectionId !== 'con_1') throw new NotFoundError(`Connection ${connectionId}`);
            return {};
          },
          testConnection: () => ({ checks }),
        },
      },
    }),
  );

  const create = (json: object, apiKey?: string) =>
    gateway.call('/api/v1/connections', {
      method: 'POST',
      json,
      ...(apiKey === undefined ? {} : { apiKey }),
    });

  test('201: a bucket is connected; no response contains its secret', async () => {
    const response = await create(body);
    assert.equal(response.status, 201);
    const { secretAccessKey, ...shown } = body;
    const connection = { id: 'con_1', ...shown, createdAt: AT.toISOString() };
    assert.deepEqual(await readJson(response), connection);
    assert.equal(created?.bucket?.secretAccessKey, secretAccessKey);
    const list = await gateway.call('/api/v1/connections');
    assert.deepEqual(await readJson(list), { data: [connection] });
  });

  test('201: endpoint and prefix may be omitted', async () => {
    const { endpoint: _, prefix: __, ...rest } = body;
    const { secretAccessKey: ___, ...shown } = rest;
    const connection = { id: 'con_1', ...shown, createdAt: AT.toISOString() };
    assert.deepEqual(await readJson(await create(rest)), connection);
  });

  test('a key with connections:manage manages them, one without it cannot', async () => {
    assert.equal((await create(body, gateway.newKey(['connections:manage']).secret)).status, 201);
    await expectError(await create(body, gateway.newKey().secret), 'INSUFFICIENT_SCOPE');
  });

  for (const [field, value] of [
    ['name', 'Archive'],
    ['name', ''],
    ['name', 'a'.repeat(64)],
    ['name', 'con_1'],
    ['type', 'gcs'],
    ['endpoint', 's3.example.org'],
    ['endpoint', 'https://ada:secret@s3.example.org'],
    ['region', 'EU'],
    ['bucket', 'a'],
    ['bucket', '../other'],
    ['prefix', 'a\u0000b'],
    ['accessKeyId', 'a key'],
    ['secretAccessKey', 'short'],
    ['secretAccessKey', undefined],
    ['region', undefined],
    ['sessionToken', 'x'],
  ] as const) {
    test(`400 INVALID_PARAMS: ${field} of ${JSON.stringify(value)}`, async () => {
      const response = await create({ ...body, [field]: value });
      const text = await response.clone().text();
      assert.doesNotMatch(text, /wJalrXUtnFEMI|ada:secret/);
      await expectError(response, 'INVALID_PARAMS', { field });
    });
  }

  test('a test reports for each action whether it works', async () => {
    const path = '/api/v1/connections/con_1/test';
    const ask = async () => readJson(await gateway.call(path, { method: 'POST', json: {} }));
    const fault = 'The store answered 403 AccessDenied Access Denied.';
    checks = [{ action: BucketAction.LIST }, { action: BucketAction.WRITE, fault }];
    assert.deepEqual(await ask(), {
      ok: false,
      checks: [
        { action: 'list', ok: true },
        { action: 'write', ok: false, message: fault },
      ],
    });
    checks = [{ action: BucketAction.LIST }];
    assert.deepEqual(await ask(), { ok: true, checks: [{ action: 'list', ok: true }] });
  });

  test('204 for a deletion, 404 NOT_FOUND if there is none', async () => {
    const remove = (id: string) => gateway.call(`/api/v1/connections/${id}`, { method: 'DELETE' });
    assert.equal((await remove('con_1')).status, 204);
    await expectError(await remove('con_2'), 'NOT_FOUND');
  });
});
