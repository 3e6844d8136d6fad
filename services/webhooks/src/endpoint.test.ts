/** The account's endpoint: the notifications sent to it, and the refused ones. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { NOTIFICATION_TYPES } from '@audiosplit/proto/vocabulary';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Webhook } from 'standardwebhooks';
import { hang, status, type Target } from './delivery/receiver.fixture.ts';
import { refusedWith, startWebhooksFixture } from './webhooks.fixture.ts';

const typesAt = (target: Target) => target.posted.map(({ body }) => JSON.parse(body).type);

describe('the endpoint of an account', () => {
  const fixture = forSuite(() => startWebhooksFixture({ attemptTimeoutMs: 200 }));

  let accounts = 0;
  const newAccount = () => `acc_endpoint_${++accounts}`;
  const put = async (accountId: string, url: string, events: string[] = []) =>
    (await fixture.webhooks.putEndpoint({ url, events }, fixture.as(accountId))).endpoint;
  const get = async (accountId: string) =>
    (await fixture.webhooks.getEndpoint({}, fixture.as(accountId))).endpoint;
  const posted = (target: Target, count: number) =>
    fixture.eventually(`${count} are posted`, () => target.posted.length >= count || undefined);

  test('is set, replaced and removed; without `events` it receives all of them', async () => {
    const [account, other] = [newAccount(), newAccount()];
    await assert.rejects(get(account), refusedWith(Reason.NOT_FOUND));
    const first = await put(account, 'https://1.1.1.1/hook');
    assert.deepEqual([first?.url, first?.events], ['https://1.1.1.1/hook', [...NOTIFICATION_TYPES]]);
    assert.deepEqual(await get(account), first);
    fixture.advance(1_000);
    const second = await put(account, 'https://1.1.1.1/', ['split.failed', 'split.completed']);
    assert.deepEqual(second?.events, ['split.completed', 'split.failed']);
    assert.deepEqual(second?.createdAt, first?.createdAt);
    assert.equal(second?.updatedAt && timestampDate(second.updatedAt).getTime(), fixture.clock().getTime());
    await assert.rejects(get(other), refusedWith(Reason.NOT_FOUND));
    await fixture.webhooks.deleteEndpoint({}, fixture.as(account));
    await assert.rejects(get(account), refusedWith(Reason.NOT_FOUND));
    for (const call of [fixture.webhooks.deleteEndpoint, fixture.webhooks.testEndpoint]) {
      await assert.rejects(call({}, fixture.as(account)), refusedWith(Reason.NOT_FOUND));
    }
  });

  test('INVALID_PARAMS names url or events', async () => {
    for (const [url, events, field] of [
      ['http://1.1.1.1/', [], /url/],
      ['https://10.0.0.1/', [], /url/],
      ['hook', [], /url/],
      ['https://1.1.1.1/', ['split.queued'], /events/],
      ['https://1.1.1.1/', ['ping'], /events/],
    ] as const) {
      await assert.rejects(put(newAccount(), url, [...events]), (error) => {
        assert.ok(refusedWith(Reason.INVALID_PARAMS)(error), url);
        assert.match(String(error), field);
        return true;
      });
    }
  });

  test('receives signed events of all jobs and exports, in addition to the targets that they name', async () => {
    const account = newAccount();
    const [all, own] = [fixture.receiver.target(), fixture.receiver.target()];
    await put(account, all.url);
    await fixture.publish(account, {
      case: 'splitStatusChanged',
      value: { jobId: 'job_a', status: 'processing', splitMode: 'duration' },
    });
    await fixture.change(account, own.url, { status: 'completed' });
    await fixture.publish(account, {
      case: 'exportFinished',
      value: { exportId: 'exp_1', status: 'failed', format: 'json' },
    });
    await posted(all, 3);
    await posted(own, 1);
    assert.deepEqual(typesAt(all).sort(), ['export.failed', 'split.completed', 'split.processing']);
    assert.deepEqual(typesAt(own), ['split.completed']);
    const { secret } = await fixture.webhooks.getSecret({}, fixture.as(account));
    const [{ headers, body }] = own.posted as [(typeof own.posted)[number]];
    assert.ok(new Webhook(secret).verify(body, headers as Record<string, string>));
    const ids = [...all.posted, ...own.posted].map(({ headers }) => headers['webhook-id']);
    assert.equal(new Set(ids).size, 4, 'each delivery has its own id');
  });

  test('receives one notification for a job that names the endpoint itself', async () => {
    const account = newAccount();
    const target = fixture.receiver.target();
    await put(account, target.url);
    await fixture.change(account, target.url, { status: 'failed', errorCode: 'TIMED_OUT' });
    await fixture.delivery(account, { status: 'delivered' });
    assert.equal((await fixture.deliveriesOf(account)).length, 1);
  });

  test('receives only the chosen events, and none after its removal', async () => {
    const account = newAccount();
    const target = fixture.receiver.target();
    const change = (status: string) =>
      fixture.publish(account, {
        case: 'splitStatusChanged',
        value: { jobId: 'job_b', status, splitMode: 'duration' },
      });
    await put(account, target.url, ['split.completed']);
    for (const status of ['processing', 'completed']) await change(status);
    await posted(target, 1);
    await fixture.webhooks.deleteEndpoint({}, fixture.as(account));
    await change('completed');
    assert.equal((await fixture.deliveriesOf(account)).length, 1);
    assert.deepEqual(typesAt(target), ['split.completed']);
  });

  test('is not delayed by a target of the same job that hangs', async () => {
    const account = newAccount();
    const target = fixture.receiver.target();
    await put(account, target.urlOf('endpoint'));
    const silent = fixture.receiver.target(hang);
    for (const status of ['processing', 'completed'])
      await fixture.change(account, silent.url, { jobId: 'job_c', status });
    await posted(target, 2);
    assert.deepEqual(typesAt(target), ['split.processing', 'split.completed'], 'in their order');
  });

  // Covers B-12.6
  test('receives usage.threshold with its figures', async () => {
    const account = newAccount();
    const target = fixture.receiver.target();
    await put(account, target.url);
    const [start, end] = [new Date('2026-03-01T00:00:00Z'), new Date('2026-04-01T00:00:00Z')];
    for (const percent of [80, 100]) {
      await fixture.publish(account, {
        case: 'usageThreshold',
        value: {
          metric: 'minutes',
          percent,
          used: BigInt(5 * percent),
          limit: 500n,
          periodStart: timestampFromDate(start),
          periodEnd: timestampFromDate(end),
        },
      });
    }
    await posted(target, 2);
    assert.deepEqual(JSON.parse(target.posted[0]?.body ?? ''), {
      type: 'usage.threshold',
      timestamp: fixture.clock().toISOString(),
      data: {
        metric: 'minutes',
        percent: 80,
        used: 400,
        limit: 500,
        periodStart: start.toISOString(),
        periodEnd: end.toISOString(),
      },
    });
    assert.equal(JSON.parse(target.posted[1]?.body ?? '').data.percent, 100, 'the lower one comes first');
  });

  test('receives one signed ping in a test, which is tried once', async () => {
    const account = newAccount();
    const target = fixture.receiver.target(status(204), status(500));
    await put(account, target.url, ['split.failed']);
    const { delivery } = await fixture.webhooks.testEndpoint({}, fixture.as(account));
    assert.deepEqual([delivery?.type, delivery?.url, delivery?.status], ['ping', target.url, 'pending']);
    await fixture.delivery(account, { status: 'delivered' });
    const [{ headers, body }] = target.posted as [(typeof target.posted)[number]];
    assert.equal(headers['webhook-id'], delivery?.id);
    const { secret } = await fixture.webhooks.getSecret({}, fixture.as(account));
    const timestamp = fixture.clock().toISOString();
    assert.deepEqual(new Webhook(secret).verify(body, headers as Record<string, string>), {
      type: 'ping',
      timestamp,
      data: {},
    });
    await fixture.webhooks.testEndpoint({}, fixture.as(account));
    await fixture.eventually('the second one has failed', async () => {
      const [latest] = await fixture.deliveriesOf(account);
      return latest?.status === 'failed' || undefined;
    });
  });

  test('receives a ping without waiting for the circuit, which the ping closes', async () => {
    const account = newAccount();
    const target = fixture.receiver.target(hang, hang, hang, status(204));
    await put(account, target.url);
    for (let n = 0; n < 3; n++) await fixture.change(account, target.url);
    await fixture.eventually('three have timed out', async () => {
      const { rows } = await fixture.sql.query('select timeouts from circuits where account_id = $1', [
        account,
      ]);
      return rows[0]?.timeouts === 3 || undefined;
    });
    await fixture.change(account, target.url);
    await fixture.webhooks.testEndpoint({}, fixture.as(account));
    await fixture.eventually('the ping and what waited arrive', () => {
      const types = typesAt(target).slice(3);
      return (types[0] === 'ping' && types.length === 2) || undefined;
    });
  });

  test('is removed by a purge, and nothing can be set afterwards', async () => {
    const account = newAccount();
    await put(account, 'https://1.1.1.1/');
    await fixture.publish(account, { case: 'accountPurged', value: {} });
    await assert.rejects(get(account), refusedWith(Reason.NOT_FOUND));
    await assert.rejects(put(account, 'https://1.1.1.1/'), refusedWith(Reason.NOT_FOUND));
  });
});
