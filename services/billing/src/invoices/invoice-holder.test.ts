import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@audiosplit/chassis/ids';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { until } from '@audiosplit/chassis/testing/until';
import { openHolder } from '../account-holder.fixture.ts';
import { startBillingFixture } from '../billing.fixture.ts';
import { BILLING_SCHEMA } from '../schema.ts';
import { readAccount } from '../store/accounts.ts';

test('an invoice keeps the company and tax id that were valid when it was issued', async () => {
  await using fixture = await startBillingFixture();
  const ada = openHolder(fixture);
  const billTo = (profile: { companyName?: string; taxId?: string }) =>
    fixture.billing.setBillingProfile({ profile }, ada.options());
  const billedTo = async () => (await ada.invoices()).map(({ companyName, taxId }) => [companyName, taxId]);
  await ada.setCard('tok_visa');
  await billTo({ companyName: '  Löwe GmbH ', taxId: 'DE123456789' });
  await ada.subscribe('plan_starter');
  await billTo({ companyName: 'Löwe AG', taxId: ' ' });
  assert.deepEqual(await billedTo(), [['Löwe GmbH', 'DE123456789']]);
  const { profile } = await ada.info();
  assert.deepEqual([profile?.companyName, profile?.taxId], ['Löwe AG', undefined]);
  await ada.moveTo('2026-04-14T10:00:00Z');
  assert.deepEqual(await billedTo(), [
    ['Löwe AG', undefined],
    ['Löwe GmbH', 'DE123456789'],
  ]);
  await billTo({});
  assert.deepEqual((await billedTo())[0], ['Löwe AG', undefined]);
  await refusal(billTo({ taxId: 'x'.repeat(65) }), 'INVALID_PARAMS');
});

test("invoices name the account's current holder", async () => {
  await using fixture = await startBillingFixture();
  await using stack = new AsyncDisposableStack();
  const pool = stack.adopt(fixture.context.openPool(BILLING_SCHEMA, 1), (opened) => opened.end());
  const accountId = newId('acc');
  const isNow = async (email: string | undefined, name: string) => {
    await until(async () => (await readAccount(pool, accountId)).holder?.name === name, `${name} is known`);
    assert.deepEqual((await readAccount(pool, accountId)).holder, { email, name });
  };
  const profile = { email: 'ada@example.com', name: 'Ada' };
  await fixture.tell(accountId, { case: 'accountRegistered', value: profile });
  await isNow('ada@example.com', 'Ada');
  // An external issuer may give no address.
  await fixture.tell(accountId, { case: 'accountProfileChanged', value: { email: '', name: 'Ada Löwe' } });
  await isNow('', 'Ada Löwe');
});
