/**
 * While many callers guess the password of an address, its holder signs in from a known place, and elsewhere
 * with a mailed link.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { hasReason } from '@audiosplit/chassis/rpc/errors';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { codeOf, newCredentials, openBrowser } from '../harness/installation/console.fixture.ts';
import { mailedTokens } from '../harness/installation/mailed-links.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';

describe('a sign-in link', () => {
  const all = forSuite(() => startInstallation({ kind: 'scripted' }));
  const credentials = newCredentials();

  /** As callers elsewhere do. */
  const guess = async (clientIp: string) => {
    const wrong = { ...credentials, password: 'a wrong password', clientIp };
    await assert.rejects(all.auth.login(wrong), (error) => hasReason(error, Reason.UNAUTHORIZED));
  };
  const tokens = () => mailedTokens(join(all.folder, 'mail'), '/sign-in/link');

  // Covers B-7.2 B-7.3
  test('403 SIGN_IN_LINK_SENT for unknown callers; the link signs in once, by the console and by the API', async () => {
    const browser = openBrowser(all.url);
    await browser.change('session.signUp', credentials);
    assert.ok(browser.jar.has('audiosplit_device'));
    for (let n = 0; n < 100; n++) await guess(`198.51.100.${n % 10}`);
    const elsewhere = { ...credentials, clientIp: '203.0.113.1' };
    const isLinkSent = (error: unknown) => hasReason(error, Reason.SIGN_IN_LINK_SENT);
    await assert.rejects(all.auth.login(elsewhere), isLinkSent);
    await until(async () => (await tokens()).length === 1, 'a mail with a link');
    const [token] = await tokens();

    assert.equal((await browser.mutate('session.signIn', credentials)).status, 200, 'the browser is known');
    const byApi = () => all.call('POST /auth/login/link', {}, { token });
    const first = await byApi();
    assert.equal(first.status, 200, JSON.stringify(first.body));
    assert.equal(first.body.account.email, credentials.email);
    const again = await byApi();
    assert.deepEqual([again.status, again.body.error.code], [401, 'UNAUTHORIZED']);
    const wrong = await browser.mutate('session.signInByLink', { token });
    assert.deepEqual([wrong.status, codeOf(wrong)], [401, 'UNAUTHORIZED']);

    all.advance(5 * 60_000);
    await assert.rejects(all.auth.login(elsewhere), isLinkSent);
    await until(async () => (await tokens()).length === 2, 'a mail five minutes later');
    const fresh = (await tokens()).find((each) => each !== token);
    const newcomer = openBrowser(all.url);
    const { account } = await newcomer.change('session.signInByLink', { token: fresh });
    assert.equal(account.email, credentials.email);
    assert.equal((await newcomer.query('account.get')).status, 200);
  });
});
