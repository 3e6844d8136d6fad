import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '@audiosplit/chassis/ids';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { PASSWORD, startAuthFixture } from '../auth.fixture.ts';
import { LINK_LIFETIME_MS } from './mailed-links.ts';

describe('links that sign in', () => {
  const fixture = forSuite(startAuthFixture);

  let accounts = 0;
  const register = async () => {
    const email = `linked-${++accounts}@example.com`;
    const { session } = await fixture.auth.register({ email, password: PASSWORD });
    return { email, accountId: session?.account?.id ?? '' };
  };
  const use = (token: string) =>
    fixture.auth.loginByLink({ token, clientIp: '192.0.2.9', deviceToken: 'a device' });

  it('work once, for 30 minutes, and make the caller known', async () => {
    const { email, accountId } = await register();
    const { token, expiresAt } = await fixture.auth.createSignInLink({ accountId });
    assert.equal(expiresAt && timestampDate(expiresAt).getTime(), fixture.now().getTime() + LINK_LIFETIME_MS);
    const { token: second } = await fixture.auth.createSignInLink({ accountId });
    fixture.advance(LINK_LIFETIME_MS - 1);
    const { session } = await use(token);
    assert.equal(session?.account?.id, accountId);
    assert((await fixture.auth.refreshSession({ refreshToken: session?.refreshToken ?? '' })).session);
    await refusal(use(token), 'UNAUTHORIZED');
    await refusal(use(second), 'UNAUTHORIZED');

    for (let n = 0; n < 100; n++) {
      const clientIp = `198.51.100.${n % 10}`;
      await refusal(fixture.auth.login({ email, password: 'a wrong password', clientIp }), 'UNAUTHORIZED');
    }
    const login = (clientIp: string) => fixture.auth.login({ email, password: PASSWORD, clientIp });
    await refusal(login('203.0.113.1'), 'SIGN_IN_LINK_SENT');
    assert((await login('192.0.2.9')).session);
  });

  it('UNAUTHORIZED: an old or wrong link', async () => {
    const { accountId } = await register();
    const { token } = await fixture.auth.createSignInLink({ accountId });
    for (const wrong of ['', `${token}x`, 'asl_wrong']) await refusal(use(wrong), 'UNAUTHORIZED');
    fixture.advance(LINK_LIFETIME_MS);
    await refusal(use(token), 'UNAUTHORIZED');
  });

  it('sign in for only one of two concurrent uses', async () => {
    const { accountId } = await register();
    const { token } = await fixture.auth.createSignInLink({ accountId });
    const outcomes = await Promise.allSettled([use(token), use(token)]);
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  });

  it('are stored as hashes, and are deleted with the account', async () => {
    const { accountId } = await register();
    const { token } = await fixture.auth.createSignInLink({ accountId });
    const { rowCount } = await fixture.pool.query(
      'select from sign_in_links where sha256 = sha256($1::bytea) and account_id = $2',
      [Buffer.from(token), accountId],
    );
    assert.equal(rowCount, 1);
    await fixture.pool.query('delete from accounts where id = $1', [accountId]);
    await refusal(use(token), 'UNAUTHORIZED');
  });

  it('NOT_FOUND: for an account that does not exist', async () => {
    await refusal(fixture.auth.createSignInLink({ accountId: newId('acc') }), 'NOT_FOUND');
  });
});
