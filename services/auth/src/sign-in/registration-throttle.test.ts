import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { type AuthFixture, CONFIG, PASSWORD, startAuthFixture } from '../auth.fixture.ts';

let accounts = 0;
const registerAt = (fixture: AuthFixture, clientIp: string, email = `new-${++accounts}@example.com`) =>
  fixture.auth.register({ email, password: PASSWORD, clientIp });

describe('throttling of registrations', () => {
  const fixture = forSuite(startAuthFixture);

  // Covers B-7.6
  it('RATE_LIMITED: the sixth account of a caller within an hour', async () => {
    for (let n = 0; n < 4; n++) await registerAt(fixture, '192.0.2.1');
    fixture.advance(60_000);
    const taken = `taken-${accounts}@example.com`;
    await registerAt(fixture, '192.0.2.2', taken);
    await refusal(registerAt(fixture, '192.0.2.1', taken), 'EMAIL_TAKEN');
    const info = await refusal(registerAt(fixture, '192.0.2.1'), 'RATE_LIMITED');
    assert.equal(info.retryAfterSeconds, 3_540, 'when the first one leaves the hour');
    assert.match(info.publicMessage, /5 accounts/);
    assert((await registerAt(fixture, '192.0.2.2')).session, 'other callers go on');
    fixture.advance(3_540_000);
    assert((await registerAt(fixture, '192.0.2.1')).session);
  });

  it('counts an IPv6 network as one caller, and does not count malformed requests', async () => {
    const host = (n: number) => `2001:db8:1:2::${n}`;
    for (let n = 0; n < 5; n++) {
      await refusal(registerAt(fixture, host(n), 'no address'), 'INVALID_PARAMS');
      await registerAt(fixture, host(n));
    }
    await refusal(registerAt(fixture, host(9)), 'RATE_LIMITED');
    assert((await registerAt(fixture, '2001:db8:1:3::1')).session);
  });

  // Covers B-7.6
  it('a limit of 0 means no limit', async () => {
    const signInBounds = { ...CONFIG.signInBounds, registrationsPerHour: 0 };
    await using unbounded = await startAuthFixture({ ...CONFIG, signInBounds });
    for (let n = 0; n < 7; n++) assert((await registerAt(unbounded, '192.0.2.1')).session);
  });
});
