/**
 * Tests passwords, addresses and sessions through the API, with the mails that a new user finds in a folder.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import { authenticatorCode } from '../harness/installation/authenticator.ts';
import { tokenMailedBy } from '../harness/installation/mailed-links.ts';
import { aSplit } from '../harness/installation/scripted.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';

const PASSWORD = 'correct horse battery';
const NEW_PASSWORD = 'a new battery, a new horse';
const MINUTE_MS = 60_000;

describe('accounts by mail', () => {
  const all = forSuite(() =>
    startInstallation({ kind: 'scripted', env: { REQUIRE_VERIFIED_EMAIL: 'true' } }),
  );
  let holders = 0;

  async function register() {
    const email = `by-mail-${++holders}@example.com`;
    const { status, body } = await all.call('POST /auth/register', {}, { email, password: PASSWORD });
    assert.equal(status, 201, JSON.stringify(body));
    return { email, token: bearer(body.accessToken), refreshToken: body.refreshToken };
  }
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const signIn = (email: string, password: string) => all.call('POST /auth/login', {}, { email, password });
  async function expectCode(answer: Promise<Answer>, status: number, code: string) {
    const { status: given, body } = await answer;
    assert.deepEqual([given, body?.error?.code], [status, code]);
  }
  type Answer = Awaited<ReturnType<typeof all.call>>;
  const tokenAfter = (path: string, work: () => Promise<unknown>) =>
    tokenMailedBy(join(all.folder, 'mail'), path, work);

  test('403 EMAIL_NOT_VERIFIED until the link in the mail is opened', async () => {
    let account!: Awaited<ReturnType<typeof register>>;
    const token = await tokenAfter('/verify', async () => {
      account = await register();
    });
    const { body: key } = await all.call('POST /api-keys', account.token, { name: 'a key' });
    const create = () => all.call('POST /splits', { 'x-api-key': key.key }, aSplit);
    await expectCode(create(), 403, 'EMAIL_NOT_VERIFIED');
    const security = await all.call('GET /account/security', account.token);
    assert.deepEqual(security.body, { email: account.email, emailVerified: false, mustVerifyEmail: true });
    assert.equal((await all.call('POST /auth/verify', {}, { token })).status, 204);
    await expectCode(all.call('POST /auth/verify', {}, { token }), 401, 'UNAUTHORIZED');
    assert.equal((await create()).status, 201);
  });

  test('a reset by mail ends refresh and access tokens within a second, and keeps API keys', async () => {
    const account = await register();
    const { body: key } = await all.call('POST /api-keys', account.token, { name: 'a key' });
    const forgot = (email: string) => all.call('POST /auth/password/forgot', {}, { email });
    const token = await tokenAfter('/password/reset', () => forgot(account.email));
    const [unknown, known] = [await forgot('no-account@example.com'), await forgot(account.email)];
    assert.deepEqual([unknown.status, unknown.body], [known.status, known.body]);
    const reset = () => all.call('POST /auth/password/reset', {}, { token, password: NEW_PASSWORD });
    const [first, second] = await Promise.all([reset(), reset()]);
    assert.deepEqual([first.status, second.status].sort(), [204, 401]);
    await expectCode(all.call('GET /account', account.token), 401, 'UNAUTHORIZED');
    await expectCode(
      all.call('POST /auth/refresh', {}, { refreshToken: account.refreshToken }),
      401,
      'UNAUTHORIZED',
    );
    await expectCode(signIn(account.email, PASSWORD), 401, 'UNAUTHORIZED');
    assert.equal((await signIn(account.email, NEW_PASSWORD)).status, 200);
    assert.equal((await all.call('GET /splits', { 'x-api-key': key.key })).status, 200);
  });

  test('a change of the password ends other sessions at every gateway, and keeps the current one', async () => {
    const account = await register();
    const { body: other } = await signIn(account.email, PASSWORD);
    const wrong = { current: 'a wrong password', password: NEW_PASSWORD };
    const { status, body } = await all.call('PUT /account/password', account.token, wrong);
    assert.deepEqual(
      [status, body.error.code, body.error.details[0].field],
      [400, 'INVALID_PARAMS', 'current'],
    );
    assert.equal((await all.call('GET /account', bearer(other.accessToken))).status, 200);
    const right = { current: PASSWORD, password: NEW_PASSWORD };
    assert.equal((await all.call('PUT /account/password', account.token, right)).status, 204);
    assert.equal((await all.call('GET /account', account.token)).status, 200);
    await expectCode(all.call('GET /account', bearer(other.accessToken)), 401, 'UNAUTHORIZED');
  });

  test('the address changes once the new one is verified', async () => {
    let account!: Awaited<ReturnType<typeof register>>;
    await tokenAfter('/verify', async () => {
      account = await register();
    });
    const email = `elsewhere-${account.email}`;
    const change = { email, current: PASSWORD };
    const token = await tokenAfter('/verify', async () => {
      assert.equal((await all.call('PUT /account/email', account.token, change)).status, 204);
    });
    const security = await all.call('GET /account/security', account.token);
    assert.equal(security.body.pendingEmail, email);
    assert.equal((await all.call('POST /auth/verify', {}, { token })).status, 204);
    assert.equal((await signIn(email, PASSWORD)).status, 200);
    await until(async () => {
      const { body } = await all.call('GET /account', account.token);
      return body.email === email;
    }, 'the profile has the new address');
  });

  test('an address that has an account gets the same response', async () => {
    const [account, taken] = [await register(), await register()];
    all.advance(5 * MINUTE_MS);
    const change = (email: string) =>
      all.call('PUT /account/email', account.token, { email, current: PASSWORD });
    const free = await change('unused-address@example.com');
    const answer = await change(taken.email);
    assert.deepEqual([answer.status, answer.body], [free.status, free.body]);
  });

  test('sessions are listed, and can be ended one by one or all others together', async () => {
    const account = await register();
    const { body: other } = await signIn(account.email, PASSWORD);
    await signIn(account.email, PASSWORD);
    const list = async () => (await all.call('GET /account/sessions', account.token)).body.data;
    const sessions = await list();
    assert.equal(sessions.length, 3);
    assert.deepEqual(sessions.filter(({ current }: { current: boolean }) => current).length, 1);
    for (const each of sessions) {
      const fields = ['id', 'createdAt', 'lastUsedAt', 'address', 'userAgent', 'current'];
      assert.deepEqual(Object.keys(each), fields);
      assert.match(each.address, /127\.0\.0\.1/);
    }
    const { body: mine } = await all.call('GET /account/sessions', bearer(other.accessToken));
    const { id } = mine.data.find(({ current }: { current: boolean }) => current);
    assert.equal((await all.call(`DELETE /account/sessions/${id}`, account.token)).status, 204);
    await expectCode(all.call('GET /account', bearer(other.accessToken)), 401, 'UNAUTHORIZED');
    await expectCode(all.call(`DELETE /account/sessions/${id}`, account.token), 404, 'NOT_FOUND');
    assert.equal((await all.call('DELETE /account/sessions', account.token)).status, 204);
    assert.deepEqual(
      (await list()).map(({ current }: { current: boolean }) => current),
      [true],
    );
  });

  test('with a second factor signing in requires a code: 403 SECOND_FACTOR_REQUIRED without one', async () => {
    const account = await register();
    const begun = await all.call('POST /account/second-factor', account.token, { current: PASSWORD });
    assert.equal(begun.status, 201, JSON.stringify(begun.body));
    const codeNow = () => authenticatorCode(begun.body.secret, all.now());
    const confirmed = await all.call('POST /account/second-factor/confirm', account.token, {
      code: codeNow(),
    });
    assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body));
    await expectCode(signIn(account.email, PASSWORD), 403, 'SECOND_FACTOR_REQUIRED');
    all.advance(MINUTE_MS);
    const credentials = { email: account.email, password: PASSWORD };
    const withCode = (code: string) => all.call('POST /auth/login', {}, { ...credentials, code });
    const code = codeNow();
    assert.equal((await withCode(code)).status, 200);
    await expectCode(withCode(code), 401, 'UNAUTHORIZED');
    const [recovery, other] = confirmed.body.recoveryCodes;
    assert.equal((await withCode(recovery)).status, 200);
    await expectCode(withCode(recovery), 401, 'UNAUTHORIZED');
    const off = () =>
      all.call('DELETE /account/second-factor', account.token, { current: PASSWORD, code: other });
    assert.equal((await off()).status, 204);
    assert.equal((await signIn(account.email, PASSWORD)).status, 200);
    await expectCode(off(), 404, 'NOT_FOUND');
  });
});
