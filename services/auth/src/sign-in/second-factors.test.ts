import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCaller } from '@audiosplit/chassis/rpc/client';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { testKeysOf } from '@audiosplit/chassis/testing/identities';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import type { Process } from '@audiosplit/proto/callers';
import { Secret, TOTP } from 'otpauth';
import { PASSWORD, startAuthFixture } from '../auth.fixture.ts';
import { createAuthOperatorClient } from '../client.ts';
import { mailsFor, registerAccount } from './accounts-by-mail.fixture.ts';

const MINUTE_MS = 60_000;
const STEP_MS = 30_000;

describe('a second factor', () => {
  const fixture = forSuite(startAuthFixture);

  const codeOf = (secret: string, offMs = 0) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: fixture.now().getTime() + offMs });
  const begin = (accountId: string, current = PASSWORD) =>
    fixture.auth.beginSecondFactor({ current, clientIp: '192.0.2.1' }, fixture.actingFor(accountId));
  const confirm = (accountId: string, code: string) =>
    fixture.auth.confirmSecondFactor({ code }, fixture.actingFor(accountId));
  const login = (email: string, code?: string, password = PASSWORD) =>
    fixture.auth.login({ email, password, clientIp: '192.0.2.1', ...(code === undefined ? {} : { code }) });
  const remove = (accountId: string, code: string, current = PASSWORD) =>
    fixture.auth.removeSecondFactor({ current, code }, fixture.actingFor(accountId));

  const operatorAs = (name: Process) =>
    createAuthOperatorClient(createCaller({ ...fixture.context, keys: testKeysOf(name) }), fixture.address);

  /** An account with an active second factor, for which no code of the present time step has been used. */
  async function protectedAccount() {
    const account = await registerAccount(fixture);
    const { secret } = await begin(account.accountId);
    const { recoveryCodes } = await confirm(account.accountId, codeOf(secret));
    fixture.advance(STEP_MS);
    return { ...account, secret, recoveryCodes };
  }

  it('is on once a code confirms it; then signing in requires a code, and mails announce both', async () => {
    const account = await registerAccount(fixture);
    const { accountId, email } = account;
    const { secret: first } = await begin(accountId);
    const { secret, uri } = await begin(accountId);
    assert.match(secret, /^[A-Z2-7]{32}$/);
    assert.match(
      uri,
      new RegExp(`^otpauth://totp/audiosplit:${email.replace('@', '%40')}\\?.*secret=${secret}`),
    );
    await refusal(confirm(accountId, codeOf(first)), 'INVALID_PARAMS');
    assert((await login(email)).session, 'it is not on yet');
    const { recoveryCodes } = await confirm(accountId, codeOf(secret));
    assert.equal(new Set(recoveryCodes).size, 10);
    for (const code of recoveryCodes) assert.match(code, /^(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
    await refusal(login(email), 'SECOND_FACTOR_REQUIRED');
    await refusal(login(email, undefined, 'a wrong password'), 'UNAUTHORIZED');
    fixture.advance(STEP_MS);
    assert((await login(email, codeOf(secret))).session);
    const { secondFactor } = await fixture.auth.getSecurity({}, fixture.actingFor(accountId));
    assert.equal(secondFactor?.recoveryCodesLeft, 10);
    assert.equal((await mailsFor(fixture, accountId, 2))[1]?.[0], 'second-factor-on');
    await refusal(begin(accountId), 'SECOND_FACTOR_ON');
    await refusal(confirm(accountId, codeOf(secret)), 'SECOND_FACTOR_ON');
  });

  it('that is lost is turned off by an operator: all sessions end, and a mail announces it', async () => {
    const { accountId, email, secret } = await protectedAccount();
    const { session } = await login(email, codeOf(secret));
    const operator = operatorAs('operator');
    const signIn = await operator.getSignIn({ accountId });
    assert.deepEqual([signIn.secondFactorSince !== undefined, signIn.sessions], [true, 2]);
    await operator.turnOffSecondFactor({ accountId });
    await refusal(fixture.auth.refreshSession({ refreshToken: session?.refreshToken ?? '' }), 'UNAUTHORIZED');
    const after = await operator.getSignIn({ accountId });
    assert.deepEqual([after.secondFactorSince, after.sessions], [undefined, 0]);
    assert((await login(email)).session, 'the password alone');
    assert.equal((await mailsFor(fixture, accountId, 3))[2]?.[0], 'second-factor-lost');
    await refusal(operator.turnOffSecondFactor({ accountId }), 'NOT_FOUND');
    await refusal(operator.getSignIn({ accountId: 'acc_elsewhere' }), 'NOT_FOUND');
    const begun = await registerAccount(fixture);
    await begin(begun.accountId);
    await refusal(operator.turnOffSecondFactor(begun), 'NOT_FOUND');
  });

  it('is turned off without a code only by an operator', async () => {
    const { accountId, email } = await protectedAccount();
    for (const name of ['gateway', 'account', 'billing'] as const) {
      await refusal(operatorAs(name).turnOffSecondFactor({ accountId }), 'UNAUTHORIZED');
      await refusal(operatorAs(name).getSignIn({ accountId }), 'UNAUTHORIZED');
    }
    await refusal(login(email), 'SECOND_FACTOR_REQUIRED');
  });

  it('accepts a code once, also for two concurrent sign-ins', async () => {
    const { email, secret } = await protectedAccount();
    const code = codeOf(secret);
    const outcomes = await Promise.allSettled([login(email, code), login(email, code)]);
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    await refusal(login(email, code), 'UNAUTHORIZED');
    fixture.advance(STEP_MS);
    await refusal(login(email, code), 'UNAUTHORIZED');
  });

  it('accepts a clock that is one step off, and rejects one that is 5 minutes off', async () => {
    const { email, secret } = await protectedAccount();
    fixture.advance(MINUTE_MS);
    for (const offMs of [-5 * MINUTE_MS, 5 * MINUTE_MS, -2 * STEP_MS, 2 * STEP_MS]) {
      await refusal(login(email, codeOf(secret, offMs)), 'UNAUTHORIZED');
    }
    assert((await login(email, codeOf(secret, -STEP_MS))).session);
    assert((await login(email, codeOf(secret, STEP_MS))).session);
  });

  it('reports at set-up how far off the clock of the app is', async () => {
    const { accountId } = await registerAccount(fixture);
    const { secret } = await begin(accountId);
    for (const [offMs, words] of [
      [-5 * MINUTE_MS, /about 5 min behind/],
      [5 * MINUTE_MS, /about 5 min ahead/],
      [60 * MINUTE_MS, /is wrong/],
    ] as const) {
      const { publicMessage } = await refusal(confirm(accountId, codeOf(secret, offMs)), 'INVALID_PARAMS');
      assert.match(publicMessage, words);
    }
    await confirm(accountId, codeOf(secret));
  });

  it('accepts each recovery code once, in any spelling', async () => {
    const { accountId, email, recoveryCodes } = await protectedAccount();
    const [first = '', second = ''] = recoveryCodes;
    const typed = first.toLowerCase().replaceAll('-', ' ');
    const outcomes = await Promise.allSettled([login(email, typed), login(email, typed)]);
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    await refusal(login(email, first), 'UNAUTHORIZED');
    assert((await login(email, second)).session);
    const { secondFactor } = await fixture.auth.getSecurity({}, fixture.actingFor(accountId));
    assert.equal(secondFactor?.recoveryCodesLeft, 8);
  });

  it('replaces all recovery codes in exchange for password and code', async () => {
    const { accountId, email, secret, recoveryCodes } = await protectedAccount();
    const renew = (code: string, current = PASSWORD) =>
      fixture.auth.renewRecoveryCodes({ current, code }, fixture.actingFor(accountId));
    await refusal(renew(codeOf(secret), 'a wrong password'), 'INVALID_PARAMS');
    await refusal(renew('000000'), 'INVALID_PARAMS');
    const { recoveryCodes: fresh } = await renew(codeOf(secret));
    await refusal(login(email, recoveryCodes[0]), 'UNAUTHORIZED');
    assert((await login(email, fresh[0])).session);
  });

  it('RATE_LIMITED: after ten wrong codes within 15 minutes even the right one, from any caller', async () => {
    const { email, secret, recoveryCodes } = await protectedAccount();
    for (let n = 0; n < 10; n++) await refusal(login(email, '000000'), 'UNAUTHORIZED');
    await refusal(login(email, codeOf(secret)), 'RATE_LIMITED');
    await refusal(login(email, recoveryCodes[0]), 'RATE_LIMITED');
    await refusal(login(email), 'SECOND_FACTOR_REQUIRED');
    fixture.advance(15 * MINUTE_MS);
    assert((await login(email, codeOf(secret))).session);
  });

  it('is also required by a sign-in link, which is not spent without it', async () => {
    const { accountId, secret } = await protectedAccount();
    const { token } = await fixture.auth.createSignInLink({ accountId });
    await refusal(fixture.auth.loginByLink({ token }), 'SECOND_FACTOR_REQUIRED');
    await refusal(fixture.auth.loginByLink({ token, code: '000000' }), 'UNAUTHORIZED');
    assert((await fixture.auth.loginByLink({ token, code: codeOf(secret) })).session);
    await refusal(fixture.auth.loginByLink({ token, code: codeOf(secret, STEP_MS) }), 'UNAUTHORIZED');
  });

  it('stays on when the password is reset', async () => {
    const { accountId, email } = await protectedAccount();
    const about = { accountId, purpose: 'reset-password', email };
    const { token } = await fixture.auth.createMailedLink(about);
    await fixture.auth.resetPassword({ token, password: 'another password of mine' });
    await refusal(login(email, undefined, 'another password of mine'), 'SECOND_FACTOR_REQUIRED');
  });

  it('is turned off with password and code, or with a recovery code', async () => {
    const { accountId, email, secret } = await protectedAccount();
    await refusal(remove(accountId, codeOf(secret), 'a wrong password'), 'INVALID_PARAMS');
    await refusal(remove(accountId, '000000'), 'INVALID_PARAMS');
    await remove(accountId, codeOf(secret));
    assert((await login(email)).session);
    assert.equal((await mailsFor(fixture, accountId, 3))[2]?.[0], 'second-factor-off');
    await refusal(remove(accountId, codeOf(secret)), 'NOT_FOUND');
    await refusal(confirm(accountId, codeOf(secret)), 'NOT_FOUND');
    const again = await protectedAccount();
    await remove(again.accountId, again.recoveryCodes[3] ?? '');
  });

  it('INVALID_PARAMS: set-up with a wrong password', async () => {
    const { accountId } = await registerAccount(fixture);
    await refusal(begin(accountId, 'a wrong password'), 'INVALID_PARAMS');
  });

  it('is stored encrypted, its recovery codes as hashes, and is deleted with the account', async () => {
    const { accountId, secret } = await protectedAccount();
    const { rows } = await fixture.pool.query(
      'select sealed_secret from second_factors where account_id = $1',
      [accountId],
    );
    const plain = Buffer.from(Secret.fromBase32(secret).buffer);
    assert.equal(rows[0].sealed_secret.includes(plain), false);
    await fixture.pool.query('delete from accounts where id = $1', [accountId]);
    for (const table of ['second_factors', 'recovery_codes']) {
      const left = await fixture.pool.query(`select from ${table} where account_id = $1`, [accountId]);
      assert.equal(left.rowCount, 0, table);
    }
  });
});
