import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { startWebhooksFixture } from '../webhooks.fixture.ts';
import { held, status } from './receiver.fixture.ts';

const isTrue = (condition: boolean) => condition || undefined;

describe('concurrent deliveries', () => {
  // Covers B-13.1
  test('an account whose receiver hangs uses four slots, catches up later, and delays no other account', async () => {
    await using fixture = await startWebhooksFixture();
    const { receiver, change, eventually, deliveriesOf } = fixture;
    const slow = held();
    const hanging = receiver.target(slow.answer);
    const quick = receiver.target();
    for (let n = 0; n < 40; n++) await change('acc_slow', hanging.urlOf(`host-${n % 3}`));
    await eventually('four attempts hang', () => isTrue(slow.waiting.length === 4));
    await change('acc_quick', quick.url);
    await fixture.delivery('acc_quick', { status: 'delivered' });
    assert.equal(slow.waiting.length, 4);
    await eventually('all are delivered once it answers', async () => {
      for (const response of slow.waiting.splice(0)) status(204)(response);
      const deliveries = await deliveriesOf('acc_slow');
      return isTrue(deliveries.every((delivery) => delivery.status === 'delivered'));
    });
    assert.equal(hanging.posted.length, 40);
    assert.equal(new Set(hanging.posted.map(({ headers }) => headers['webhook-id'])).size, 40);
  });

  // Covers D-9.16
  test('events of one job are sent one after the other, whether or not the first succeeds', async () => {
    await using fixture = await startWebhooksFixture();
    const { receiver, change, eventually } = fixture;
    const first = held();
    const target = receiver.target(first.answer, status(204));
    const other = receiver.target();
    await change('acc_order', target.url, { jobId: 'job_order', status: 'processing' });
    await eventually('the first is in flight', () => isTrue(first.waiting.length === 1));
    await change('acc_order', target.url, { jobId: 'job_order', status: 'completed' });
    await change('acc_order', other.url, { jobId: 'job_other', status: 'completed' });
    await eventually('another job is not held up', () => isTrue(other.posted.length === 1));
    assert.equal(target.posted.length, 1);
    for (const response of first.waiting) status(500)(response);
    await eventually('the second follows', () => isTrue(target.posted.length === 2));
    assert.deepEqual(
      target.posted.map(({ body }) => JSON.parse(body).type),
      ['split.processing', 'split.completed'],
    );
  });

  // Covers D-9.16
  test('events of one job keep their order while the clocks of replicas differ', async () => {
    await using fixture = await startWebhooksFixture();
    const { receiver, change, eventually, hearWith } = fixture;
    await fixture.startReplica({ clockAheadMs: 20_000 });
    const slow = held();
    const busy = receiver.target(slow.answer);
    // By then both notifications exist, regardless of which replica claims them.
    for (let n = 0; n < 4; n++) await change('acc_skewed', busy.urlOf(`host-${n % 2}`));
    await eventually('the account is at its limit', () => isTrue(slow.waiting.length === 4));
    const target = receiver.target();
    hearWith('last');
    await change('acc_skewed', target.url, { jobId: 'job_skewed', status: 'processing' });
    hearWith('first');
    await change('acc_skewed', target.url, { jobId: 'job_skewed', status: 'completed' });
    for (const response of slow.waiting) status(204)(response);
    await eventually('both are posted', () => isTrue(target.posted.length === 2));
    assert.deepEqual(
      target.posted.map(({ body }) => JSON.parse(body).type),
      ['split.processing', 'split.completed'],
    );
  });

  test('a notification is attempted even if the clock of the replica is behind its time', async () => {
    await using fixture = await startWebhooksFixture();
    const { receiver, change, eventually } = fixture;
    const slow = held();
    const busy = receiver.target(slow.answer);
    for (let n = 0; n < 4; n++) await change('acc_ahead', busy.urlOf(`host-${n % 2}`));
    await eventually('the account is at its limit', () => isTrue(slow.waiting.length === 4));
    const target = receiver.target();
    fixture.advance(20_000);
    await change('acc_ahead', target.url);
    fixture.advance(-20_000);
    for (const response of slow.waiting) status(204)(response);
    await eventually('it is posted', () => isTrue(target.posted.length === 1));
  });

  test('a replay overtakes an attempt in flight, whose outcome no longer counts', async () => {
    await using fixture = await startWebhooksFixture();
    const { receiver, change, eventually, webhooks, as } = fixture;
    const first = held();
    const target = receiver.target(first.answer, status(204));
    await change('acc_overtaken', target.url);
    await eventually('the first is in flight', () => isTrue(first.waiting.length === 1));
    const { id } = await fixture.delivery('acc_overtaken', { status: 'pending' });
    await webhooks.replayDelivery({ deliveryId: id }, as('acc_overtaken'));
    await fixture.delivery('acc_overtaken', { status: 'delivered', attempts: 1 });
    for (const response of first.waiting) status(500)(response);
    const delivery = await fixture.delivery('acc_overtaken', { attempts: 2 });
    assert.equal(delivery.status, 'delivered');
    await fixture.untilQuiet('acc_overtaken');
  });
});

describe('failures', () => {
  test('an attempt whose outcome could not be stored is repeated under the same webhook-id', async () => {
    await using fixture = await startWebhooksFixture();
    const { receiver, change, eventually, sql } = fixture;
    // A sequence counts even if its transaction is rolled back.
    await sql.query('create sequence refusals');
    await sql.query('grant usage on sequence refusals to public');
    await sql.query(`create function refuse() returns trigger language plpgsql as
      $$ begin perform nextval('refusals'); raise exception 'the disk is full'; end $$`);
    await sql.query('create trigger refuse before insert on attempts for each row execute function refuse()');
    const target = receiver.target();
    await change('acc_twice', target.url);
    await eventually('its outcome is refused', async () => {
      const { rows } = await sql.query<{ is_called: boolean }>('select is_called from refusals');
      return isTrue(rows[0]?.is_called === true);
    });
    await sql.query('drop trigger refuse on attempts');
    await fixture.untilQuiet('acc_twice');
    assert.equal(target.posted.length, 1);

    // The claim has expired and no wake-up is left: the rescue finds the notification.
    fixture.advance(10 * 60_000);
    await fixture.runRepeating('rescue');
    const delivery = await fixture.delivery('acc_twice', { status: 'delivered' });
    assert.deepEqual(
      target.posted.map(({ headers }) => headers['webhook-id']),
      [delivery.id, delivery.id],
    );
    assert.equal(delivery.attempts.length, 1);
  });

  test('a service that stops returns its attempts, and another replica performs them', async () => {
    await using fixture = await startWebhooksFixture();
    const { receiver, change, eventually, sql } = fixture;
    const first = held();
    const target = receiver.target(first.answer, status(204));
    await change('acc_stop', target.url);
    await eventually('it is in flight', () => isTrue(first.waiting.length === 1));
    await fixture.service[Symbol.asyncDispose]();
    const { rows } = await sql.query('select status, tries, attempt_until from deliveries');
    assert.deepEqual(rows, [{ status: 'pending', tries: 0, attempt_until: null }]);
    await fixture.startReplica();
    const delivery = await fixture.delivery('acc_stop', { status: 'delivered' });
    assert.equal(delivery.attempts.length, 1);
    assert.equal(target.posted.length, 2);
  });

  test('each attempt is performed by one of two replicas', async () => {
    await using fixture = await startWebhooksFixture();
    await fixture.startReplica();
    const target = fixture.receiver.target();
    for (let n = 0; n < 30; n++) await fixture.change(`acc_${n % 3}`, target.url);
    for (const account of ['acc_0', 'acc_1', 'acc_2']) {
      await fixture.eventually('all are delivered', async () => {
        const deliveries = await fixture.deliveriesOf(account);
        return isTrue(deliveries.every((delivery) => delivery.status === 'delivered'));
      });
    }
    assert.equal(target.posted.length, 30);
  });

  test('settled deliveries are deleted after 30 days, with their attempts; pending ones are not', async () => {
    await using fixture = await startWebhooksFixture();
    const { receiver, change, sql, deliveriesOf } = fixture;
    await change('acc_old', receiver.target().url);
    await change('acc_trying', receiver.target(status(500)).url);
    await fixture.delivery('acc_old', { status: 'delivered' });
    const trying = await fixture.delivery('acc_trying', { attempts: 1 });
    const createdAt = trying.createdAt && timestampDate(trying.createdAt);
    assert.ok(createdAt);
    fixture.advanceTo(new Date(createdAt.getTime() + 30 * 86_400_000));
    await fixture.runRepeating('prune');
    assert.equal((await deliveriesOf('acc_old')).length, 1);
    fixture.advance(1_000);
    await fixture.runRepeating('prune');
    assert.equal((await deliveriesOf('acc_old')).length, 0);
    assert.equal((await deliveriesOf('acc_trying')).length, 1);
    const { rowCount } = await sql.query('select from attempts');
    assert.equal(rowCount, 1);
  });
});
