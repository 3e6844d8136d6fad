/** Mails about refunds, of which billing publishes each change once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@audiosplit/chassis/ids';
import { startAccountFixture } from '../account.fixture.ts';
import { headerOf } from './received-mail.fixture.ts';

test('a refund and a failed refund are mailed to the holder with amount, invoice and reason', async () => {
  await using fixture = await startAccountFixture();
  const accountId = newId('acc');
  const email = `${accountId}@example.com`;
  await fixture.tell(accountId, { case: 'accountRegistered', value: { email, name: 'Ada' } });
  const refund = {
    invoiceNumber: 'INV-202603-000042',
    amountCents: 1_234n,
    currency: 'usd',
    reason: 'Two hours of jobs failed.',
  };
  for (const status of ['succeeded', 'failed']) {
    for (const _ of ['once', 'again']) {
      await fixture.tell(
        accountId,
        { case: 'refundChanged', value: { ...refund, status } },
        { id: `evt_${status}` },
      );
    }
  }
  const mails = await fixture.mailTo(email, 2);
  assert.deepEqual(mails.map((mail) => headerOf(mail, 'subject')).sort(), [
    'The refund of $12.34 of audiosplit has failed',
    'audiosplit refunds you $12.34',
  ]);
  const texts = mails.map(({ text }) => text).join(' ');
  assert.match(texts, /\$12\.34 of invoice INV-202603-000042 to the card that has paid it/);
  assert.match(texts, /The reason: Two hours of jobs failed\./);
});
