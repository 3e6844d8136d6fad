import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { hasReason } from '@audiosplit/chassis/rpc/errors';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { type AuthFixture, PASSWORD, startAuthFixture } from '../auth.fixture.ts';
import { networkOf, SIGN_IN_WINDOW_MS } from './sign-in-throttle.ts';

describe('throttling of sign-ins', () => {
  let fixture: AuthFixture;
  before(async () => {
    fixture = await startAuthFixture();
  });
  after(() => fixture[Symbol.asyncDispose]());

  const guess = (email: string, clientIp = '', password = 'a wrong password') =>
    fixture.auth.login({ email, password, clientIp });
  const guessWrongly = async (times: number, email: string) => {
    for (let n = 0; n < times; n++) await refusal(guess(email), 'UNAUTHORIZED');
  };
  const register = async (email: string) => {
    await fixture.auth.register({ email, password: PASSWORD });
    return email;
  };

  // Covers D-1.7 D-9.26
  it('RATE_LIMITED: even the right password, after ten wrong ones for an address in 15 minutes', async () => {
    const email = await register('ten@example.com');
    await guessWrongly(5, email);
    fixture.advance(60_000);
    await guessWrongly(5, email.toUpperCase());
    fixture.advance(1_500);
    const info = await refusal(guess(email, '', PASSWORD), 'RATE_LIMITED');
    assert.equal(info.retryAfterSeconds, 839, 'when the first failure leaves the window');
    assert((await guess(await register('eleven@example.com'), '', PASSWORD)).session);

    fixture.advance(839_000);
    assert((await guess(email, '', PASSWORD)).session);
    await guessWrongly(5, email);
    await refusal(guess(email, '', PASSWORD), 'RATE_LIMITED');
    fixture.advance(SIGN_IN_WINDOW_MS);
    assert((await guess(email, '', PASSWORD)).session);
  });

  it('RATE_LIMITED: an unknown address, like a known one', async () => {
    await guessWrongly(10, 'unknown@example.com');
    await refusal(guess('unknown@example.com'), 'RATE_LIMITED');
  });

  it('neither counts a right password nor resets the count', async () => {
    const email = await register('owner@example.com');
    await guessWrongly(9, email);
    for (let n = 0; n < 3; n++) assert((await guess(email, '', PASSWORD)).session);
    await guessWrongly(1, email);
    await refusal(guess(email, '', PASSWORD), 'RATE_LIMITED');
  });

  it('gives parallel guesses no extra tries', async () => {
    const email = await register('parallel@example.com');
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
    await refusal(guess('new@example.com', '192.0.2.1'), 'UNAUTHORIZED');
  });
});

describe('networkOf', () => {
  for (const [ip, network] of [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['2001:db8:1::', '2001:db8:1:0::/64'],
  ] as const) {
    it(`${ip} is of ${network}`, () => assert.equal(networkOf(ip), network));
  }
});
