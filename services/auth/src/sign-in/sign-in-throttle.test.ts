import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UnavailableError } from '@audiosplit/chassis/errors';
import { hasReason } from '@audiosplit/chassis/rpc/errors';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { CONFIG, PASSWORD, startAuthFixture } from '../auth.fixture.ts';
import { CALLER_KNOWN_MS } from './known-callers.ts';
import { beginAttempt, SIGN_IN_WINDOW_MS } from './sign-in-throttle.ts';

describe('throttling of sign-ins', () => {
  const fixture = forSuite(startAuthFixture);

  const HERE = '192.0.2.1';
  const ELSEWHERE = '192.0.2.2';
  const guess = (email: string, clientIp = HERE, password = 'a wrong password') =>
    fixture.auth.login({ email, password, clientIp });
  const guessWrongly = async (times: number, email: string, clientIp = HERE) => {
    for (let n = 0; n < times; n++) await refusal(guess(email, clientIp), 'UNAUTHORIZED');
  };
  /** Registers from an unknown address. */
  const register = async (email: string) => {
    const { session } = await fixture.auth.register({ email, password: PASSWORD });
    assert(session);
    return session;
  };
  /** Guesses by ten callers, ten times each. */
  const guessFromEverywhere = (email: string) =>
    Promise.all(Array.from({ length: 10 }, (_, n) => guessWrongly(10, email, `198.51.100.${n}`)));

  // Covers D-1.7 D-9.26
  it('RATE_LIMITED: even the right password, after ten wrong ones from one caller for one address in 15 minutes', async () => {
    const email = 'ten@example.com';
    await register(email);
    await guessWrongly(5, email);
    fixture.advance(60_000);
    await guessWrongly(5, email.toUpperCase());
    fixture.advance(1_500);
    const info = await refusal(guess(email, HERE, PASSWORD), 'RATE_LIMITED');
    assert.equal(info.retryAfterSeconds, 839, 'when the first failure leaves the window');
    assert.match(info.publicMessage, /10 wrong passwords/);

    fixture.advance(839_000);
    await guessWrongly(5, email);
    await refusal(guess(email, HERE, PASSWORD), 'RATE_LIMITED');
    fixture.advance(SIGN_IN_WINDOW_MS);
    assert((await guess(email, HERE, PASSWORD)).session);
  });

  // Covers B-7.1
  it('does not affect other callers of the address, or other addresses of the caller', async () => {
    for (const email of ['one@example.com', 'other@example.com']) await register(email);
    await guessWrongly(10, 'one@example.com');
    await refusal(guess('one@example.com'), 'RATE_LIMITED');
    await refusal(guess('one@example.com', ELSEWHERE), 'UNAUTHORIZED');
    assert((await guess('one@example.com', ELSEWHERE, PASSWORD)).session);
    assert((await guess('other@example.com', HERE, PASSWORD)).session);
  });

  it('does not count an attempt whose password could not be verified', async () => {
    const { signInBounds } = CONFIG;
    const at = new Date();
    for (let n = 0; n < 11; n++) {
      const attempt = await beginAttempt(fixture.pool, signInBounds, {
        addressKey: 'busy@example.com',
        clientIp: HERE,
        isKnown: false,
        at,
      });
      assert.equal(attempt.refusal, undefined);
      await assert.rejects(attempt.judge(() => Promise.reject(new UnavailableError('no turn'))));
    }
  });

  it('RATE_LIMITED: an unknown address, like a known one', async () => {
    await guessWrongly(10, 'unknown@example.com');
    await refusal(guess('unknown@example.com'), 'RATE_LIMITED');
  });

  it('neither counts a right password nor resets the count', async () => {
    const email = 'owner@example.com';
    await register(email);
    await guessWrongly(9, email);
    for (let n = 0; n < 3; n++) assert((await guess(email, HERE, PASSWORD)).session);
    await guessWrongly(1, email);
    await refusal(guess(email), 'RATE_LIMITED');
  });

  it('allows no extra attempts by parallel guesses', async () => {
    const email = 'parallel@example.com';
    await register(email);
    const outcomes = await Promise.allSettled(Array.from({ length: 25 }, () => guess(email)));
    const limited = outcomes.filter(
      (outcome) => outcome.status === 'rejected' && hasReason(outcome.reason, Reason.RATE_LIMITED),
    );
    assert.equal(limited.length, 15);
  });

  // Covers D-1.8
  it('RATE_LIMITED: a network after a hundred wrong passwords for any addresses', async () => {
    const host = (n: number) => `2001:db8:1:2::${n.toString(16)}`;
    await Promise.all(
      Array.from({ length: 100 }, (_, n) => refusal(guess(`n${n}@example.com`, host(n)), 'UNAUTHORIZED')),
    );
    const info = await refusal(guess('new@example.com', host(7)), 'RATE_LIMITED');
    assert.equal(info.retryAfterSeconds, 900);
    await refusal(guess('new@example.com', '2001:db8:1:3::1'), 'UNAUTHORIZED');
    await refusal(guess('new@example.com', '192.0.2.9'), 'UNAUTHORIZED');
  });

  // Covers B-7.2
  it('SIGN_IN_LINK_SENT: callers unknown to the account, after a hundred wrong passwords from all callers together', async () => {
    const email = 'wanted@example.com';
    const session = await register(email);
    const accountId = session.account?.id ?? '';
    await guessFromEverywhere(email);
    const { publicMessage } = await refusal(guess(email, ELSEWHERE), 'SIGN_IN_LINK_SENT');
    await refusal(guess(email, ELSEWHERE, PASSWORD), 'SIGN_IN_LINK_SENT');
    fixture.advance(5 * 60_000 - 1);
    await refusal(guess(email, ELSEWHERE), 'SIGN_IN_LINK_SENT');
    fixture.advance(1);
    await refusal(guess(email, ELSEWHERE), 'SIGN_IN_LINK_SENT');
    const asked = await fixture.published('signInLinkRequested', accountId, 2);
    assert.equal(asked.length, 2, 'one in five minutes');

    fixture.advance(SIGN_IN_WINDOW_MS);
    assert((await guess(email, ELSEWHERE, PASSWORD)).session);

    await guessFromEverywhere('nobody@example.com');
    const unknown = await refusal(guess('nobody@example.com', ELSEWHERE), 'SIGN_IN_LINK_SENT');
    assert.equal(unknown.publicMessage, publicMessage, 'an address without account is answered alike');
  });

  // Covers B-7.4 B-7.5
  it('always accepts the right password from a known caller: its network, its device, a live refresh token', async () => {
    const email = 'known@example.com';
    const { refreshToken } = await register(email);
    const login = (proof: { clientIp?: string; deviceToken?: string; refreshToken?: string }) =>
      fixture.auth.login({ email, password: PASSWORD, clientIp: ELSEWHERE, ...proof });
    const device = 'a device of the holder';
    await login({ clientIp: HERE, deviceToken: device });
    await guessFromEverywhere(email);
    await refusal(login({}), 'SIGN_IN_LINK_SENT');
    await refusal(login({ deviceToken: 'a device of somebody' }), 'SIGN_IN_LINK_SENT');
    assert((await login({ clientIp: HERE })).session, 'its network');
    for (const [what, proof] of [
      ['its device', { deviceToken: device, clientIp: '203.0.113.1' }],
      ['a live refresh token', { refreshToken, clientIp: '203.0.113.2' }],
    ] as const) {
      assert((await login(proof)).session, what);
    }
    const { refreshToken: others } = await register('another@example.com');
    await refusal(login({ refreshToken: others, clientIp: '203.0.113.3' }), 'SIGN_IN_LINK_SENT');
    await fixture.auth.logout({ refreshToken });
    await refusal(login({ refreshToken, clientIp: '203.0.113.4' }), 'SIGN_IN_LINK_SENT');

    await guessWrongly(10, email, HERE);
    await refusal(guess(email, HERE), 'RATE_LIMITED');
    assert((await login({ clientIp: HERE })).session, 'after its own wrong ones too');
  });

  // Covers B-7.4
  it('knows a network for 90 days after its last sign-in or renewal', async () => {
    const email = 'seldom@example.com';
    const { session } = await fixture.auth.register({ email, password: PASSWORD, clientIp: HERE });
    fixture.advance(20 * 86_400_000);
    const client = { clientIp: ELSEWHERE, userAgent: '' };
    await fixture.auth.refreshSession({ refreshToken: session?.refreshToken ?? '', ...client });
    fixture.advance(CALLER_KNOWN_MS - 1);
    await guessFromEverywhere(email);
    await refusal(guess(email, HERE, PASSWORD), 'SIGN_IN_LINK_SENT');
    assert((await guess(email, ELSEWHERE, PASSWORD)).session);
  });
});
