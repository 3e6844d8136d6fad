import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '@audiosplit/chassis/ids';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { PASSWORD, startAuthFixture } from '../auth.fixture.ts';
import { mailsFor, newAddress, registerAccount } from './accounts-by-mail.fixture.ts';
import { LINK_LIFETIME_MS } from './mailed-links.ts';

const MINUTE_MS = 60_000;

describe('the address of an account', () => {
  const fixture = forSuite(startAuthFixture);

  const securityOf = async (accountId: string) => {
    const {
      $typeName: _,
      $unknown: __,
      ...security
    } = await fixture.auth.getSecurity({}, fixture.actingFor(accountId));
    return security;
  };
  const tokenFor = async (accountId: string, email: string) =>
    (await fixture.auth.createMailedLink({ accountId, purpose: 'verify-email', email })).token;
  const verify = (token: string) => fixture.auth.verifyEmail({ token });
  const change = (accountId: string, email: string, current = PASSWORD) =>
    fixture.auth.changeEmail({ email, current, clientIp: '192.0.2.1' }, fixture.actingFor(accountId));
  const mustVerify = async (accountId: string) =>
    (await fixture.auth.getAccountLimits({ accountId })).mustVerifyEmail;

  it('is verified by a link mailed at registration; until then jobs are rejected', async () => {
    const { accountId, email } = await registerAccount(fixture);
    assert.deepEqual(await mailsFor(fixture, accountId, 1), [['verify-email', email]]);
    const { secret } = await fixture.auth.createApiKey({ name: 'a key' }, fixture.actingFor(accountId));
    const secretSha256 = new Uint8Array(await crypto.subtle.digest('SHA-256', Buffer.from(secret)));
    const ofKey = async () => (await fixture.auth.verifyApiKey({ secretSha256 })).mustVerifyEmail;
    assert.deepEqual([await mustVerify(accountId), await ofKey()], [true, true]);
    assert.deepEqual(await securityOf(accountId), { email, emailVerified: false, mustVerifyEmail: true });

    assert.equal((await verify(await tokenFor(accountId, email))).accountId, accountId);
    assert.deepEqual([await mustVerify(accountId), await ofKey()], [false, false]);
    assert.deepEqual(await securityOf(accountId), { email, emailVerified: true, mustVerifyEmail: false });
  });

  it('UNAUTHORIZED: a link that was used, is 30 minutes old or wrong', async () => {
    const { accountId, email } = await registerAccount(fixture);
    const [first, second] = [await tokenFor(accountId, email), await tokenFor(accountId, email)];
    await verify(first);
    for (const token of [first, second, '', 'aev_wrong']) await refusal(verify(token), 'UNAUTHORIZED');
    const late = await registerAccount(fixture);
    const token = await tokenFor(late.accountId, late.email);
    fixture.advance(LINK_LIFETIME_MS);
    await refusal(verify(token), 'UNAUTHORIZED');
  });

  it('can be mailed again on request, once in five minutes, until the address is verified', async () => {
    const { accountId, email } = await registerAccount(fixture);
    const again = () => fixture.auth.requestVerification({}, fixture.actingFor(accountId));
    await again();
    fixture.advance(5 * MINUTE_MS);
    await again();
    await again();
    const mail = ['verify-email', email];
    assert.deepEqual(await mailsFor(fixture, accountId, 2), [mail, mail]);
    await verify(await tokenFor(accountId, email));
    fixture.advance(5 * MINUTE_MS);
    await again();
    await change(accountId, newAddress());
    assert.equal((await mailsFor(fixture, accountId, 3))[2]?.[0], 'email-change');
  });

  it('changes once a link sent to the new address is used, with a notice to the old one', async () => {
    const { accountId, email } = await registerAccount(fixture);
    const first = await tokenFor(accountId, email);
    const next = newAddress();
    await change(accountId, next);
    assert.deepEqual((await mailsFor(fixture, accountId, 3)).slice(1), [
      ['email-change', email],
      ['verify-email', next],
    ]);
    assert.deepEqual(await securityOf(accountId), {
      email,
      emailVerified: false,
      pendingEmail: next,
      mustVerifyEmail: true,
    });
    await refusal(verify(first), 'UNAUTHORIZED');
    await verify(await tokenFor(accountId, next));
    assert.deepEqual(await securityOf(accountId), {
      email: next,
      emailVerified: true,
      mustVerifyEmail: false,
    });
    const [event] = await fixture.published('accountProfileChanged', accountId, 1);
    assert(event?.payload.case === 'accountProfileChanged');
    assert.equal(event.payload.value.email, next);
    const login = (address: string) => fixture.auth.login({ email: address, password: PASSWORD });
    await refusal(login(email), 'UNAUTHORIZED');
    assert((await login(next)).session);
    await registerAccount(fixture, email);
  });

  it('gives the same response for an address of another account, whose holder receives a mail', async () => {
    const taken = await registerAccount(fixture);
    const { accountId, email } = await registerAccount(fixture);
    fixture.advance(5 * MINUTE_MS);
    assert.deepEqual(await change(accountId, taken.email), await change(accountId, newAddress()));
    await change(accountId, taken.email);
    assert.equal((await securityOf(accountId)).pendingEmail, taken.email);
    const mails = await mailsFor(fixture, accountId, 5);
    assert.deepEqual(mails.slice(1, 3), [
      ['email-change', email],
      ['email-taken', taken.email],
    ]);
    await refusal(verify(await tokenFor(accountId, taken.email)), 'EMAIL_TAKEN');
    assert.equal((await securityOf(accountId)).email, email);
  });

  it('EMAIL_TAKEN: one of two accounts that verify the same address concurrently', async () => {
    const address = newAddress();
    const [one, two] = [await registerAccount(fixture), await registerAccount(fixture)];
    const tokens = [];
    for (const { accountId } of [one, two]) {
      await change(accountId, address);
      tokens.push(await tokenFor(accountId, address));
    }
    const outcomes = await Promise.allSettled(tokens.map(verify));
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  });

  it('INVALID_PARAMS: a wrong password, the current address, no address', async () => {
    const { accountId, email } = await registerAccount(fixture);
    await refusal(change(accountId, newAddress(), 'a wrong password'), 'INVALID_PARAMS');
    await refusal(change(accountId, email.toUpperCase()), 'INVALID_PARAMS');
    await refusal(change(accountId, 'no address'), 'INVALID_PARAMS');
  });

  it('RATE_LIMITED: a sixth change within an hour', async () => {
    const { accountId } = await registerAccount(fixture);
    for (let n = 0; n < 5; n++) await change(accountId, newAddress());
    await refusal(change(accountId, newAddress()), 'RATE_LIMITED');
    fixture.advance(60 * MINUTE_MS);
    await change(accountId, newAddress());
  });

  it('is restored by a password reset', async () => {
    const { accountId, email } = await registerAccount(fixture);
    const next = newAddress();
    await change(accountId, next);
    const verifying = await tokenFor(accountId, next);
    const about = { accountId, purpose: 'reset-password', email };
    const { token } = await fixture.auth.createMailedLink(about);
    await fixture.auth.resetPassword({ token, password: 'another password of mine' });
    await refusal(verify(verifying), 'UNAUTHORIZED');
    assert.equal((await securityOf(accountId)).pendingEmail, undefined);
  });

  it('NOT_FOUND: a link for a deleted account, for another address, for no purpose', async () => {
    const { accountId, email } = await registerAccount(fixture);
    for (const [id, purpose, address] of [
      [newId('acc'), 'verify-email', email],
      [accountId, 'verify-email', 'another@example.com'],
      [accountId, 'reset-password', 'another@example.com'],
      [accountId, 'sign-in', email],
    ] as const) {
      const asked = fixture.auth.createMailedLink({ accountId: id, purpose, email: address });
      await refusal(asked, 'NOT_FOUND');
    }
  });

  it('counts as verified for accounts of an external issuer', async () => {
    const claims = { issuer: 'https://issuer.example', subject: 'ada', email: 'ada@elsewhere.example' };
    const { accountId } = await fixture.auth.admitSubject(claims);
    assert.equal(await mustVerify(accountId), false);
    await refusal(fixture.auth.getSecurity({}, fixture.actingFor(accountId)), 'NOT_FOUND');
  });
});
