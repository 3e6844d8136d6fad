/**
 * Accounts of people who sign in with an external issuer: created at the first request, and then like any
 * other.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import { expectError } from '@audiosplit/gateway/testing/expect-error';
import { type OidcClaims, startOidcIssuer } from '@audiosplit/gateway/testing/oidc-issuer';
import { DAY_MS } from '../../harness/installation/scripted.ts';
import { answerOf, bearer, type Call, makeExport, startIsolation, withKey } from './installation.fixture.ts';

const CONFIRMED = { confirmation: 'DELETE MY ACCOUNT' };

interface Profile {
  readonly id: string;
  readonly email?: string;
  readonly name: string;
  readonly createdAt: string;
}

describe('accounts of an external issuer', () => {
  let clock = () => new Date();
  const issuer = forSuite(() => startOidcIssuer(() => clock()));
  const installation = forSuite(() => startIsolation({ jwt: issuer.jwt }));
  let call: Call;
  before(() => {
    clock = installation.all.context.clock;
    call = installation.call;
  });
  const ADA = { sub: 'auth0|ada', email: 'Ada@example.com', email_verified: true, name: 'Ada' } as const;
  const as = async (claims: OidcClaims) => bearer(await issuer.sign(claims));
  const profileOf = async (claims: OidcClaims) =>
    answerOf<Profile>(call('GET', '/api/v1/account', await as(claims)));

  it('are created at the first token, once for any number of tokens, and identical at every gateway', async () => {
    const other = await installation.addGateway({ jwt: issuer.jwt });
    const token = await as(ADA);
    const answers = [call, other.call, call, other.call].map((each) => each('GET', '/api/v1/account', token));
    const profiles = await Promise.all(answers.map((answer) => answerOf<Profile>(answer)));
    for (const profile of profiles) assert.deepEqual(profile, profiles[0]);
    const { id, email, name } = profiles[0] ?? assert.fail();
    assert.match(id, /^acc_[0-9a-z]{26}$/);
    assert.deepEqual({ email, name }, { email: 'Ada@example.com', name: 'Ada' });
    assert.equal((await installation.all.published('accountRegistered', id, 1)).length, 1);
    assert.notEqual((await profileOf({ sub: 'auth0|bob' })).id, id, 'another subject is another account');
  });

  it('need no address: none is shown unless one is verified, and no mail is sent', async () => {
    const claims = { sub: 'auth0|quiet', email: 'quiet@example.com', email_verified: false };
    const profile = await profileOf(claims);
    assert.deepEqual({ ...profile, id: '', createdAt: '' }, { id: '', name: '', createdAt: '' });
    await answerOf(call('DELETE', '/api/v1/account', await as(claims), CONFIRMED));
    const select = 'select from account.mails where account_id = $1';
    assert.equal((await installation.all.sql.query(select, [profile.id])).rowCount, 0);
    await answerOf(call('POST', '/api/v1/account/restore', await as(claims)));
  });

  it('follow later claims of the issuer; fields without a claim are kept', async () => {
    const { id } = await profileOf(ADA);
    await profileOf({ sub: ADA.sub });
    await profileOf({ ...ADA, email: 'ada@new.example.com', name: 'Ada L.' });
    await profileOf({ sub: ADA.sub, email: 'not an address', email_verified: true, name: 'a\u0007' });
    const hasFollowed = async () => (await profileOf({ sub: ADA.sub })).name === 'Ada L.';
    await until(hasFollowed, 'the profile has followed');
    assert.equal((await profileOf({ sub: ADA.sub })).email, 'ada@new.example.com');
    assert.equal((await installation.all.published('accountProfileChanged', id, 1)).length, 1);
  });

  it('have the same functions as others: keys, jobs, billing, exports', async () => {
    const token = await as(ADA);
    const { key } = await answerOf<{ key: string }>(call('POST', '/api/v1/api-keys', token, { name: 'key' }));
    assert.equal((await call('GET', '/api/v1/splits', withKey(key))).status, 200);
    await answerOf(call('PUT', '/api/v1/billing/payment-method', token, { token: 'tok_visa' }));
    await answerOf(call('POST', '/api/v1/billing/subscribe', token, { planId: 'plan_starter' }));
    const { plan } = await answerOf<{ plan: { id: string } }>(call('GET', '/api/v1/billing', token));
    assert.equal(plan.id, 'plan_starter');
    await makeExport(installation, { token: () => issuer.sign(ADA) });
  });

  it('are deleted after the grace period, restored, and purged; the subject may get a new account', async () => {
    const { all } = installation;
    const claims = { sub: 'auth0|leaver', email: 'leaver@example.com', email_verified: true };
    const { id } = await profileOf(claims);
    const created = call('POST', '/api/v1/api-keys', await as(claims), { name: 'key' });
    const { key } = await answerOf<{ key: string }>(created);
    const close = async () => call('DELETE', '/api/v1/account', await as(claims), CONFIRMED);
    await answerOf(close());
    all.advance(1_000);
    await expectError(await call('GET', '/api/v1/splits', withKey(key)), 'UNAUTHORIZED');
    await expectError(await call('GET', '/api/v1/billing', await as(claims)), 'ACCOUNT_PENDING_DELETION');
    await answerOf(call('POST', '/api/v1/account/restore', await as(claims)));
    await until(async () => {
      all.advance(1_000);
      return (await call('GET', '/api/v1/splits', withKey(key))).status === 200;
    }, 'the key works again');

    await answerOf(close());
    all.advance(15 * DAY_MS);
    await all.runTask('account', 'purge-accounts');
    await until(async () => {
      const left = await all.sql.query('select from auth.external_identities where account_id = $1', [id]);
      return left.rowCount === 0;
    }, 'auth has forgotten the subject');
    const comesBack = await profileOf(claims);
    assert.notEqual(comesBack.id, id, 'the old id is not used while traces of it may still arrive');
    assert.equal((await call('GET', '/api/v1/billing', await as(claims))).status, 200);
    assert.equal((await profileOf(claims)).id, comesBack.id);
  });
});
