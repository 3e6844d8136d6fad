import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { until } from '@audiosplit/chassis/testing/until';
import type { Session } from '@audiosplit/proto/auth/v1/auth';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { CONFIG, PASSWORD, startAuthFixture } from '../auth.fixture.ts';
import { createPasswordHasher } from './password.ts';
import { SESSION_LIFETIME_MS } from './refresh-token.ts';

describe('registering and signing in', () => {
  let addresses = 0;
  const fixture = forSuite(startAuthFixture);

  const newAddress = () => `Person.${addresses++}@Example.com`;
  const register = async (email = newAddress()): Promise<Session> => {
    const { session } = await fixture.auth.register({ email, password: PASSWORD, name: 'Ada' });
    assert(session);
    return session;
  };
  const login = (email: string, password = PASSWORD, clientIp = '') =>
    fixture.auth.login({ email, password, clientIp });
  const client = { clientIp: '192.0.2.1', userAgent: 'a browser' };
  const refresh = (refreshToken: string, from = client) =>
    fixture.auth.refreshSession({ refreshToken, ...from });
  const addressOf = (session: Session) => session.account?.email ?? '';
  const storedHash = async (session: Session): Promise<string> => {
    const { rows } = await fixture.pool.query('select password_hash from accounts where id = $1', [
      session.account?.id,
    ]);
    return rows[0].password_hash;
  };

  // Covers D-1.1
  it('registers an account, signs it in and publishes the event', async () => {
    const session = await register('Ada@Example.com');
    assert.match(session.account?.id ?? '', /^acc_[0-9a-z]{26}$/);
    assert.equal(session.account?.email, 'Ada@Example.com');
    assert.equal(session.account?.name, 'Ada');
    assert.equal(session.expiresInSeconds, 3_600);
    const [event] = await fixture.published('accountRegistered', session.account?.id ?? '', 1);
    assert.deepEqual(event?.occurredAt, session.account?.createdAt);
    assert(event?.payload.case === 'accountRegistered');
    assert.equal(event.payload.value.email, 'Ada@Example.com');
    assert.equal(event.payload.value.name, 'Ada');
  });

  // Covers D-1.4
  it('stores the password as an argon2id hash', async () => {
    const session = await register();
    assert.match(await storedHash(session), /^\$argon2id\$v=19\$m=8,t=1,p=1\$/);
  });

  // Covers D-1.2 D-9.25
  it('EMAIL_TAKEN: the same address in another case', async () => {
    const email = addressOf(await register());
    const again = fixture.auth.register({ email: ` ${email.toUpperCase()} `, password: PASSWORD });
    await refusal(again, 'EMAIL_TAKEN');
  });

  it('registers one of two concurrent requests with the same address', async () => {
    const email = newAddress();
    const outcomes = await Promise.allSettled([register(email), register(email)]);
    assert.deepEqual(outcomes.map((outcome) => outcome.status).sort(), ['fulfilled', 'rejected']);
  });

  for (const [field, fields] of [
    ['email', { email: 'no address' }],
    ['email', { email: 'ada@localhost' }],
    ['email', { email: `${'a'.repeat(65)}@example.com` }],
    ['email', { email: `ada@${'a.'.repeat(126)}example` }],
    ['email', { email: 'ada\0@example.com' }],
    ['password', { password: 'elevenchars' }],
    ['password', { password: 'x'.repeat(129) }],
    ['name', { name: 'a'.repeat(256) }],
    ['name', { name: 'a\0b' }],
  ] as const) {
    // Covers D-1.3
    it(`INVALID_PARAMS: registering with ${JSON.stringify(fields).slice(0, 40)}`, async () => {
      const call = fixture.auth.register({ email: newAddress(), password: PASSWORD, ...fields });
      const info = await refusal(call, 'INVALID_PARAMS');
      assert.deepEqual(
        info.violations.map((violation) => violation.field),
        [field],
      );
    });
  }

  // Covers D-1.3
  it('counts the characters of a password, not its bytes', async () => {
    const password = '🎧'.repeat(128);
    const email = newAddress();
    await fixture.auth.register({ email, password });
    assert((await login(email, password)).session);
    await refusal(login(email, `${password}!`), 'UNAUTHORIZED');
  });

  // Covers D-1.12 D-1.13
  it('issues a JWT that the published keys verify', async () => {
    const session = await register();
    const { jwksJson } = await fixture.auth.getJwks({});
    const keys = JSON.parse(jwksJson);
    const { payload } = await jwtVerify(session.accessToken, createLocalJWKSet(keys), {
      issuer: CONFIG.issuer,
      audience: CONFIG.audience,
      algorithms: ['EdDSA'],
      currentDate: fixture.now(),
    });
    assert.equal(payload.sub, session.account?.id);
    assert.equal((payload.exp ?? 0) - (payload.iat ?? 0), 3_600);
    assert.match(payload.jti ?? '', /^[0-9a-f-]{36}$/);
    assert.equal(decodeProtectedHeader(session.accessToken).kid, keys.keys[0].kid);
    assert.equal(jwksJson.includes('"d"'), false, 'no private half is published');
  });

  // Covers D-1.5 D-1.6 D-9.25
  it('signs in with the address in any case, and gives the same response for an unknown address and a wrong password', async () => {
    const session = await register();
    const email = addressOf(session);
    const { session: again } = await login(email.toLowerCase());
    assert.deepEqual(again?.account, session.account);
    const wrong = await refusal(login(email, 'a wrong password'), 'UNAUTHORIZED');
    const unknown = await refusal(login('unknown@example.com'), 'UNAUTHORIZED');
    const impossible = await refusal(login('no\0address'), 'UNAUTHORIZED');
    assert.equal(unknown.publicMessage, wrong.publicMessage);
    assert.equal(impossible.publicMessage, wrong.publicMessage);
  });

  it('UNAUTHORIZED: signing in to an account that is being removed', async () => {
    const session = await register();
    const remover = await fixture.pool.connect();
    try {
      await remover.query('begin');
      await remover.query('delete from accounts where id = $1', [session.account?.id]);
      const refused = refusal(login(addressOf(session)), 'UNAUTHORIZED');
      await until(async () => {
        const { rowCount } = await fixture.pool.query(
          'select from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()',
        );
        return rowCount !== 0;
      }, 'the sign-in waits for the removal');
      await remover.query('commit');
      await refused;
    } finally {
      remover.release();
    }
  });

  it('rehashes a password after the configured costs have changed', async () => {
    const session = await register();
    const former = await createPasswordHasher({ memoryKib: 16, iterations: 2, concurrency: 1 });
    await fixture.pool.query('update accounts set password_hash = $2 where id = $1', [
      session.account?.id,
      await former.hash(PASSWORD, '203.0.113.1'),
    ]);
    await login(addressOf(session));
    assert.match(await storedHash(session), /\$m=8,t=1,p=1\$/);
    await login(addressOf(session));
  });

  describe('refresh tokens', () => {
    // Covers D-1.9
    it('work once, and return the next token', async () => {
      const first = await register();
      const { session: second } = await refresh(first.refreshToken);
      assert.deepEqual(second?.account, first.account);
      assert.notEqual(second?.refreshToken, first.refreshToken);
      assert((await refresh(second?.refreshToken ?? '')).session);
    });

    // Covers D-1.10
    it('UNAUTHORIZED: reuse of a spent token ends the whole session', async () => {
      const first = await register();
      const { session: other } = await login(addressOf(first));
      const { session: second } = await refresh(first.refreshToken);
      fixture.advance(10_001);
      await refusal(refresh(first.refreshToken), 'UNAUTHORIZED');
      await refusal(refresh(second?.refreshToken ?? ''), 'UNAUTHORIZED');
      assert((await refresh(other?.refreshToken ?? '')).session, 'other sessions go on');
    });

    for (const [what, thief] of [
      ['another address', { ...client, clientIp: '192.0.2.2' }],
      ['another program', { ...client, userAgent: 'curl' }],
      ['an unknown address', { ...client, clientIp: '' }],
    ] as const) {
      // Covers D-1.10
      it(`UNAUTHORIZED: reuse from ${what} ends the session at once`, async () => {
        const { refreshToken } = await register();
        const { session } = await refresh(refreshToken);
        await refusal(refresh(refreshToken, thief), 'UNAUTHORIZED');
        await refusal(refresh(session?.refreshToken ?? ''), 'UNAUTHORIZED');
      });
    }

    it('end their session if an unknown client uses one of them twice', async () => {
      const unknown = { clientIp: '', userAgent: '' };
      const { refreshToken } = await register();
      const { session } = await refresh(refreshToken, unknown);
      await refusal(refresh(refreshToken, unknown), 'UNAUTHORIZED');
      await refusal(refresh(session?.refreshToken ?? '', unknown), 'UNAUTHORIZED');
    });

    // Covers B-14.1
    it('UNAUTHORIZED: reuse by the same client within 10 s, but its session continues', async () => {
      const inNetwork = (clientIp: string) => ({ ...client, clientIp });
      const { refreshToken } = await register();
      const { session } = await refresh(refreshToken, inNetwork('2001:db8:1:2::3'));
      fixture.advance(10_000);
      await refusal(refresh(refreshToken, inNetwork('2001:db8:1:2::4')), 'UNAUTHORIZED');
      assert((await refresh(session?.refreshToken ?? '')).session);
    });

    it('are spent by only one of two concurrent requests', async () => {
      const { refreshToken } = await register();
      const outcomes = await Promise.allSettled([refresh(refreshToken), refresh(refreshToken)]);
      assert.deepEqual(outcomes.map((outcome) => outcome.status).sort(), ['fulfilled', 'rejected']);
    });

    // Covers B-14.1
    it('UNAUTHORIZED: all but one of many concurrent requests, and the winner continues', async () => {
      for (let round = 0; round < 40; round += 1) {
        const { refreshToken } = await register();
        const refreshes = Array.from({ length: 8 }, async () => {
          const won = (await refresh(refreshToken)).session;
          return won === undefined ? undefined : refresh(won.refreshToken);
        });
        const outcomes = await Promise.allSettled(refreshes);
        const [won, ...more] = outcomes.filter(({ status }) => status === 'fulfilled');
        assert(won, `round ${round}`);
        assert.equal(more.length, 0);
        for (const outcome of outcomes) {
          if (outcome.status === 'rejected') await refusal(Promise.reject(outcome.reason), 'UNAUTHORIZED');
        }
      }
    });

    it('fail with UNAUTHORIZED only, while another token signs the session out', async () => {
      for (let round = 0; round < 40; round += 1) {
        const first = await register();
        const { session: second } = await refresh(first.refreshToken);
        assert(second);
        const calls = [1, 2, 3].flatMap(() => [
          refresh(second.refreshToken),
          fixture.auth.logout({ refreshToken: first.refreshToken }),
        ]);
        for (const outcome of await Promise.allSettled<unknown>(calls)) {
          if (outcome.status === 'rejected') await refusal(Promise.reject(outcome.reason), 'UNAUTHORIZED');
        }
        await refusal(refresh(second.refreshToken), 'UNAUTHORIZED');
      }
    });

    it('UNAUTHORIZED: an unknown token', async () => {
      await refusal(refresh('art_unknown'), 'UNAUTHORIZED');
    });

    it('are stored as hashes', async () => {
      const { refreshToken } = await register();
      const { rows } = await fixture.pool.query(
        'select sha256 from refresh_tokens where sha256 = sha256($1::bytea)',
        [Buffer.from(refreshToken)],
      );
      assert.equal(rows.length, 1);
    });

    // Covers D-1.11
    it('UNAUTHORIZED: a token of a signed-out session', async () => {
      const { refreshToken } = await register();
      await fixture.auth.logout({ refreshToken });
      await refusal(refresh(refreshToken), 'UNAUTHORIZED');
      await fixture.auth.logout({ refreshToken });
    });

    it('UNAUTHORIZED: a token of an expired session', async () => {
      const { refreshToken } = await register();
      fixture.advance(SESSION_LIFETIME_MS - 1);
      const { session } = await refresh(refreshToken);
      fixture.advance(1);
      await refusal(refresh(session?.refreshToken ?? ''), 'UNAUTHORIZED');
    });
  });
});
