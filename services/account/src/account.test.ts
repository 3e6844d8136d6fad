import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '@audiosplit/chassis/ids';
import { hasReason } from '@audiosplit/chassis/rpc/errors';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { until } from '@audiosplit/chassis/testing/until';
import type { Account } from '@audiosplit/proto/account/v1/account';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { startAccountFixture } from './account.fixture.ts';

describe('the account', () => {
  const fixture = forSuite(startAccountFixture);

  const get = (accountId: string) => fixture.accounts.getAccount({}, fixture.actingFor(accountId));
  const exists = async (accountId: string) => {
    try {
      await get(accountId);
      return true;
    } catch (error) {
      if (hasReason(error, Reason.NOT_FOUND)) return false;
      throw error;
    }
  };
  const registered = (email: string) =>
    ({ case: 'accountRegistered', value: { email, name: 'Ada' } }) as const;
  const purged = { case: 'accountPurged', value: {} } as const;

  const register = async (eventId?: string): Promise<Account> => {
    const accountId = newId('acc');
    await fixture.tell(accountId, registered('ada@example.com'), { id: eventId });
    await until(() => exists(accountId));
    const { account } = await get(accountId);
    assert(account);
    return account;
  };

  it('exists once its registration event has arrived', async () => {
    const account = await register();
    assert.equal(account.email, 'ada@example.com');
    assert.equal(account.name, 'Ada');
    assert.deepEqual(account.createdAt, timestampFromDate(fixture.now()));
    assert.equal(account.deletionScheduledAt, undefined);
  });

  it('exists from its registration on, before the event has arrived', async () => {
    const id = newId('acc');
    const createdAt = timestampFromDate(new Date('2026-03-14T09:00:00Z'));
    fixture.others.identities.set(id, { id, email: 'new@example.com', name: 'New', createdAt });
    const { account } = await get(id);
    assert.equal(account?.email, 'new@example.com');
    assert.deepEqual(account?.createdAt, createdAt);
  });

  it('follows the profile of the external issuer, even one without an address', async () => {
    const { id } = await register();
    const profile = async () => {
      const { account } = await get(id);
      return { email: account?.email, name: account?.name };
    };
    await fixture.tell(id, { case: 'accountProfileChanged', value: { email: '', name: 'Ada L.' } });
    await until(async () => (await profile()).name === 'Ada L.', 'the profile has followed');
    assert.equal((await profile()).email, '');
    const deletion = fixture.accounts.deleteAccount(
      { confirmation: 'DELETE MY ACCOUNT' },
      fixture.actingFor(id),
    );
    assert((await deletion).deletionScheduledAt, 'goes without a mail');
    const { rowCount } = await fixture.sql.query('select from mails where account_id = $1', [id]);
    assert.equal(rowCount, 0);
  });

  it('NOT_FOUND: an unknown account', async () => {
    await refusal(get(newId('acc')), 'NOT_FOUND');
  });

  it('is gone once purged, and late events do not recreate it', async () => {
    const eventId = newId('evt');
    const { id } = await register(eventId);
    await fixture.tell(id, purged);
    await until(async () => !(await exists(id)));
    await fixture.tell(id, registered('ada@example.com'), { id: eventId });
    await fixture.tell(id, registered('grace@example.com'));
    // A later event has been handled, so these have been handled too.
    await fixture.tell(id, purged);
    const after = await register();
    assert.ok(after.id !== id && !(await exists(id)));
  });

  it('UNAUTHORIZED: a call without an account', async () => {
    await refusal(fixture.accounts.getAccount({}), 'UNAUTHORIZED');
  });
});
