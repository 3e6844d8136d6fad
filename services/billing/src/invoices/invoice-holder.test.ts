import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@audiosplit/chassis/ids';
import { until } from '@audiosplit/chassis/testing/until';
import { startBillingFixture } from '../billing.fixture.ts';
import { BILLING_SCHEMA } from '../schema.ts';
import { readAccount } from '../store/accounts.ts';

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
