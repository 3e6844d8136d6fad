import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { PASSWORD, startAuthFixture } from '../auth.fixture.ts';
import { isTaken, mailsFor, NEW_PASSWORD, registerAccount } from './accounts-by-mail.fixture.ts';
import { LINK_LIFETIME_MS } from './mailed-links.ts';

const MINUTE_MS = 60_000;

describe('passwords', () => {
  const fixture = forSuite(startAuthFixture);

  const login = (email: string, password: string, clientIp = '192.0.2.1') =>
    fixture.auth.login({ email, password, clientIp });
  const forgot = (email: string) => fixture.auth.requestPasswordReset({ email });
  const linkFor = async ({ accountId, email }: { accountId: string; email: string }) => {
    const link = await fixture.auth.createMailedLink({ accountId, purpose: 'reset-password', email });
    return link.token;
  };
  const reset = (token: string, password = NEW_PASSWORD) =>
    fixture.auth.resetPassword({ token, password, clientIp: '192.0.2.1' });

  describe('that are forgotten', () => {
    it('cause one mail in five minutes, and the same response for an address without an account', async () => {
      const { accountId, email } = await registerAccount(fixture);
      await forgot(email.toUpperCase());
      await forgot(email);
      await forgot('no-account@example.com');
      await forgot('no address');
      assert.deepEqual(await mailsFor(fixture, accountId, 2), [
        ['verify-email', email],
        ['reset-password', email],
      ]);
      fixture.advance(5 * MINUTE_MS);
      await forgot(email);
      assert.deepEqual((await mailsFor(fixture, accountId, 3))[2], ['reset-password', email]);
    });

    it('are replaced by a link: sessions and access tokens end, API keys stay valid, the address is verified', async () => {
      const account = await registerAccount(fixture);
      const { accountId, email, refreshToken } = account;
      const asHolder = fixture.actingFor(accountId);
      const { secret } = await fixture.auth.createApiKey({ name: 'a key' }, asHolder);
      const unnamed = { accountId, sessionId: '' };
      assert.deepEqual([await isTaken(fixture, account), await isTaken(fixture, unnamed)], [true, true]);

      assert.equal((await reset(await linkFor(account))).accountId, accountId);
      assert.deepEqual([await isTaken(fixture, account), await isTaken(fixture, unnamed)], [false, false]);
      await refusal(fixture.auth.refreshSession({ refreshToken }), 'UNAUTHORIZED');
      await refusal(login(email, PASSWORD), 'UNAUTHORIZED');
      assert((await login(email, NEW_PASSWORD)).session);
      const secretSha256 = new Uint8Array(await crypto.subtle.digest('SHA-256', Buffer.from(secret)));
      assert.equal((await fixture.auth.verifyApiKey({ secretSha256 })).accountId, accountId);
      assert.equal((await fixture.auth.getSecurity({}, asHolder)).emailVerified, true);
      const mails = await mailsFor(fixture, accountId, 2);
      assert.deepEqual(mails[1], ['password-changed', email]);
    });

    it('UNAUTHORIZED: a link that was used, is 30 minutes old, wrong, or of another purpose', async () => {
      const account = await registerAccount(fixture);
      const used = await linkFor(account);
      const other = await linkFor(account);
      await reset(used);
      const { token: toSignIn } = await fixture.auth.createSignInLink({ accountId: account.accountId });
      const { email, accountId } = await registerAccount(fixture);
      const toVerify = { accountId, purpose: 'verify-email', email };
      const { token: verifying } = await fixture.auth.createMailedLink(toVerify);
      for (const token of [used, other, 'apr_wrong', '', toSignIn, verifying]) {
        await refusal(reset(token), 'UNAUTHORIZED');
      }
      await refusal(fixture.auth.loginByLink({ token: await linkFor(account) }), 'UNAUTHORIZED');
      const old = await linkFor(account);
      fixture.advance(LINK_LIFETIME_MS - 1);
      await reset(old, 'another password of mine');
      const older = await linkFor(account);
      fixture.advance(LINK_LIFETIME_MS);
      await refusal(reset(older), 'UNAUTHORIZED');
    });

    it('are replaced by only one of two concurrent resets, with one link or with two', async () => {
      for (const isOneLink of [true, false]) {
        const account = await registerAccount(fixture);
        const first = await linkFor(account);
        const second = isOneLink ? first : await linkFor(account);
        const passwords = ['the first new password', 'the second new password'] as const;
        const outcomes = await Promise.allSettled([reset(first, passwords[0]), reset(second, passwords[1])]);
        assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
        const [won, lost] = outcomes[0].status === 'fulfilled' ? passwords : [passwords[1], passwords[0]];
        assert((await login(account.email, won)).session);
        await refusal(login(account.email, lost), 'UNAUTHORIZED');
      }
    });

    it('INVALID_PARAMS: a new password that is too short, which does not spend the link', async () => {
      const account = await registerAccount(fixture);
      const token = await linkFor(account);
      await refusal(reset(token, 'short'), 'INVALID_PARAMS');
      await reset(token);
    });

    it('forget the known callers of the account except the one that resets', async () => {
      const account = await registerAccount(fixture);
      await login(account.email, PASSWORD, '203.0.113.7');
      await reset(await linkFor(account));
      const { rows } = await fixture.pool.query('select from known_callers where account_id = $1', [
        account.accountId,
      ]);
      assert.equal(rows.length, 1);
    });

    it('open no session for a sign-in with the old password that is in progress', async () => {
      const account = await registerAccount(fixture);
      const token = await linkFor(account);
      await Promise.allSettled([
        login(account.email, PASSWORD),
        reset(token),
        login(account.email, PASSWORD),
      ]);
      const { sessions } = await fixture.auth.listSessions({}, fixture.actingFor(account.accountId));
      assert.equal(sessions.length, 0);
    });
  });

  describe('that are changed', () => {
    const change = (
      { accountId, sessionId }: { accountId: string; sessionId: string },
      current: string,
      password = NEW_PASSWORD,
    ) =>
      fixture.auth.changePassword(
        { current, password, sessionId, clientIp: '192.0.2.1' },
        fixture.actingFor(accountId),
      );

    it('end the other sessions, and keep this one', async () => {
      const account = await registerAccount(fixture);
      const other = await login(account.email, PASSWORD);
      const token = await linkFor(account);
      await change(account, PASSWORD);
      assert.equal(await isTaken(fixture, account), true);
      const refreshToken = other.session?.refreshToken ?? '';
      await refusal(fixture.auth.refreshSession({ refreshToken }), 'UNAUTHORIZED');
      assert((await fixture.auth.refreshSession({ refreshToken: account.refreshToken })).session);
      await refusal(login(account.email, PASSWORD), 'UNAUTHORIZED');
      await refusal(reset(token), 'UNAUTHORIZED');
      assert((await login(account.email, NEW_PASSWORD)).session);
      const mails = await mailsFor(fixture, account.accountId, 2);
      assert.deepEqual(mails[1], ['password-changed', account.email]);
    });

    it('INVALID_PARAMS: a wrong current password, which counts as a failed sign-in', async () => {
      const account = await registerAccount(fixture);
      assert((await login(account.email, PASSWORD)).session);
      for (let n = 0; n < 5; n++) await refusal(login(account.email, 'a wrong password'), 'UNAUTHORIZED');
      for (let n = 0; n < 5; n++) {
        const refused = await refusal(change(account, 'a wrong password'), 'INVALID_PARAMS');
        assert.deepEqual(
          refused.violations.map(({ field }) => field),
          ['current'],
        );
      }
      await refusal(change(account, PASSWORD), 'RATE_LIMITED');
      assert((await login(account.email, PASSWORD)).session, 'a known caller signs in');
      fixture.advance(15 * MINUTE_MS);
      await change(account, PASSWORD);
    });

    it('INVALID_PARAMS: a new password that is too short', async () => {
      const account = await registerAccount(fixture);
      await refusal(change(account, PASSWORD, 'short'), 'INVALID_PARAMS');
    });
  });
});
