import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '@audiosplit/chassis/ids';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { decodeJwt } from 'jose';
import { PASSWORD, startAuthFixture } from '../auth.fixture.ts';
import { isTaken, type RegisteredAccount, registerAccount } from './accounts-by-mail.fixture.ts';
import { SESSION_LIFETIME_MS } from './refresh-token.ts';

describe('sessions', () => {
  const fixture = forSuite(startAuthFixture);

  const phone = { clientIp: '::ffff:192.0.2.9', userAgent: 'a phone' };
  const signIn = async ({ email }: RegisteredAccount, from = phone) => {
    const { session } = await fixture.auth.login({ email, password: PASSWORD, ...from });
    return {
      sessionId: String(decodeJwt(session?.accessToken ?? '').sid),
      refreshToken: session?.refreshToken ?? '',
    };
  };
  const list = async ({ accountId }: RegisteredAccount) => {
    const { sessions } = await fixture.auth.listSessions({}, fixture.actingFor(accountId));
    return sessions.map(({ id, lastUsedAt, address, userAgent }) => ({
      id,
      lastUsedAt: lastUsedAt && timestampDate(lastUsedAt).getTime(),
      address,
      userAgent,
    }));
  };

  it('are listed with details that a person recognises, most recently used first', async () => {
    const account = await registerAccount(fixture);
    fixture.advance(1_000);
    const onPhone = await signIn(account);
    const signedInAt = fixture.now().getTime();
    const seen = await list(account);
    assert.deepEqual(
      seen.map(({ id }) => id),
      [onPhone.sessionId, account.sessionId],
    );
    assert.deepEqual(seen[0], {
      id: onPhone.sessionId,
      lastUsedAt: signedInAt,
      address: '192.0.2.9',
      userAgent: 'a phone',
    });
    fixture.advance(1_000);
    const renewal = { refreshToken: account.refreshToken, clientIp: '2001:db8::1', userAgent: 'a\tdesk' };
    await fixture.auth.refreshSession(renewal);
    const [first] = await list(account);
    assert.deepEqual(
      [first?.id, first?.address, first?.userAgent],
      [account.sessionId, '2001:db8::1', 'a desk'],
    );
  });

  it('report their last use to the minute', async () => {
    const account = await registerAccount(fixture);
    const begunAt = fixture.now().getTime();
    const lastUse = async () => (await list(account))[0]?.lastUsedAt;
    fixture.advance(59_000);
    await isTaken(fixture, account);
    assert.equal(await lastUse(), begunAt);
    fixture.advance(2_000);
    await isTaken(fixture, account);
    assert.equal(await lastUse(), begunAt + 61_000);
  });

  it('end one by one, with their refresh and access tokens', async () => {
    const account = await registerAccount(fixture);
    const { accountId } = account;
    const onPhone = await signIn(account);
    await fixture.auth.endSession({ sessionId: onPhone.sessionId }, fixture.actingFor(accountId));
    await refusal(fixture.auth.refreshSession({ refreshToken: onPhone.refreshToken }), 'UNAUTHORIZED');
    assert.equal(await isTaken(fixture, { accountId, sessionId: onPhone.sessionId }), false);
    assert.equal(await isTaken(fixture, account), true);
    assert.equal(
      await isTaken(fixture, { accountId, sessionId: '' }),
      true,
      'tokens that name no session go on',
    );
  });

  it('end all together except one', async () => {
    const account = await registerAccount(fixture);
    await signIn(account);
    await signIn(account);
    const { accountId, sessionId } = account;
    await fixture.auth.endOtherSessions({ sessionId }, fixture.actingFor(accountId));
    assert.deepEqual(
      (await list(account)).map(({ id }) => id),
      [sessionId],
    );
    assert.equal(await isTaken(fixture, account), true);
    assert.equal(await isTaken(fixture, { accountId, sessionId: '' }), false);
  });

  it('end by signing out, and when they expire', async () => {
    const account = await registerAccount(fixture);
    const onPhone = await signIn(account);
    await fixture.auth.logout({ refreshToken: onPhone.refreshToken });
    assert.equal(await isTaken(fixture, { ...account, sessionId: onPhone.sessionId }), false);
    fixture.advance(SESSION_LIFETIME_MS);
    assert.equal(await isTaken(fixture, account), false);
    assert.deepEqual(await list(account), []);
  });

  it('NOT_FOUND: a session of another account, an ended session, no session', async () => {
    const account = await registerAccount(fixture);
    const other = await registerAccount(fixture);
    for (const sessionId of [other.sessionId, newId('ses'), 'x', '']) {
      const ended = fixture.auth.endSession({ sessionId }, fixture.actingFor(account.accountId));
      await refusal(ended, 'NOT_FOUND');
    }
    assert.equal(await isTaken(fixture, { ...other, accountId: account.accountId }), false);
    assert.equal(await isTaken(fixture, other), true);
  });
});
