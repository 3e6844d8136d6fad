/** Mails about the suspension of an account, which an operator decides. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@audiosplit/chassis/ids';
import { startAccountFixture } from '../account.fixture.ts';
import { headerOf } from './received-mail.fixture.ts';

test('a suspension and its end are mailed to the holder, each once and with its reason', async () => {
  await using fixture = await startAccountFixture();
  const accountId = newId('acc');
  const email = `${accountId}@example.com`;
  await fixture.tell(accountId, { case: 'accountRegistered', value: { email, name: 'Ada' } });
  const suspended = { suspended: true, reason: 'The card was reported <stolen>.' };
  for (const _ of ['once', 'again']) {
    await fixture.tell(
      accountId,
      { case: 'accountSuspensionChanged', value: suspended },
      { id: 'evt_suspended' },
    );
  }
  const restored = { suspended: false, reason: 'The bank has cleared it.' };
  await fixture.tell(accountId, { case: 'accountSuspensionChanged', value: restored });
  const mails = await fixture.mailTo(email, 2);
  const [begin, end] = mails.toSorted((a, b) => a.text.length - b.text.length).toReversed();
  assert.ok(begin && end);
  assert.equal(headerOf(begin, 'subject'), 'Your audiosplit account is suspended');
  assert.match(begin.text, /The reason: The card was reported <stolen>\./);
  assert.match(begin.text, /export your data, pay invoices, cancel your subscription and delete the account/);
  assert.equal(headerOf(end, 'subject'), 'Your audiosplit account is no longer suspended');
  assert.match(end.text, /The reason: The bank has cleared it\./);
});
