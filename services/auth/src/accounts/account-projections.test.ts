import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import { eventMessage } from '@audiosplit/chassis/event-bus/event-message';
import { newId } from '@audiosplit/chassis/ids';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { until } from '@audiosplit/chassis/testing/until';
import {
  type AccountLimits,
  AccountLimitsSchema,
  SuspensionSchema,
} from '@audiosplit/proto/events/v1/events';
import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { PASSWORD, startAuthFixture } from '../auth.fixture.ts';

const limitsOf = (revision: bigint, requestsPerMinute: number) =>
  create(AccountLimitsSchema, {
    planId: 'plan_pro',
    requestsPerMinute,
    concurrentJobs: 20,
    maxFileSizeBytes: 2_147_483_648n,
    monthlyMinutes: 5_000,
    overageAllowed: true,
    revision,
  });

describe('account state from other services', () => {
  const fixture = forSuite(startAuthFixture);
  beforeEach(() => {
    fixture.billingLimits = limitsOf(0n, 10);
    fixture.billingQuestions = 0;
  });

  const read = (accountId: string) => fixture.auth.getAccountLimits({ accountId });
  const tellLimits = (accountId: string, revision: bigint, requestsPerMinute: number) =>
    fixture.tell(accountId, {
      case: 'accountLimitsChanged',
      value: { limits: limitsOf(revision, requestsPerMinute) },
    });
  const requestDeletion = async (accountId: string, id?: string) => {
    await fixture.tell(
      accountId,
      { case: 'accountDeletionRequested', value: { purgeAt: timestampFromDate(fixture.now()) } },
      { id },
    );
  };
  const verify = (secret: string) =>
    fixture.auth.verifyApiKey({ secretSha256: createHash('sha256').update(secret).digest() });

  const registerWithKey = async () => {
    const email = `${newId('person')}@example.com`;
    const { session } = await fixture.auth.register({ email, password: PASSWORD });
    assert(session?.account);
    const accountId = session.account.id;
    const { secret } = await fixture.auth.createApiKey({ name: 'k' }, fixture.actingFor(accountId));
    return { accountId, email, secret, refreshToken: session.refreshToken };
  };

  describe('limits', () => {
    it('come from billing if no event has arrived, and are stored', async () => {
      const accountId = newId('acc');
      assert.deepEqual((await read(accountId)).limits, limitsOf(0n, 10));
      assert.deepEqual((await read(accountId)).limits, limitsOf(0n, 10));
      assert.equal(fixture.billingQuestions, 1);
    });

    it('follow the events; the highest revision wins', async () => {
      const accountId = newId('acc');
      await read(accountId);
      await tellLimits(accountId, 2n, 200);
      await tellLimits(accountId, 1n, 100);
      await tellLimits(newId('acc'), 1n, 1);
      await until(async () => (await read(accountId)).limits?.revision === 2n);
      await tellLimits(accountId, 3n, 300);
      await until(async () => (await read(accountId)).limits?.revision === 3n);
      assert.deepEqual((await read(accountId)).limits, limitsOf(3n, 300));
    });

    it('include a suspension, for tokens and for keys, until limits without one arrive', async () => {
      const { accountId, secret } = await registerWithKey();
      const suspension = create(SuspensionSchema, {
        suspendedAt: timestampFromDate(fixture.now()),
        reason: 'It sends spam.',
      });
      const tell = (limits: AccountLimits) =>
        fixture.tell(accountId, { case: 'accountLimitsChanged', value: { limits } });
      await tell({ ...limitsOf(1n, 10), suspension });
      await until(async () => (await read(accountId)).limits?.suspension !== undefined);
      assert.equal((await read(accountId)).limits?.suspension?.reason, suspension.reason);
      const verified = await verify(secret);
      assert.deepEqual(verified.limits?.suspension?.suspendedAt, suspension.suspendedAt);
      await tell(limitsOf(2n, 10));
      await until(async () => (await read(accountId)).limits?.suspension === undefined);
      assert.equal((await verify(secret)).limits?.suspension, undefined);
    });

    it('SERVICE_UNAVAILABLE: billing is needed and down', async () => {
      fixture.billingLimits = undefined;
      const info = await refusal(read(newId('acc')), 'SERVICE_UNAVAILABLE');
      assert.equal(info.retryAfterSeconds, 5);
    });
  });

  describe('deletion of an account', () => {
    // Covers D-6.1 D-9.24
    it('UNAUTHORIZED: keys stop while it is pending, and work again once restored', async () => {
      const { accountId, email, secret } = await registerWithKey();
      assert.equal((await read(accountId)).pendingDeletion, false);
      await requestDeletion(accountId, 'evt_requested');
      await until(async () => (await read(accountId)).pendingDeletion);
      await refusal(verify(secret), 'UNAUTHORIZED');
      assert((await fixture.auth.login({ email, password: PASSWORD })).session, 'signing in still works');

      await fixture.tell(accountId, { case: 'accountRestored', value: {} });
      await until(async () => !(await read(accountId)).pendingDeletion);
      await verify(secret);

      await requestDeletion(accountId, 'evt_requested');
      await tellLimits(accountId, 9n, 9);
      await until(async () => (await read(accountId)).limits?.revision === 9n);
      assert.equal((await read(accountId)).pendingDeletion, false, 'a redelivered request is old news');
    });

    it('is ordered by the time of a request or a restore, not by the time of arrival', async () => {
      const { accountId, secret } = await registerWithKey();
      const requestedAt = fixture.now();
      fixture.advance(1000);
      const restoredAt = fixture.now();
      const tellLate = async (
        kind: 'accountDeletionRequested' | 'accountRestored',
        occurredAt: Date,
        revision: bigint,
      ) => {
        const message = eventMessage(accountId, occurredAt, { case: kind, value: {} });
        await fixture.context.bus.publish([{ ...message, headers: {} }]);
        // A later event of the same account is handled after it.
        await tellLimits(accountId, revision, 9);
        await until(async () => (await read(accountId)).limits?.revision === revision);
        return (await read(accountId)).pendingDeletion;
      };
      assert.equal(await tellLate('accountRestored', restoredAt, 1n), false);
      assert.equal(await tellLate('accountDeletionRequested', requestedAt, 2n), false);
      await verify(secret);

      assert.equal(await tellLate('accountDeletionRequested', restoredAt, 3n), true, 'at the same time');
      assert.equal(await tellLate('accountRestored', requestedAt, 4n), true);
      await refusal(verify(secret), 'UNAUTHORIZED');
      assert.equal(await tellLate('accountRestored', restoredAt, 5n), false, 'at the same time');
    });

    // Covers D-6.4
    it('leaves nothing of the account once purged', async () => {
      const { accountId, email, secret, refreshToken } = await registerWithKey();
      await requestDeletion(accountId);
      await tellLimits(accountId, 1n, 1);
      await fixture.tell(accountId, { case: 'accountPurged', value: {} });
      const rows = async () => {
        const { rows } = await fixture.pool.query<{ count: number }>(
          `select (select count(*) from accounts where id = $1) + (select count(*) from sessions where account_id = $1)
             + (select count(*) from api_keys where account_id = $1)
             + (select count(*) from account_limits where account_id = $1)
             + (select count(*) from account_closings where account_id = $1)
             + (select count(*) from refresh_tokens where sha256 = sha256($2::bytea))
             + (select count(*) from api_key_secrets where sha256 = sha256($3::bytea)) as count`,
          [accountId, Buffer.from(refreshToken), Buffer.from(secret)],
        );
        return rows[0]?.count;
      };
      await until(async () => (await rows()) === 0);
      await refusal(verify(secret), 'UNAUTHORIZED');
      await refusal(fixture.auth.refreshSession({ refreshToken }), 'UNAUTHORIZED');
      await refusal(fixture.auth.login({ email, password: PASSWORD }), 'UNAUTHORIZED');
      assert((await fixture.auth.register({ email, password: PASSWORD })).session, 'the address is free');

      assert.equal((await read(accountId)).pendingDeletion, true, 'its last access tokens begin nothing new');
      await tellLimits(accountId, 2n, 2);
      await fixture.tell(accountId, { case: 'accountRestored', value: {} });
      const { accountId: later } = await registerWithKey();
      await tellLimits(later, 5n, 5);
      await until(async () => (await read(later)).limits?.revision === 5n);
      assert.equal((await read(accountId)).pendingDeletion, true, 'a purge is final');
      assert.equal(await rows(), 0, 'and nothing is kept of what comes late');
    });
  });
});
