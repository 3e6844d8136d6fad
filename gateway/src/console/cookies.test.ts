import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { Session } from '../schemas/sessions.ts';
import { startTestGateway } from '../testing/test-gateway.ts';
import { clearedCookies, deviceCookie, deviceTokenOf, readCookie, sessionCookies } from './cookies.ts';

const session: Session = {
  account: { id: 'acc_1', email: 'ada@example.com', name: 'Ada', createdAt: '2027-01-01T00:00:00.000Z' },
  accessToken: 'header.payload.signature',
  refreshToken: 'rt_secret',
  tokenType: 'Bearer',
  expiresIn: 3_600,
};

test('session cookies are not accessible to scripts or other sites, and are not sent to the API', () => {
  for (const cookie of [
    ...sessionCookies(session, true),
    deviceCookie(deviceTokenOf(''), true),
    ...clearedCookies(true),
  ]) {
    assert.match(
      cookie,
      /refresh|device/.test(cookie) ? /; Path=\/console; / : /; Path=\/(console|jobs|batches); /,
    );
    assert.match(cookie, /; HttpOnly(;|$)/);
    assert.match(cookie, /; SameSite=Strict(;|$)/);
    assert.match(cookie, /; Secure$/);
  }
  assert.doesNotMatch(sessionCookies(session, false).join(), /Secure/);
});

for (const isHttps of [true, false]) {
  const publicBaseUrl = isHttps ? 'https://audio.example' : 'http://audio.example';
  test(`a console at ${publicBaseUrl} ${isHttps ? 'limits its cookies to TLS' : 'works without TLS'}`, async () => {
    const auth = {
      login: () => ({
        session: {
          account: { ...session.account, createdAt: timestampFromMs(0) },
          accessToken: session.accessToken,
          refreshToken: session.refreshToken,
          expiresInSeconds: session.expiresIn,
        },
      }),
    };
    await using gateway = await startTestGateway({ services: { auth }, config: { publicBaseUrl } });
    for (const [procedure, input, count] of [
      ['signIn', { email: 'ada@example.com', password: 'correct horse battery' }, 5],
      ['signOut', undefined, 4],
    ] as const) {
      const response = await fetch(`${gateway.url}/console/trpc/session.${procedure}`, {
        method: 'POST',
        headers: { 'x-audiosplit-console': '1', 'content-type': 'application/json' },
        ...(input && { body: JSON.stringify(input) }),
      });
      const cookies = response.headers.getSetCookie();
      assert.equal(cookies.length, count, await response.text());
      for (const cookie of cookies) {
        assert.match(
          cookie,
          isHttps ? /; HttpOnly; SameSite=Strict; Secure$/ : /; HttpOnly; SameSite=Strict$/,
        );
      }
    }
  });
}

test('signing out removes every cookie that signing in has set', () => {
  const namesAndPaths = (cookies: readonly string[]) =>
    cookies.map((cookie) => cookie.replace(/=[^;]*; /, ' ').replace(/; Max-Age.*/, ''));
  assert.deepEqual(namesAndPaths(clearedCookies(true)), namesAndPaths(sessionCookies(session, true)));
});

test('the access cookie expires with its token, and signing out removes both', () => {
  assert.match(
    sessionCookies(session, true)[0] ?? '',
    /^audiosplit_access=header\.payload\.signature;.*Max-Age=3600;/,
  );
  for (const cookie of clearedCookies(true)) assert.match(cookie, /^audiosplit_\w+=;.*Max-Age=0;/);
});

test('a cookie is found among others, with any value', () => {
  assert.equal(readCookie('a=1; audiosplit_access=x=y==; b=2', 'audiosplit_access'), 'x=y==');
  assert.equal(readCookie('audiosplit_access_2=no', 'audiosplit_access'), undefined);
  assert.equal(readCookie(undefined, 'audiosplit_access'), undefined);
});

test('a browser keeps its device token; an invalid one is replaced', () => {
  const token = deviceTokenOf(undefined);
  assert.match(token, /^[\w-]{43}$/);
  assert.equal(deviceTokenOf(`a=b; audiosplit_device=${token}`), token);
  for (const value of ['', 'short', `${token}x`]) {
    assert.notEqual(deviceTokenOf(`audiosplit_device=${value}`), value);
  }
});
