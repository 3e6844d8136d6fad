/** The billing profile: account holders set it and find it on their invoices. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { startInstallation } from '../harness/installation/start-installation.ts';

describe('the billing profile', () => {
  const api = forSuite(() => startInstallation({ kind: 'scripted' }));
  const COMPANY = { companyName: 'Löwe & Töchter GmbH', taxId: 'DE123456789' };
  const NONE = { companyName: null, taxId: null };

  test('is empty at first, replaced as a whole, and named on later invoices', async () => {
    const holder = await api.register();
    assert.deepEqual((await holder.withToken('GET /billing/profile')).body, NONE);
    await holder.subscribe('plan_starter');
    const set = await holder.withToken('PUT /billing/profile', COMPANY);
    assert.deepEqual([set.status, set.body], [200, COMPANY]);
    await holder.withToken('POST /billing/change-plan', { planId: 'plan_pro' });
    await holder.withToken('PUT /billing/profile', NONE);
    assert.deepEqual((await holder.withToken('GET /billing/profile')).body, NONE);
    const { data } = (await holder.withToken('GET /billing/invoices')).body;
    assert.deepEqual(
      data.map(({ companyName, taxId }: typeof COMPANY) => ({ companyName, taxId })),
      [COMPANY, NONE],
    );
  });

  test('requires both fields, of one line each', async () => {
    const holder = await api.register();
    for (const [field, body] of [
      ['taxId', { companyName: 'A Ltd' }],
      ['companyName', { ...COMPANY, companyName: '' }],
      ['companyName', { ...COMPANY, companyName: 'two\nlines' }],
      ['taxId', { ...COMPANY, taxId: 'x'.repeat(65) }],
    ] as const) {
      const refused = await holder.withToken('PUT /billing/profile', body);
      assert.equal(refused.status, 400);
      assert.equal(refused.body.error.details[0].field, field);
    }
    for (const target of ['GET /billing/profile', 'PUT /billing/profile']) {
      assert.equal((await api.call(target, {})).status, 401);
    }
  });
});
