/** What one account's receivers may use of the service, and that other accounts are not affected. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startWebhooksFixture, type WebhooksFixture } from '../webhooks.fixture.ts';
import { hang, held, status } from './receiver.fixture.ts';

const MINUTE_MS = 60_000;
/** Longer than a busy machine may need for the event that the test waits for. */
const PATIENT = { attemptTimeoutMs: MINUTE_MS };
const isTrue = (condition: boolean) => condition || undefined;

describe('shares of an account', () => {
  // Covers B-13.1
  test('an account has two deliveries in flight to one host, and others to other hosts', async () => {
    await using fixture = await startWebhooksFixture(PATIENT);
    const { receiver, change, eventually } = fixture;
    const slow = held();
    const hanging = receiver.target(slow.answer);
    const quick = receiver.target();
    for (let n = 0; n < 4; n++) await change('acc_hosts', hanging.url);
    await eventually('two hang', () => isTrue(slow.waiting.length === 2));
    for (let n = 0; n < 3; n++) await change('acc_hosts', quick.urlOf('elsewhere'));
    await eventually('all go elsewhere', () => isTrue(quick.posted.length === 3));
    assert.equal(hanging.posted.length, 2);
    await change('acc_hosts', hanging.urlOf('elsewhere'));
    await eventually('a host is a name', () => isTrue(hanging.posted.length === 3));
    for (const response of slow.waiting) status(204)(response);
    await eventually('the others follow', () => isTrue(hanging.posted.length === 5));
  });

  // Covers B-13.2
  test('a host that timed out three times in a row gets no delivery of the account for a minute, then one, until it responds', async () => {
    await using fixture = await startWebhooksFixture({ attemptTimeoutMs: 200 });
    const { receiver, change, eventually } = fixture;
    const silent = receiver.target(hang, hang, hang, hang, status(204));
    for (let n = 0; n < 3; n++) await change('acc_silent', silent.url, { jobId: `job_${n}` });
    const timeouts = async () => {
      const deliveries = await fixture.deliveriesOf('acc_silent');
      return deliveries.reduce((sum, { attempts }) => sum + attempts.length, 0);
    };
    await eventually('three have timed out', async () => isTrue((await timeouts()) === 3));
    for (let n = 3; n < 6; n++) await change('acc_silent', silent.url, { jobId: `job_${n}` });
    await fixture.untilDone('acc_silent');
    assert.equal(silent.posted.length, 3, 'the circuit is open');

    const other = receiver.target();
    await change('acc_silent', other.urlOf('elsewhere'));
    await eventually('another host is not concerned', () => isTrue(other.posted.length === 1));
    await change('acc_other', other.url);
    await eventually('nor another account', () => isTrue(other.posted.length === 2));

    fixture.advance(MINUTE_MS - 1);
    await change('acc_silent', silent.url, { jobId: 'job_6' });
    await fixture.runRepeating('rescue');
    await fixture.untilDone('acc_silent');
    assert.equal(silent.posted.length, 3);
    fixture.advance(1);
    await fixture.makeWakeUpsDue();
    await eventually('one has tried', async () => isTrue((await timeouts()) === 5));
    await fixture.untilDone('acc_silent');
    assert.equal(silent.posted.length, 4, 'one attempt, which timed out');

    fixture.advance(MINUTE_MS);
    await fixture.makeWakeUpsDue();
    await eventually('it answers, and gets all', async () => {
      const deliveries = await fixture.deliveriesOf('acc_silent');
      return isTrue(deliveries.every((delivery) => delivery.status === 'delivered'));
    });
    const { rowCount } = await fixture.sql.query('select from circuits');
    assert.equal(rowCount, 0);
  });

  test('timeouts with a response between them open no circuit', async () => {
    await using fixture = await startWebhooksFixture({ attemptTimeoutMs: 100 });
    const target = fixture.receiver.target(hang, hang, status(500), hang, hang, status(204));
    for (let n = 1; n <= 6; n++) {
      await fixture.change('acc_mixed', target.url);
      await fixture.eventually(`${n} are posted and over`, async () => {
        const deliveries = await fixture.deliveriesOf('acc_mixed');
        return isTrue(deliveries.length === n && deliveries.every(({ attempts }) => attempts.length === 1));
      });
    }
    assert.equal(target.posted.length, 6);
  });

  // Covers B-1.3
  test('in a full replica the account with most attempts gives one up to an account without any', async () => {
    await using fixture = await startWebhooksFixture(PATIENT, { WEBHOOK_ATTEMPTS: '3' });
    const { receiver, change, eventually } = fixture;
    const slow = held();
    const hanging = receiver.target(slow.answer);
    for (let n = 0; n < 3; n++) await change('acc_greedy', hanging.urlOf(`host-${n}`));
    await eventually('all places are taken', () => isTrue(slow.waiting.length === 3));
    const quick = receiver.target();
    await change('acc_modest', quick.url);
    await fixture.delivery('acc_modest', { status: 'delivered' });
    assert.equal(slow.waiting.filter(({ destroyed }) => destroyed).length, 1, 'one attempt was cut off');
    for (const response of slow.waiting) status(204)(response);
    await eventually('it is made again', () => isTrue(hanging.posted.length === 4));
    for (const response of slow.waiting) if (!response.headersSent) status(204)(response);
    await eventually('nothing is lost, and the attempt that was cut off does not count', async () => {
      const deliveries = await fixture.deliveriesOf('acc_greedy');
      return isTrue(
        deliveries.every(({ attempts, status }) => status === 'delivered' && attempts.length === 1),
      );
    });
  });

  test('a slot reserved without need goes to the delivery that arrived meanwhile', async () => {
    await using fixture = await startWebhooksFixture(PATIENT, { WEBHOOK_ATTEMPTS: '2' });
    const { receiver, change, eventually, sql } = fixture;
    const slow = held();
    const hanging = receiver.target(slow.answer);
    await change('acc_busy', hanging.url);
    await eventually('one place is taken', () => isTrue(slow.waiting.length === 1));
    const lock = await sql.connect();
    await lock.query("select pg_advisory_lock(hashtext('webhooks.claims'), hashtext('acc_empty'))");
    await lock.query(
      `select webhooks_scheduled.add_job('deliver', payload => '{"accountId": "acc_empty"}'::json)`,
    );
    await eventually('the other is held', async () => {
      const { rowCount } = await sql.query(
        "select from pg_locks where locktype = 'advisory' and not granted",
      );
      return isTrue(rowCount === 1);
    });
    await change('acc_busy', hanging.urlOf('elsewhere'));
    await fixture.untilDone('acc_busy');
    assert.equal(hanging.posted.length, 1);
    await lock.query('select pg_advisory_unlock_all()');
    lock.release();
    await eventually('both are in flight', () => isTrue(slow.waiting.length === 2));
  });

  test('if every account in a full replica has one attempt, the next account waits until one ends', async () => {
    await using fixture = await startWebhooksFixture(PATIENT, { WEBHOOK_ATTEMPTS: '1' });
    const { receiver, change, eventually } = fixture;
    const first = held();
    await change('acc_first', receiver.target(first.answer).url);
    await eventually('the place is taken', () => isTrue(first.waiting.length === 1));
    const next = receiver.target();
    for (const account of ['acc_second', 'acc_third']) await change(account, next.url);
    await fixture.untilDone('acc_second');
    await fixture.untilDone('acc_third');
    assert.equal(next.posted.length, 0);
    for (const response of first.waiting) status(204)(response);
    await eventually('both follow', () => isTrue(next.posted.length === 2));
  });

  // Covers B-13.3
  test('80 receivers that hang do not delay the first attempt of another account', async () => {
    await using fixture = await startWebhooksFixture(PATIENT);
    const idleMs = await medianFirstAttempt(fixture, 'acc_idle');
    const slow = held();
    const hanging = fixture.receiver.target(slow.answer);
    const hangingNow = () => slow.waiting.filter(({ destroyed }) => !destroyed).length;
    // Twice as many as are sent concurrently, so that some always wait.
    const changes = Array.from({ length: 160 }, (_, n) =>
      fixture.change(`acc_${n % 20}`, hanging.urlOf(`host-${n % 80}`)),
    );
    await Promise.all(changes);
    await fixture.eventually('80 hang', () => isTrue(hangingNow() >= 80));
    const besideMs = await medianFirstAttempt(fixture, 'acc_innocent');
    const allowedMs = Math.max(idleMs * 1.2, idleMs + 50);
    assert.ok(besideMs <= allowedMs, `${besideMs} ms beside them, ${idleMs} ms alone`);
    assert.equal(hangingNow(), 80, 'as many as twenty accounts may have in flight');
    for (const response of slow.waiting) status(204)(response);
  });

  test('an account has a limited number of pending deliveries: one beyond fails, gives the reason, and can be replayed', async () => {
    await using fixture = await startWebhooksFixture(PATIENT, { WEBHOOK_PENDING_PER_ACCOUNT: '10' });
    const { receiver, change, eventually } = fixture;
    const slow = held();
    const hanging = receiver.target(slow.answer, slow.answer, status(204));
    for (let n = 0; n < 11; n++) await change('acc_away', hanging.url, { jobId: `job_${n}` });
    const [beyond, ...pending] = await fixture.deliveriesOf('acc_away');
    assert.equal(beyond?.status, 'failed');
    assert.deepEqual(
      beyond.attempts.map(({ error }) => error),
      ['Not sent: 10 notifications of the account are pending.'],
    );
    assert.equal(pending.filter(({ status }) => status === 'pending').length, 10);

    const quick = receiver.target();
    await change('acc_others', quick.url);
    await eventually('another account is not concerned', () => isTrue(quick.posted.length === 1));

    await fixture.webhooks.replayDelivery({ deliveryId: beyond.id }, fixture.as('acc_away'));
    await eventually('two hang', () => isTrue(slow.waiting.length === 2));
    for (const response of slow.waiting) status(204)(response);
    await eventually('all of them arrive', async () => {
      const deliveries = await fixture.deliveriesOf('acc_away');
      return isTrue(deliveries.every((delivery) => delivery.status === 'delivered'));
    });
  });
});

/** From event to attempt. */
async function medianFirstAttempt(fixture: WebhooksFixture, accountId: string): Promise<number> {
  const tookMs: number[] = [];
  for (let n = 0; n < 15; n++) {
    const target = fixture.receiver.target();
    const startedAt = performance.now();
    await fixture.change(accountId, target.url);
    while (target.posted.length === 0) await sleep(1);
    tookMs.push(performance.now() - startedAt);
  }
  return tookMs.sort((one, other) => one - other)[7] ?? Number.NaN;
}
