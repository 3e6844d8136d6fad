import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { eventMessage } from '@audiosplit/chassis/event-bus/event-message';
import { newId } from '@audiosplit/chassis/ids';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { startAccountFixture } from '../account.fixture.ts';

const MINUTE_MS = 60_000;
const requested = { case: 'signInLinkRequested', value: {} } as const;

describe('mail requested by auth', () => {
  let calls: string[];
  const fixture = forSuite(startAccountFixture);
  before(() => {
    calls = [];
    fixture.others.onCall = (method, accountId) => void calls.push(`${method} ${accountId}`);
  });

  let holders = 0;
  const newHolder = (email = `holder-${++holders}@example.com`) => {
    const id = newId('acc');
    fixture.others.identities.set(id, {
      id,
      email,
      name: 'Ada',
      createdAt: timestampFromDate(fixture.now()),
    });
    return { id, email };
  };
  it('a sign-in link is mailed once; it leads to the console, with the token in the fragment', async () => {
    const { id, email } = newHolder();
    for (let times = 0; times < 2; times++) await fixture.tell(id, requested, { id: 'evt_link' });
    const [mail] = await fixture.mailTo(email, 1);
    assert.deepEqual(mail?.text.match(/https?:\S+/g), [
      'https://audiosplit.example/sign-in/link#asl_the-token',
    ]);
    assert.match(mail?.text ?? '', /14 March 2026, 10:26 UTC/);
    // Events of an account are handled in order.
    await fixture.tell(id, requested, { id: 'evt_next' });
    assert.equal((await fixture.mailTo(email, 2)).length, 2, 'an event that comes twice makes one mail');
  });

  for (const [kind, path] of [
    ['reset-password', '/password/reset#the-token-to-reset-password'],
    ['verify-email', '/verify#the-token-to-verify-email'],
    ['email-taken', '/sign-in'],
    ['email-change', '/password/forgot'],
    ['password-changed', '/password/forgot'],
    ['second-factor-on', '/account/security'],
    ['second-factor-off', '/account/security'],
    ['second-factor-lost', '/password/forgot'],
  ] as const) {
    it(`${kind} has one link, in text and in HTML, and is sent to the address of its event`, async () => {
      const { id } = newHolder();
      const email = `${kind}@elsewhere.example`;
      for (let times = 0; times < 2; times++) {
        await fixture.tell(id, { case: 'mailRequested', value: { kind, email } }, { id: `evt_${kind}` });
      }
      await fixture.tell(id, { case: 'mailRequested', value: { kind: 'of a newer release', email } });
      const link = `https://audiosplit.example${path}`;
      const [mail] = await fixture.mailTo(email, 1);
      assert.deepEqual(mail?.text.match(/https?:\S+/g), [link]);
      assert.deepEqual(mail?.html.match(/https?:[^"<\s]+/g), [link]);
      assert.doesNotMatch(mail?.html ?? '', /<img|src=|@import|url\(/, 'opening it loads nothing');
      await fixture.tell(id, { case: 'mailRequested', value: { kind: 'email-taken', email } });
      assert.equal((await fixture.mailTo(email, 2)).length, 2, 'an event that comes twice makes one mail');
    });
  }

  it('no link is mailed if auth no longer knows the address', async () => {
    const id = newId('acc');
    const email = 'gone@example.com';
    await fixture.tell(id, { case: 'mailRequested', value: { kind: 'verify-email', email } });
    await fixture.tell(id, { case: 'mailRequested', value: { kind: 'email-taken', email } });
    const [mail] = await fixture.mailTo(email, 1);
    assert.match(mail?.text ?? '', /has another account/);
    assert.ok(calls.includes(`createMailedLink verify-email ${email} ${id}`));
  });

  it('no link is mailed if the request is 30 minutes old', async () => {
    const { id, email } = newHolder();
    const before = new Date(fixture.now().getTime() - 30 * MINUTE_MS);
    await fixture.context.bus.publish([{ ...eventMessage(id, before, requested), headers: {} }]);
    await fixture.tell(id, requested);
    assert.equal((await fixture.mailTo(email, 1)).length, 1);
  });

  it('no link is requested if the account is gone', async () => {
    const id = newId('acc');
    await fixture.tell(id, requested);
    await fixture.tell(id, { case: 'accountRegistered', value: { email: 'late@example.com', name: '' } });
    await until(async () => {
      const { rowCount } = await fixture.sql.query('select from accounts where id = $1', [id]);
      return rowCount === 1;
    }, 'the later event is handled');
    assert.equal(calls.includes(`createSignInLink ${id}`), false);
  });
});
