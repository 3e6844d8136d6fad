import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { ServiceError } from '@audiosplit/chassis/errors';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import type {
  CreateApiKeyRequest,
  RotateApiKeyRequest,
  UpdateApiKeyRequest,
} from '@audiosplit/proto/auth/v1/auth';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { expectError } from '../testing/expect-error.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

const AT = '2026-03-01T12:00:00.000Z';
const at = timestampFromDate(new Date(AT));
const apiKey = {
  id: 'key_1',
  name: 'ci',
  keyPreview: 'ask_live_a1b2…wxyz',
  scopes: ['splits:read'],
  createdAt: at,
};
const shown = { id: 'key_1', name: 'ci', scopes: ['splits:read'], createdAt: AT, expiresAt: null };
const preview = { ...shown, keyPreview: apiKey.keyPreview, lastUsedAt: null, updatedAt: AT };

describe('API key routes', () => {
  let refusal: Reason | undefined;
  let created: CreateApiKeyRequest | undefined;
  let updated: UpdateApiKeyRequest | undefined;
  let rotated: RotateApiKeyRequest | undefined;
  const orRefuse = <T>(answer: T): T => {
    if (refusal !== undefined) throw new ServiceError(refusal, 'Refused.');
    return answer;
  };
  const gateway = forSuite(() =>
    startTestGateway({
      services: {
        auth: {
          createApiKey(request) {
            created = request;
            return orRefuse({ apiKey, secret: 'ask_live_secret' });
          },
          updateApiKey(request) {
            updated = request;
            return orRefuse({ apiKey: { ...apiKey, lastUsedAt: at, expiresAt: at, updatedAt: at } });
          },
          getApiKey: () => orRefuse({ apiKey }),
          listApiKeys: () => ({ apiKeys: [apiKey], total: 1n }),
          revokeApiKey: () => orRefuse({}),
          rotateApiKey(request) {
            rotated = request;
            return orRefuse({ apiKey, secret: 'ask_live_new' });
          },
        },
      },
    }),
  );
  beforeEach(() => {
    refusal = undefined;
    created = updated = rotated = undefined;
  });
  const send = (method: string, path: string, json?: unknown) =>
    gateway.call(`/api/v1/api-keys${path}`, { method, json });

  // Covers I-4.1.4 I-2.1.3
  test('201: the secret is in the response', async () => {
    const response = await send('POST', '', { name: 'ci' });
    assert.equal(response.status, 201);
    assert.deepEqual(await response.json(), { ...shown, key: 'ask_live_secret' });
    assert.deepEqual([created?.scopes, created?.expiresAt], [[], undefined]);
  });

  // Covers I-4.1.2 I-4.1.3 D-9.19
  test('201: scopes and expiry are passed to the service; null means none', async () => {
    const body = { name: 'ci', scopes: ['splits:read'], expiresAt: '2030-01-01T01:00:00+01:00' };
    assert.equal((await send('POST', '', body)).status, 201);
    assert.ok(created?.expiresAt !== undefined);
    assert.equal(timestampDate(created.expiresAt).toISOString(), '2030-01-01T00:00:00.000Z');
    assert.equal((await send('POST', '', { name: 'ci', expiresAt: null })).status, 201);
    assert.equal(created.expiresAt, undefined);
  });

  for (const [what, field, body] of [
    ['no name', 'name', {}],
    ['an empty name', 'name', { name: '' }],
    ['a name of 256 characters', 'name', { name: 'x'.repeat(256) }],
    ['a name with a control character', 'name', { name: 'a\u0000b' }],
    ['no scope', 'scopes', { name: 'ci', scopes: [] }],
    ['an unknown scope', 'scopes.1', { name: 'ci', scopes: ['splits:read', 'admin'] }],
    ['a scope twice', 'scopes', { name: 'ci', scopes: ['splits:read', 'splits:read'] }],
    ['an expiry that is not a time', 'expiresAt', { name: 'ci', expiresAt: 'tomorrow' }],
    ['an expiry without offset', 'expiresAt', { name: 'ci', expiresAt: '2030-01-01T00:00:00' }],
    ['an unknown field', 'owner', { name: 'ci', owner: 'me' }],
  ] as const) {
    // Covers I-4.1.1 I-4.1.2 I-4.1.3 D-1.27 D-9.20
    test(`400 INVALID_PARAMS: ${what}`, async () => {
      await expectError(await send('POST', '', body), 'INVALID_PARAMS', { field });
      assert.equal(created, undefined);
    });
  }

  // Covers D-1.26
  test('409 KEY_LIMIT_REACHED', async () => {
    refusal = Reason.KEY_LIMIT_REACHED;
    await expectError(await send('POST', '', { name: 'ci' }), 'KEY_LIMIT_REACHED');
  });

  // Covers I-4.2.3
  test('200: update shows a preview', async () => {
    const response = await send('PATCH', '/key_1', { name: 'new' });
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), { ...preview, lastUsedAt: AT, expiresAt: AT });
  });

  // Covers I-4.2.1 I-4.2.2
  test('200: only the given fields change', async () => {
    await send('PATCH', '/key_1', {});
    assert.deepEqual(
      [updated?.name, updated?.scopes, updated?.expiry.case],
      [undefined, undefined, undefined],
    );
    await send('PATCH', '/key_1', { scopes: ['keys:manage'], expiresAt: null });
    assert.deepEqual([updated?.scopes?.scopes, updated?.expiry.case], [['keys:manage'], 'removeExpiry']);
    await send('PATCH', '/key_1', { expiresAt: AT });
    assert.equal(updated?.expiry.case, 'expiresAt');
  });

  // Covers D-1.23 D-9.18 I-2.1.4
  test('200: list and read show previews', async () => {
    const list = await send('GET', '?limit=1');
    assert.equal(list.status, 200);
    const pagination = { page: 1, limit: 1, total: 1, totalPages: 1 };
    assert.deepEqual(await list.json(), { data: [preview], pagination });
    const one = await send('GET', '/key_1');
    assert.equal(one.status, 200);
    assert.deepEqual(await one.json(), preview);
  });

  // Covers D-1.21
  test('200 also for a key that may manage keys', async () => {
    const { secret } = gateway.newKey(['keys:manage']);
    assert.equal((await gateway.call('/api/v1/api-keys', { apiKey: secret })).status, 200);
  });

  // Covers D-1.24
  test('204: revoke', async () => {
    assert.equal((await send('DELETE', '/key_1')).status, 204);
  });

  // Covers D-1.25 D-9.33
  test('201: rotate, at once or with a grace period', async () => {
    const response = await send('POST', '/key_1/rotate');
    assert.equal(response.status, 201);
    assert.deepEqual(await response.json(), { ...shown, key: 'ask_live_new' });
    assert.equal(rotated?.graceSeconds, 0);
    await send('POST', '/key_1/rotate', { graceSeconds: 3600 });
    assert.equal(rotated?.graceSeconds, 3600);
    for (const graceSeconds of [-1, 604_801, 0.5, '60']) {
      await expectError(await send('POST', '/key_1/rotate', { graceSeconds }), 'INVALID_PARAMS', {
        field: 'graceSeconds',
      });
    }
  });

  for (const [method, path] of [
    ['PATCH', '/key_2'],
    ['GET', '/key_2'],
    ['DELETE', '/key_2'],
    ['POST', '/key_2/rotate'],
  ] as const) {
    // Covers I-4.2.4 I-7.6
    test(`404 NOT_FOUND: ${method} ${path}`, async () => {
      refusal = Reason.NOT_FOUND;
      await expectError(await send(method, path, method === 'PATCH' ? {} : undefined), 'NOT_FOUND');
    });
  }

  for (const expiresAt of ['2030-06-30T23:59:60Z', '2030-01-01T00:00:00+01:00[Europe/Paris]']) {
    // Covers I-4.1.3
    test(`400 INVALID_PARAMS for expiresAt ${expiresAt}`, async () => {
      const json = { name: 'ci', expiresAt };
      const response = await gateway.call('/api/v1/api-keys', { method: 'POST', json });
      await expectError(response, 'INVALID_PARAMS', { field: 'expiresAt' });
    });
  }
});
