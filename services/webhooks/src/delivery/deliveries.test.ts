import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Webhook } from 'standardwebhooks';
import { pauseOf, startWebhooksFixture } from '../webhooks.fixture.ts';
import { hang, startReceiver, status } from './receiver.fixture.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

describe('deliveries', () => {
  const fixture = forSuite(() => startWebhooksFixture({ attemptTimeoutMs: 300 }));

  let accounts = 0;
  const newAccount = () => `acc_${++accounts}`;
  const nextAttempt = async (accountId: string, attempts: number) => {
    const { nextAttemptAt } = await fixture.delivery(accountId, { attempts: attempts - 1 });
    assert.ok(nextAttemptAt);
    fixture.advanceTo(timestampDate(nextAttemptAt));
    await fixture.makeWakeUpsDue();
    return fixture.delivery(accountId, { attempts });
  };

  // Covers I-6.1 D-4.1 D-4.2 D-4.5 D-4.7 D-4.10 D-4.8
  test('a completed job is notified with the documented body and a signature that the official library verifies', async () => {
    const { receiver, webhooks, change, as } = fixture;
    const account = newAccount();
    const target = receiver.target();
    const metadata = '{"b": 1.0, "a": {"id": 12345678901234567890}}';
    await change(account, target.url, {
      jobId: 'job_complete',
      status: 'completed',
      outputFormat: 'mp3',
      segmentCount: 3,
      completedAt: timestampFromDate(new Date('2026-03-01T12:01:00Z')),
      metadataJson: metadata,
    });
    const delivery = await fixture.delivery(account, { status: 'delivered' });
    assert.equal(delivery.type, 'split.completed');
    assert.equal(delivery.url, target.url);
    assert.equal(delivery.nextAttemptAt, undefined);
    assert.deepEqual(
      delivery.attempts.map(({ statusCode, error }) => ({ statusCode, error })),
      [{ statusCode: 204, error: undefined }],
    );

    const [posted, ...more] = target.posted;
    assert.ok(posted);
    assert.deepEqual(more, []);
    assert.equal(posted.headers['webhook-id'], delivery.id);
    assert.equal(posted.headers['content-type'], 'application/json');
    assert.ok(posted.body.includes(`"metadata":${metadata}`), 'metadata to the letter');
    const { secret } = await webhooks.getSecret({}, as(account));
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    const verified = new Webhook(secret).verify(posted.body, posted.headers as Record<string, string>);
    assert.deepEqual(verified, {
      type: 'split.completed',
      timestamp: fixture.clock().toISOString(),
      data: {
        id: 'job_complete',
        status: 'completed',
        splitMode: 'duration',
        segmentDuration: 60,
        outputFormat: 'mp3',
        segmentCount: 3,
        createdAt: '2026-03-01T12:00:00.250Z',
        completedAt: '2026-03-01T12:01:00.000Z',
        metadata: JSON.parse(metadata),
      },
    });
  });

  // Covers D-4.5 I-4.3.6
  test('processing and failed jobs are notified; a job without webhookUrl is not', async () => {
    const { receiver, change, publish, deliveriesOf, eventually } = fixture;
    const account = newAccount();
    const target = receiver.target();
    await publish(account, {
      case: 'splitStatusChanged',
      value: { jobId: 'job_quiet', status: 'completed', splitMode: 'duration' },
    });
    await change(account, target.url, { jobId: 'job_loud', status: 'processing' });
    await change(account, target.url, {
      jobId: 'job_loud',
      status: 'failed',
      errorCode: 'TIMED_OUT',
      errorMessage: 'It took too long.',
    });
    await eventually('both are there', () => target.posted.length === 2 || undefined);
    const bodies = target.posted.map(({ body }) => JSON.parse(body));
    assert.deepEqual(
      bodies.map(({ type }) => type),
      ['split.processing', 'split.failed'],
    );
    assert.equal(bodies[0].data.error, undefined);
    assert.deepEqual(bodies[1].data.error, { code: 'TIMED_OUT', message: 'It took too long.' });
    assert.equal((await deliveriesOf(account)).length, 2);
  });

  test('a redelivered event creates no second delivery', async () => {
    const { receiver, change, deliveriesOf } = fixture;
    const account = newAccount();
    const target = receiver.target();
    for (let times = 0; times < 3; times++) await change(account, target.url, {}, 'evt_again');
    await fixture.delivery(account, { status: 'delivered' });
    assert.equal((await deliveriesOf(account)).length, 1);
    await fixture.untilQuiet(account);
    assert.equal(target.posted.length, 1);
  });

  // Covers D-4.15
  test('a failing target is tried eight times on schedule with one webhook-id, then not again', async () => {
    const { receiver, change } = fixture;
    const account = newAccount();
    const target = receiver.target(status(500));
    await change(account, target.url);
    const pauses: number[] = [];
    let delivery = await fixture.delivery(account, { attempts: 1 });
    for (let attempts = 2; attempts <= 8; attempts++) {
      pauses.push(pauseOf(delivery));
      const planted = await fixture.wakeUps(account);
      assert.deepEqual(planted, [delivery.nextAttemptAt && timestampDate(delivery.nextAttemptAt)]);
      delivery = await nextAttempt(account, attempts);
    }
    assert.deepEqual(pauses, [
      5 * SECOND_MS,
      5 * MINUTE_MS,
      30 * MINUTE_MS,
      2 * HOUR_MS,
      5 * HOUR_MS,
      10 * HOUR_MS,
      10 * HOUR_MS,
    ]);
    assert.equal(delivery.status, 'failed');
    assert.equal(delivery.nextAttemptAt, undefined);
    await fixture.untilQuiet(account);
    assert.ok(
      delivery.attempts.every(({ statusCode, error }) => statusCode === 500 && error?.includes('500')),
    );
    assert.equal(new Set(target.posted.map(({ headers }) => headers['webhook-id'])).size, 1);
    assert.equal(new Set(target.posted.map(({ body }) => body)).size, 1);
    const timestamps = target.posted.map(({ headers }) => Number(headers['webhook-timestamp']));
    const sent = delivery.attempts.map(({ at }) => Number(at?.seconds));
    assert.deepEqual(timestamps, sent, 'each attempt carries its own time');
  });

  test('a wake-up before the due time does nothing', async () => {
    const { receiver, change } = fixture;
    const account = newAccount();
    const target = receiver.target(status(500), status(204));
    await change(account, target.url);
    await fixture.delivery(account, { attempts: 1 });
    await fixture.makeWakeUpsDue();
    await fixture.untilQuiet(account);
    assert.equal(target.posted.length, 1);
  });

  // Covers D-4.10
  test('a delivery succeeds once the target recovers', async () => {
    const account = newAccount();
    const target = fixture.receiver.target(status(503), status(200));
    await fixture.change(account, target.url);
    const delivery = await nextAttempt(account, 2);
    assert.equal(delivery.status, 'delivered');
    assert.deepEqual(
      delivery.attempts.map(({ statusCode }) => statusCode),
      [503, 200],
    );
  });

  // Covers D-4.13 D-9.15
  test('410 ends the delivery at once, and only that delivery', async () => {
    const account = newAccount();
    const target = fixture.receiver.target(status(410), status(204));
    await fixture.change(account, target.url);
    const delivery = await fixture.delivery(account, { status: 'failed' });
    assert.equal(delivery.attempts.length, 1);
    assert.equal(delivery.attempts[0]?.statusCode, 410);
    await fixture.change(account, target.url);
    await fixture.delivery(account, { status: 'delivered' });
  });

  // Covers D-4.14
  test('Retry-After delays the next attempt: seconds or a date, at most 24 h, never earlier than scheduled', async () => {
    for (const [retryAfter, expectedMs] of [
      ['120', 2 * MINUTE_MS],
      [new Date(Math.ceil(fixture.clock().getTime() / 1000) * 1000 + HOUR_MS).toUTCString(), HOUR_MS],
      ['999999999', 24 * HOUR_MS],
      ['0', 5 * SECOND_MS],
      ['soon', 5 * SECOND_MS],
    ] as const) {
      const account = newAccount();
      const target = fixture.receiver.target(status(429, { 'retry-after': retryAfter }));
      await fixture.change(account, target.url);
      const pauseMs = pauseOf(await fixture.delivery(account, { attempts: 1 }));
      assert.ok(pauseMs >= expectedMs && pauseMs <= expectedMs + SECOND_MS, `${retryAfter}: ${pauseMs}`);
    }
  });

  // Covers D-4.12
  test('a redirect counts as a failure and is not followed', async () => {
    const account = newAccount();
    const destination = fixture.receiver.target();
    const target = fixture.receiver.target(status(307, { location: destination.url }));
    await fixture.change(account, target.url);
    const delivery = await fixture.delivery(account, { attempts: 1 });
    assert.equal(delivery.status, 'pending');
    assert.equal(delivery.attempts[0]?.statusCode, 307);
    assert.match(delivery.attempts[0]?.error ?? '', /redirects are not followed/);
    assert.equal(destination.posted.length, 0);
  });

  // Covers D-4.11
  test('a silent target times out; an unreachable one is logged with the reason', async () => {
    const gone = await startReceiver();
    const unreachable = gone.target().url;
    await gone[Symbol.asyncDispose]();
    for (const [url, error] of [
      [fixture.receiver.target(hang).url, /within 0\.3 s/],
      [unreachable, /cannot be reached/],
      ['http://10.1.2.3/', /not at a public address/],
      ['http://1.1.1.1/', /https only/],
    ] as const) {
      const account = newAccount();
      await fixture.change(account, url);
      const delivery = await fixture.delivery(account, { attempts: 1 });
      assert.equal(delivery.status, 'pending');
      assert.equal(delivery.attempts[0]?.statusCode, undefined);
      assert.match(delivery.attempts[0]?.error ?? '', error);
    }
  });

  test('the status counts even if the body never ends', async () => {
    const account = newAccount();
    const target = fixture.receiver.target((response) => {
      response.writeHead(200).write('and so on');
    });
    await fixture.change(account, target.url);
    await fixture.delivery(account, { status: 'delivered' });
  });
});
