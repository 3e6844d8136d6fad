import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOperatorSessions, operatorCookie } from './sessions.ts';

const SECRET = 'a secret of more than thirty-two bytes';
const HOUR_MS = 3_600_000;

let nowMs = Date.parse('2026-11-21T12:00:00Z');
const clock = () => new Date(nowMs);
const sessionsOf = (secrets: Record<string, string>) =>
  createOperatorSessions(new Map(Object.entries(secrets)), clock);
const sessions = sessionsOf({ ada: SECRET, ken: `${SECRET}!` });
const cookieOf = (header: string) => header.split(';')[0] ?? '';

test('a secret is valid for one name only', () => {
  assert.equal(sessions.isSecretOf('ada', SECRET), true);
  assert.equal(sessions.isSecretOf('ken', SECRET), false);
  assert.equal(sessions.isSecretOf('nobody', ''), false);
});

test('a session is valid on another replica, until it expires', () => {
  const cookie = cookieOf(sessions.begin('ada', false));
  const replica = sessionsOf({ ada: SECRET });
  assert.equal(replica.read(`theme=dark; ${cookie}`, false)?.operator, 'ada');
  nowMs += 8 * HOUR_MS - 1_000;
  assert.equal(replica.read(cookie, false)?.operator, 'ada');
  nowMs += 2_000;
  assert.equal(replica.read(cookie, false), undefined);
});

test('changing or removing an operator ends the session', () => {
  const cookie = cookieOf(sessions.begin('ada', false));
  assert.equal(sessionsOf({ ada: `${SECRET}?` }).read(cookie, false), undefined);
  assert.equal(sessionsOf({ ken: SECRET }).read(cookie, false), undefined);
});

test('a session that started over https is valid over https only, and vice versa', () => {
  for (const isHttps of [true, false]) {
    const cookie = cookieOf(sessions.begin('ada', isHttps));
    assert.equal(sessions.read(cookie, isHttps)?.operator, 'ada');
    assert.equal(sessions.read(cookie, !isHttps), undefined);
  }
});

test('a manipulated session is rejected', () => {
  const [payload = '', signature = ''] =
    cookieOf(sessions.begin('ada', false)).split('=')[1]?.split('.') ?? [];
  const forged = Buffer.from(JSON.stringify(['ken', nowMs])).toString('base64url');
  const foreign = Buffer.from('{"ada":1}').toString('base64url');
  for (const value of [
    '',
    '.',
    payload,
    `${payload}.`,
    `${forged}.${signature}`,
    `${foreign}.${signature}`,
    `!.${signature}`,
  ]) {
    assert.equal(sessions.read(`${operatorCookie(false)}=${value}`, false), undefined, value);
  }
  assert.equal(sessions.read(undefined, false), undefined);
});
