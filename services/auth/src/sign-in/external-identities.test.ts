import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '@audiosplit/chassis/ids';
import { createCaller } from '@audiosplit/chassis/rpc/client';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { testKeysOf } from '@audiosplit/chassis/testing/identities';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { until } from '@audiosplit/chassis/testing/until';
import { AuthService } from '@audiosplit/proto/auth/v1/auth';
import type { Process } from '@audiosplit/proto/callers';
import { AccountLimitsSchema, EventSchema } from '@audiosplit/proto/events/v1/events';
import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { startAuthFixture } from '../auth.fixture.ts';
import { externalAccountId } from './external-identities.ts';

const ISSUER = 'https://login.example.com/';

describe('subjects of an external issuer', () => {
  const fixture = forSuite(startAuthFixture);
  const admit = (subject: string, claims: { email?: string; name?: string; issuer?: string } = {}) =>
    fixture.auth.admitSubject({ issuer: ISSUER, subject, ...claims });
  const identityOf = async (accountId: string) => {
    const { rows } = await fixture.pool.query(
      'select email, name from external_identities where account_id = $1',
      [accountId],
    );
    return rows[0];
  };

  it('get an account derived from issuer and subject, and its limits', async () => {
    const { accountId, limits, pendingDeletion } = await admit('ada', {
      email: 'ada@example.com',
      name: 'Ada',
    });
    assert.equal(accountId, externalAccountId({ issuer: ISSUER, subject: 'ada' }));
    assert.equal(limits?.requestsPerMinute, 10);
    assert.equal(pendingDeletion, false);
    const [event] = await fixture.published('accountRegistered', accountId, 1);
    assert.deepEqual(
      event?.payload.case === 'accountRegistered' && event.payload.value.email,
      'ada@example.com',
    );
    assert.equal((await admit('ada')).accountId, accountId);
    assert.notEqual((await admit('ada', { issuer: 'https://other.example.com/' })).accountId, accountId);
    assert.notEqual((await admit('Ada')).accountId, accountId, 'subjects differ by case');
  });

  it('are registered once for many concurrent tokens', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => admit('many', { name: 'Many' })));
    const ids = new Set(answers.map(({ accountId }) => accountId));
    assert.equal(ids.size, 1);
    const [accountId = ''] = ids;
    await admit('many', { name: 'More' });
    await fixture.published('accountProfileChanged', accountId, 1);
    assert.equal((await fixture.published('accountRegistered', accountId, 1)).length, 1);
  });

  it('keep their profile if a token has none or an invalid one', async () => {
    const { accountId } = await admit('bob', { email: ' bob@example.com ', name: 'Bob' });
    for (const claims of [
      {},
      { email: 'bob' },
      { email: 'a@b' },
      { name: 'B\nob' },
      { name: 'b'.repeat(300) },
    ]) {
      await admit('bob', claims);
      assert.deepEqual(await identityOf(accountId), { email: 'bob@example.com', name: 'Bob' });
    }
    await admit('bob', { email: 'robert@example.com' });
    assert.deepEqual(await identityOf(accountId), { email: 'robert@example.com', name: 'Bob' });
  });

  it('keep the profile of a newer token when an older one arrives', async () => {
    const at = (seconds: number, claims: { email?: string; name?: string }) =>
      fixture.auth.admitSubject({
        issuer: ISSUER,
        subject: 'eve',
        issuedAt: { seconds: BigInt(seconds) },
        ...claims,
      });
    const { accountId } = await at(1_000, { email: 'old@example.com', name: 'Eve' });
    await at(2_000, { email: 'new@example.com' });
    await at(1_000, { email: 'old@example.com', name: 'Eva' });
    assert.deepEqual(await identityOf(accountId), { email: 'new@example.com', name: 'Eve' });
    await at(3_000, { email: 'old@example.com' });
    await admit('eve', { name: 'Without a time' });
    await at(2_999, { email: 'new@example.com' });
    assert.deepEqual(await identityOf(accountId), { email: 'old@example.com', name: 'Without a time' });
  });

  it('may share an address, because an address does not identify an account', async () => {
    const one = await admit('one', { email: 'shared@example.com' });
    const two = await admit('two', { email: 'shared@example.com' });
    assert.notEqual(one.accountId, two.accountId);
  });

  it('NOT_FOUND: a subject without an account, with knownOnly', async () => {
    const known = (subject: string, claims: { name?: string } = {}) =>
      fixture.auth.admitSubject({ issuer: ISSUER, subject, knownOnly: true, ...claims });
    await refusal(known('dora'), 'NOT_FOUND');
    const { accountId } = await admit('dora', { name: 'Dora' });
    assert.equal((await known('dora', { name: 'Dorothea' })).accountId, accountId);
    assert.equal((await identityOf(accountId)).name, 'Dorothea');
  });

  it('INVALID_PARAMS: an invalid subject', async () => {
    for (const subject of ['', 'a'.repeat(256), 'a\u0000', 'é']) {
      await refusal(admit(subject), 'INVALID_PARAMS');
    }
  });

  it('are deleted with the purge, and get a new account id afterwards', async () => {
    const { accountId } = await admit('leaver', { email: 'leaver@example.com' });
    await fixture.tell(accountId, { case: 'accountPurged', value: {} });
    await until(async () => (await identityOf(accountId)) === undefined, 'the purge is done');
    const again = await admit('leaver');
    assert.equal(again.accountId, externalAccountId({ issuer: ISSUER, subject: 'leaver' }, 1));
    assert.equal(again.pendingDeletion, false);
    assert.equal((await admit('leaver')).accountId, again.accountId);
  });

  it('are returned to the account service by account id', async () => {
    const { accountId } = await admit('cyd', { name: 'Cyd' });
    const account = createCaller({ ...fixture.context, keys: testKeysOf('account') });
    const { account: identity } = await account
      .client(AuthService, fixture.address)
      .getIdentity({ accountId });
    assert.deepEqual([identity?.id, identity?.email, identity?.name], [accountId, '', 'Cyd']);
  });

  it('UNAUTHORIZED: a caller other than the gateway', async () => {
    const other = createCaller({ ...fixture.context, keys: testKeysOf('jobs') }).client(
      AuthService,
      fixture.address,
    );
    await refusal(other.admitSubject({ issuer: ISSUER, subject: 'ada' }), 'UNAUTHORIZED');
  });
});

describe('closing an account before the event arrives', () => {
  const fixture = forSuite(startAuthFixture);
  const asService = (process: Process) =>
    createCaller({ ...fixture.context, keys: testKeysOf(process) }).client(AuthService, fixture.address);
  const requested = { case: 'accountDeletionRequested', value: {} } as const;
  const isPending = async (accountId: string) =>
    (await fixture.auth.getAccountLimits({ accountId })).pendingDeletion;

  it('applies at once; the event counts once, by call or by bus, and a restore ends it', async () => {
    const accountId = newId('acc');
    const id = newId('evt');
    const occurredAt = timestampFromDate(fixture.now());
    const event = create(EventSchema, { id, accountId, occurredAt, payload: requested });
    await asService('account').closeAccount({ event });
    assert.equal(await isPending(accountId), true);
    await fixture.tell(accountId, requested, { id });
    await fixture.tell(accountId, { case: 'accountRestored', value: {} });
    await until(async () => !(await isPending(accountId)), 'restored');
    await asService('account').closeAccount({ event });
    assert.equal(await isPending(accountId), false, 'a straggler changes nothing');
  });

  it('changes nothing if the account has been restored since', async () => {
    const accountId = newId('acc');
    const occurredAt = timestampFromDate(fixture.now());
    const request = () =>
      create(EventSchema, { id: newId('evt'), accountId, occurredAt, payload: requested });
    await asService('account').closeAccount({ event: request() });
    fixture.advance(1);
    await fixture.tell(accountId, { case: 'accountRestored', value: {} });
    await until(async () => !(await isPending(accountId)), 'restored');
    await asService('account').closeAccount({ event: request() });
    assert.equal(await isPending(accountId), false);
  });

  it('INVALID_PARAMS, UNAUTHORIZED: another event, another service', async () => {
    const accountId = newId('acc');
    const occurredAt = timestampFromDate(fixture.now());
    const undated = create(EventSchema, { id: newId('evt'), accountId, payload: requested });
    const event = create(EventSchema, { ...undated, occurredAt });
    const purged = create(EventSchema, {
      id: newId('evt'),
      accountId,
      occurredAt,
      payload: { case: 'accountPurged', value: {} },
    });
    await refusal(asService('account').closeAccount({ event: purged }), 'INVALID_PARAMS');
    await refusal(asService('account').closeAccount({ event: undated }), 'INVALID_PARAMS');
    await refusal(asService('account').closeAccount({}), 'INVALID_PARAMS');
    await refusal(asService('gateway').closeAccount({ event }), 'UNAUTHORIZED');
    assert.equal(await isPending(accountId), false);
  });
});

describe('refreshed limits', () => {
  it('come from billing, replace those of an earlier event, and are stored', async () => {
    await using fixture = await startAuthFixture();
    const accountId = newId('acc');
    const limitsOf = async (refresh: boolean) =>
      (await fixture.auth.getAccountLimits({ accountId, refresh })).limits?.planId;
    const plan = (planId: string, revision: bigint) => create(AccountLimitsSchema, { planId, revision });
    fixture.billingLimits = plan('plan_free', 0n);
    assert.equal(await limitsOf(false), 'plan_free');
    fixture.billingLimits = plan('plan_pro', 2n);
    assert.equal(await limitsOf(false), 'plan_free');
    assert.equal(await limitsOf(true), 'plan_pro');
    assert.equal(await limitsOf(false), 'plan_pro');
    fixture.billingLimits = undefined;
    await refusal(fixture.auth.getAccountLimits({ accountId, refresh: true }), 'SERVICE_UNAVAILABLE');
  });
});
