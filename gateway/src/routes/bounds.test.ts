/** Numeric bounds of fields: the last accepted and the first rejected value. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { expectError } from '../testing/expect-error.ts';
import { startTestGateway } from '../testing/test-gateway.ts';
import { account, card, session, startedExport } from './account-holder.fixture.ts';
import { queued } from './split-jobs.fixture.ts';

const KEY = { id: 'key_1', name: 'ci', keyPreview: 'ask_live_a1b2…wxyz', scopes: ['splits:read'] };
const url = (length: number) => `https://example.com/${'a'.repeat(length - 20)}`;
const names = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [n, n]));
const text = (length: number) => 'x'.repeat(length);

describe('limits of fields', () => {
  let apiKey: string;
  const gateway = forSuite(() =>
    startTestGateway({
      services: {
        auth: {
          register: () => ({ session }),
          createApiKey: () => ({
            apiKey: { ...KEY, createdAt: account.createdAt },
            secret: 'ask_live_secret',
          }),
          rotateApiKey: () => ({ apiKey: { ...KEY, createdAt: account.createdAt }, secret: 'ask_live_new' }),
          listApiKeys: () => ({ apiKeys: [], total: 0n }),
        },
        account: {
          createExport: () => ({ export: startedExport }),
          listExports: () => ({ exports: [], total: 0n }),
        },
        billing: {
          setPaymentMethod: () => ({ paymentMethod: card }),
          listInvoices: () => ({ invoices: [], total: 0n }),
        },
        jobs: {
          createJob: () => ({ job: queued }),
          listJobs: () => ({ jobs: [], total: 0n }),
        },
        webhooks: {
          checkTarget: () => ({}),
          listDeliveries: () => ({ deliveries: [], total: 0n }),
        },
      },
    }),
  );
  before(() => {
    apiKey = gateway.newKey().secret;
  });

  const split = { sourceUrl: 'https://example.com/a.mp3', splitMode: 'duration', segmentDuration: 30 };
  const bySize = { sourceUrl: 'https://example.com/a.mp3', splitMode: 'fileSize' };
  const login = { email: 'a@example.com', password: text(20) };
  for (const [route, field, good, bad] of [
    ['POST /splits', 'segmentDuration', { ...split, segmentDuration: 1 }, { ...split, segmentDuration: 0 }],
    [
      'POST /splits',
      'segmentDuration',
      { ...split, segmentDuration: 86_400 },
      { ...split, segmentDuration: 86_401 },
    ],
    ['POST /splits', 'maxFileSize', { ...bySize, maxFileSize: 65_536 }, { ...bySize, maxFileSize: 65_535 }],
    [
      'POST /splits',
      'maxFileSize',
      { ...bySize, maxFileSize: 2 ** 31 },
      { ...bySize, maxFileSize: 2 ** 31 + 1 },
    ],
    ['POST /splits', 'sourceUrl', { ...split, sourceUrl: url(2_048) }, { ...split, sourceUrl: url(2_049) }],
    [
      'POST /splits',
      'webhookUrl',
      { ...split, webhookUrl: url(2_048) },
      { ...split, webhookUrl: url(2_049) },
    ],
    ['POST /splits', 'metadata', { ...split, metadata: names(50) }, { ...split, metadata: names(51) }],
    [
      'POST /splits',
      'metadata',
      { ...split, metadata: { a: text(8_184) } },
      { ...split, metadata: { a: text(8_185) } },
    ],
    ['POST /account/export', 'webhookUrl', { webhookUrl: url(2_048) }, { webhookUrl: url(2_049) }],
    ['POST /api-keys', 'name', { name: 'x' }, { name: '' }],
    ['POST /api-keys', 'name', { name: text(255) }, { name: text(256) }],
    ['POST /api-keys/key_1/rotate', 'graceSeconds', { graceSeconds: 0 }, { graceSeconds: -1 }],
    ['POST /auth/register', 'password', { ...login, password: text(12) }, { ...login, password: text(11) }],
    ['POST /auth/register', 'password', { ...login, password: text(128) }, { ...login, password: text(129) }],
  ] as const) {
    // Covers D-1.3 D-1.27 D-2.31 D-2.32 D-2.33 D-2.36 D-2.37
    test(`${route}: ${field}`, async () => {
      const [method = '', path = ''] = route.split(' ');
      const send = (json: unknown) =>
        gateway.call(`/api/v1${path}`, { method, json, ...(path === '/splits' ? { apiKey } : {}) });
      const taken = await send(good);
      assert.ok(taken.ok, await taken.text());
      await expectError(await send(bad), 'INVALID_PARAMS', { field });
    });
  }

  for (const path of [
    '/splits',
    '/api-keys',
    '/account/exports',
    '/billing/invoices',
    '/webhooks/deliveries',
  ]) {
    // Covers I-4.4.2 I-4.12.1 I-8.16 D-7.2
    test(`GET ${path}: page and limit`, async () => {
      const credential = path === '/splits' ? { apiKey } : {};
      const list = (query: string) => gateway.call(`/api/v1${path}?${query}`, credential);
      for (const query of ['page=1', 'limit=1', 'limit=100'])
        assert.equal((await list(query)).status, 200, query);
      for (const field of ['page=0', 'limit=0', 'limit=101']) {
        await expectError(await list(field), 'INVALID_PARAMS', { field: field.split('=')[0] ?? '' });
      }
    });
  }

  // Covers D-7.5
  test('a body of 256 KiB is read, one byte more is not', async () => {
    const body = (bytes: number) => `{"token":"${text(bytes - 12)}"}`;
    const send = (bytes: number) =>
      gateway.call('/api/v1/billing/payment-method', {
        method: 'PUT',
        body: body(bytes),
        headers: { 'content-type': 'application/json' },
      });
    assert.equal(Buffer.byteLength(body(262_144)), 262_144);
    await expectError(await send(262_144), 'INVALID_PARAMS', { field: 'token' });
    await expectError(await send(262_145), 'PAYLOAD_TOO_LARGE');
  });
});
