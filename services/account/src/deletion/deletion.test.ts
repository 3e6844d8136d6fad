/** Deleting an account, restoring it, and the purge. */
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { newId } from '@audiosplit/chassis/ids';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { until } from '@audiosplit/chassis/testing/until';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError } from '@connectrpc/connect';
import { DAY_MS, HOUR_MS, startAccountFixture } from '../account.fixture.ts';
import { headerOf } from '../mail/received-mail.fixture.ts';

const CONFIRMATION = 'DELETE MY ACCOUNT';

describe('deleting an account', () => {
  const fixture = forSuite(startAccountFixture);
  beforeEach(() => {
    fixture.others.subscription = undefined;
    fixture.others.onCall = () => undefined;
  });

  const register = () => {
    const id = newId('acc');
    const email = `${id}@example.com`;
    fixture.others.identities.set(id, {
      id,
      email,
      name: 'Ada',
      createdAt: timestampFromDate(fixture.now()),
    });
    return { id, email, as: () => fixture.actingFor(id) };
  };
  const ask = async (accountId: string, confirmation = CONFIRMATION) => {
    const answer = await fixture.accounts.deleteAccount({ confirmation }, fixture.actingFor(accountId));
    assert(answer.deletionScheduledAt);
    return timestampDate(answer.deletionScheduledAt);
  };
  const scheduledAt = async (accountId: string) => {
    const { account } = await fixture.accounts.getAccount({}, fixture.actingFor(accountId));
    return account?.deletionScheduledAt && timestampDate(account.deletionScheduledAt);
  };
  const count = async (table: string, accountId: string) => {
    const { rows } = await fixture.sql.query(`select 1 from ${table} where account_id = $1`, [accountId]);
    return rows.length;
  };

  // Covers D-6.4 I-3.3.1 I-8.18
  it('is done within 30 days, is announced to the services and the holder, and shows in the profile', async () => {
    const { id, email } = register();
    const completeBy = await ask(id);
    assert.equal(completeBy.getTime(), fixture.now().getTime() + 30 * DAY_MS);
    assert.deepEqual(await scheduledAt(id), completeBy);
    const [event] = await fixture.published('accountDeletionRequested', id, 1);
    assert(event?.payload.case === 'accountDeletionRequested' && event.payload.value.purgeAt);
    assert.equal(timestampDate(event.payload.value.purgeAt).getTime(), fixture.now().getTime() + 14 * DAY_MS);
    const [mail] = await fixture.mailTo(email, 1);
    assert(mail);
    assert.equal(headerOf(mail, 'subject'), 'Your audiosplit account is about to be deleted');
    assert.match(mail.text, /until 28 March 2026, 09:26 UTC: sign in and restore the account/);
    assert.match(mail.text, /by 13 April 2026, 09:26 UTC at the latest/);
  });

  it('notifies auth once before the response; if auth is down or does not answer, the event reaches it by the bus', async () => {
    const closed: string[] = [];
    fixture.others.onCall = (method, accountId) => {
      if (method === 'closeAccount') closed.push(accountId);
    };
    const { id } = register();
    await ask(id);
    assert.deepEqual(closed, [id]);
    await ask(id);
    assert.deepEqual(closed, [id]);
    fixture.others.onCall = (method) => {
      if (method === 'closeAccount') throw new Error('away');
    };
    const { id: another } = register();
    await ask(another);
    assert.equal((await fixture.published('accountDeletionRequested', another, 1)).length, 1);
    fixture.others.onCall = (method) =>
      method === 'closeAccount' ? new Promise<void>(() => undefined) : undefined;
    await ask(register().id);
    fixture.others.onCall = () => undefined;
  });

  // Covers D-6.5
  it('keeps its date when requested again, and announces nothing', async () => {
    const { id, email } = register();
    const first = await ask(id);
    fixture.advance(DAY_MS);
    // It does not even call billing.
    fixture.others.onCall = () => assert.fail('a service was called');
    const [second, third] = await Promise.all([ask(id), ask(id)]);
    assert.deepEqual([second, third], [first, first]);
    assert.equal((await fixture.published('accountDeletionRequested', id, 1)).length, 1);
    assert.equal((await fixture.mailTo(email, 1)).length, 1);
  });

  it('happens once for several concurrent requests', async () => {
    const { id } = register();
    const times = await Promise.all(Array.from({ length: 5 }, () => ask(id)));
    assert.equal(new Set(times.map(Number)).size, 1);
    assert.equal((await fixture.published('accountDeletionRequested', id, 1)).length, 1);
  });

  for (const confirmation of ['', 'delete my account', 'DELETE MY ACCOUNT ', 'DELETE MY  ACCOUNT']) {
    // Covers I-4.7.1 I-7.4
    it(`INVALID_PARAMS: ${JSON.stringify(confirmation)} as confirmation`, async () => {
      const { id } = register();
      const info = await refusal(ask(id, confirmation), 'INVALID_PARAMS');
      assert.deepEqual(
        info.violations.map(({ field }) => field),
        ['confirmation'],
      );
      assert.equal(await scheduledAt(id), undefined);
    });
  }

  // Covers I-3.3.2 I-4.7.3
  it('ACTIVE_SUBSCRIPTION: an account with a subscription, and no deletion is scheduled', async () => {
    const { id } = register();
    fixture.others.subscription = { id: 'sub_1', status: 'past_due' };
    fixture.others.onCall = (method, accountId) =>
      assert.deepEqual([method, accountId], ['getBillingInfo', id]);
    await refusal(ask(id), 'ACTIVE_SUBSCRIPTION');
    assert.equal(await scheduledAt(id), undefined);
    fixture.others.subscription = undefined;
    await ask(id);
  });

  it('SERVICE_UNAVAILABLE while billing is down', async () => {
    const { id } = register();
    fixture.others.onCall = () => {
      throw new ConnectError('billing is away', Code.Unavailable);
    };
    await refusal(ask(id), 'SERVICE_UNAVAILABLE');
    assert.equal(await scheduledAt(id), undefined);
  });

  it('SERVICE_UNAVAILABLE while a charge is pending, because it may start a subscription', async () => {
    const { id } = register();
    fixture.others.chargePending = true;
    await refusal(ask(id), 'SERVICE_UNAVAILABLE');
    assert.equal(await scheduledAt(id), undefined);
    fixture.others.chargePending = false;
    await ask(id);
  });

  it('NOT_FOUND: an unknown account', async () => {
    await refusal(ask(newId('acc')), 'NOT_FOUND');
    await refusal(fixture.accounts.restoreAccount({}, fixture.actingFor(newId('acc'))), 'NOT_FOUND');
  });

  it('UNAUTHORIZED: a call without an account', async () => {
    await refusal(fixture.accounts.deleteAccount({ confirmation: CONFIRMATION }), 'UNAUTHORIZED');
    await refusal(fixture.accounts.restoreAccount({}), 'UNAUTHORIZED');
  });

  // Covers D-6.3
  it('can be undone until the end of the grace period, and the restore is announced', async () => {
    const { id, email, as } = register();
    await ask(id);
    await fixture.mailTo(email, 1);
    fixture.advance(14 * DAY_MS - 1);
    await fixture.runTask('purge-accounts');
    const { account } = await fixture.accounts.restoreAccount({}, as());
    assert.equal(account?.email, email);
    assert.equal(account.deletionScheduledAt, undefined);
    assert.equal(await scheduledAt(id), undefined);
    await fixture.published('accountRestored', id, 1);
    const [, mail] = await fixture.mailTo(email, 2);
    assert(mail);
    assert.equal(headerOf(mail, 'subject'), 'Your audiosplit account is restored');

    fixture.advance(30 * DAY_MS);
    await fixture.runTask('purge-accounts');
    assert.equal(await count('purges', id), 0);
    // It can be requested again.
    assert.equal((await ask(id)).getTime(), fixture.now().getTime() + 30 * DAY_MS);
    await fixture.published('accountDeletionRequested', id, 2);
  });

  it('a restore never has an earlier time than the request, even if the clock is behind', async () => {
    const { id, as } = register();
    await ask(id);
    const requestedAt = fixture.now();
    fixture.advance(-DAY_MS);
    await fixture.accounts.restoreAccount({}, as());
    fixture.advance(DAY_MS);
    const [event] = await fixture.published('accountRestored', id, 1);
    assert.ok(event?.occurredAt);
    assert.equal(timestampDate(event.occurredAt).getTime(), requestedAt.getTime());
  });

  it('a restore without a deletion changes nothing', async () => {
    const { id, email, as } = register();
    const { account } = await fixture.accounts.restoreAccount({}, as());
    assert.equal(account?.id, id);
    await ask(id);
    // Published first.
    const [mail] = await fixture.mailTo(email, 1);
    assert(mail);
    assert.match(headerOf(mail, 'subject'), /about to be deleted/);
  });

  // Covers D-6.4
  it('purges after the grace period: one of several processes announces it at once and repeats it for a week', async () => {
    await fixture.startReplica();
    const { id, as } = register();
    await ask(id);
    fixture.advance(14 * DAY_MS);
    await Promise.all([fixture.runTask('purge-accounts'), fixture.runTask('purge-accounts')]);
    await fixture.published('accountPurged', id, 1);
    for (const [passedMs, published] of [
      [HOUR_MS - 1, 1],
      [1, 2],
      [DAY_MS, 3],
      [7 * DAY_MS, 4],
      [3 * DAY_MS, 4],
    ] as const) {
      fixture.advance(passedMs);
      await fixture.runTask('purge-accounts');
      assert.equal((await fixture.published('accountPurged', id, published)).length, published);
    }
    fixture.others.identities.delete(id);
    await refusal(fixture.accounts.getAccount({}, as()), 'NOT_FOUND');
    await refusal(fixture.accounts.restoreAccount({}, as()), 'NOT_FOUND');
  });

  it('remembers a purged account until no late event can arrive', async () => {
    const { id } = register();
    await ask(id);
    fixture.advance(14 * DAY_MS);
    await fixture.runTask('purge-accounts');
    assert.equal(await count('purges', id), 1);
    assert.equal(await count('deletions', id), 0);
    fixture.advance(8 * DAY_MS);
    await fixture.runTask('purge-accounts');
    await fixture.runTask('prune');
    assert.equal(await count('purges', id), 1);
    await until(async () => {
      // An event that is handled after the record of the purge was deleted makes the service record it again.
      fixture.advance(7 * DAY_MS);
      await fixture.runTask('purge-accounts');
      await fixture.runTask('prune');
      return (await count('purges', id)) === 0;
    });
  });

  it('a mail that is refused permanently is dropped, and a queued one is deleted with its account', async () => {
    const { id } = register();
    const { rows } = await fixture.sql.query<{ id: string }>(
      `insert into mails (id, account_id, recipient, subject, body, written_at, next_attempt_at)
       values ('mail_bad', $1, 'no address', 'Hello', 'Hello', $2, $2), ('mail_good', $1, 'ada@example.com', 'Hello', 'Hello', $2, $2)
       returning id`,
      [id, fixture.now()],
    );
    assert.equal(rows.length, 2);
    await fixture.runTask('send-mails');
    await fixture.mailTo('ada@example.com', 1);
    // A run in progress may have claimed them. It deletes a row after sending its mail.
    await until(async () => (await count('mails', id)) === 0, 'one is sent, the other refused for good');

    await fixture.sql.query(
      `insert into mails (id, account_id, recipient, subject, body, written_at, next_attempt_at)
       values ('mail_late', $1, 'ada@example.com', 'Hello', 'Hello', $2, $3)`,
      [id, fixture.now(), new Date(fixture.now().getTime() + DAY_MS)],
    );
    await fixture.tell(id, { case: 'accountPurged', value: {} });
    await until(async () => (await count('mails', id)) === 0);
  });
});
