import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { Webhook } from 'standardwebhooks';
import { type Posted, status } from './delivery/receiver.fixture.ts';
import { refusedWith, startWebhooksFixture } from './webhooks.fixture.ts';

const HOUR_MS = 3_600_000;

/** Uses the official library, which checks the timestamp against the current time only. */
function isSignedWith(secret: string, { headers, body }: Posted): boolean {
  const at = new Date(Number(headers['webhook-timestamp']) * 1000);
  const expected = new Webhook(secret).sign(String(headers['webhook-id']), at, body);
  return String(headers['webhook-signature']).split(' ').includes(expected);
}

describe('webhooks on behalf of an account', () => {
  const fixture = forSuite(() =>
    startWebhooksFixture({
      resolve: async (hostname) => {
        if (hostname === 'public.test') return ['1.1.1.1'];
        if (hostname === 'private.test') return ['10.0.0.1'];
        if (hostname === 'local.test') return ['127.0.0.1'];
        throw new Error(`there is no ${hostname}`);
      },
    }),
  );

  let accounts = 0;
  const newAccount = () => `acc_${++accounts}`;
  const secretOf = async (accountId: string) =>
    (await fixture.webhooks.getSecret({}, fixture.as(accountId))).secret;
  /** Posts one notification and returns it. */
  const post = async (accountId: string) => {
    const target = fixture.receiver.target();
    await fixture.change(accountId, target.url);
    return fixture.eventually('it is posted', () => target.posted[0]);
  };

  // Covers D-4.2 D-4.3
  test('the secret is created on first use, stays the same, and differs for each account', async () => {
    const [one, other] = [newAccount(), newAccount()];
    const secrets = await Promise.all(Array.from({ length: 5 }, () => secretOf(one)));
    assert.equal(new Set(secrets).size, 1);
    assert.notEqual(await secretOf(other), secrets[0]);
    const posted = await post(one);
    assert.ok(isSignedWith(secrets[0] ?? '', posted));
    assert.ok(!isSignedWith(await secretOf(other), posted));
  });

  // Covers D-4.2
  test('the secret is encrypted at rest', async () => {
    const account = newAccount();
    const key = Buffer.from((await secretOf(account)).slice('whsec_'.length), 'base64');
    assert.equal(key.length, 32);
    const { rows } = await fixture.sql.query<{ sealed: Buffer }>(
      'select sealed from signing_secrets where account_id = $1',
      [account],
    );
    assert.equal(rows.length, 1);
    assert.equal(rows[0]?.sealed.includes(key), false);
  });

  test('a secret that cannot be decrypted is replaced by a rotation, and no longer signs', async () => {
    const account = newAccount();
    const lost = await secretOf(account);
    await fixture.sql.query('update signing_secrets set sealed = $2 where account_id = $1', [
      account,
      randomBytes(60),
    ]);
    const { secret } = await fixture.webhooks.rotateSecret({}, fixture.as(account));
    const posted = await post(account);
    assert.ok(isSignedWith(secret, posted));
    assert.ok(!isSignedWith(lost, posted));
  });

  // Covers D-4.4
  test('after a rotation both secrets sign for 24 h, then only the new one', async () => {
    const account = newAccount();
    const old = await secretOf(account);
    const { secret: current } = await fixture.webhooks.rotateSecret({}, fixture.as(account));
    assert.notEqual(current, old);
    assert.equal(await secretOf(account), current);

    const during = await post(account);
    assert.ok(isSignedWith(current, during) && isSignedWith(old, during));
    assert.match(String(during.headers['webhook-signature']), /^v1,\S+ v1,\S+$/);

    fixture.advance(24 * HOUR_MS - 1_000);
    assert.ok(isSignedWith(old, await post(account)));
    fixture.advance(1_000);
    const afterwards = await post(account);
    assert.ok(isSignedWith(current, afterwards) && !isSignedWith(old, afterwards));
  });

  test('a notification is signed with the secret valid at its attempt, even if its claim has waited', async () => {
    const account = newAccount();
    const old = await secretOf(account);
    const { secret: current } = await fixture.webhooks.rotateSecret({}, fixture.as(account));
    const target = fixture.receiver.target();
    const client = await fixture.sql.connect();
    try {
      await client.query('begin');
      await client.query("select pg_advisory_xact_lock(hashtext('webhooks.claims'), hashtext($1))", [
        account,
      ]);
      await fixture.change(account, target.url);
      await fixture.eventually('the claim waits', async () => {
        const { rowCount } = await fixture.sql.query(
          `select from pg_locks join pg_database on pg_database.oid = database
           where datname = current_database() and locktype = 'advisory' and not granted`,
        );
        return rowCount === 1 || undefined;
      });
      fixture.advance(24 * HOUR_MS);
      await client.query('commit');
    } finally {
      client.release();
    }
    const posted = await fixture.eventually('it is posted', () => target.posted[0]);
    assert.ok(isSignedWith(current, posted) && !isSignedWith(old, posted));
  });

  test('concurrent rotations leave one current secret; the newest five sign', async () => {
    const account = newAccount();
    const rotated = await Promise.all(
      Array.from({ length: 6 }, async () => fixture.webhooks.rotateSecret({}, fixture.as(account))),
    );
    const current = await secretOf(account);
    assert.equal(rotated.filter(({ secret }) => secret === current).length, 1);
    const posted = await post(account);
    assert.equal(rotated.filter(({ secret }) => isSignedWith(secret, posted)).length, 5);
    assert.ok(isSignedWith(current, posted));
  });

  // Covers D-4.18
  test('a replay starts a new series at once, under the same webhook-id', async () => {
    const { receiver, change, webhooks, as } = fixture;
    const account = newAccount();
    const target = receiver.target(status(410), status(500), status(204));
    await change(account, target.url);
    const { id } = await fixture.delivery(account, { status: 'failed' });
    const { delivery } = await webhooks.replayDelivery({ deliveryId: id }, as(account));
    assert.equal(delivery?.status, 'pending');
    assert.ok(delivery.nextAttemptAt);
    assert.equal(delivery.attempts.length, 1);
    // A separate series: after its first failure the pause is the schedule's first.
    await fixture.delivery(account, { status: 'pending', attempts: 2 });
    fixture.advance(5_000);
    await fixture.makeWakeUpsDue();
    const delivered = await fixture.delivery(account, { status: 'delivered' });
    assert.deepEqual(
      delivered.attempts.map(({ statusCode }) => statusCode),
      [410, 500, 204],
    );
    await webhooks.replayDelivery({ deliveryId: id }, as(account));
    await fixture.delivery(account, { status: 'delivered', attempts: 4 });
    assert.deepEqual(new Set(target.posted.map(({ headers }) => headers['webhook-id'])), new Set([id]));
  });

  test('NOT_FOUND for a delivery of another account, which stays unchanged', async () => {
    const { receiver, change, webhooks, as, deliveriesOf } = fixture;
    const [owner, other] = [newAccount(), newAccount()];
    const target = receiver.target();
    await change(owner, target.url);
    const { id } = await fixture.delivery(owner, { status: 'delivered' });
    for (const deliveryId of [id, 'dlv_none', '']) {
      await assert.rejects(webhooks.replayDelivery({ deliveryId }, as(other)), refusedWith(Reason.NOT_FOUND));
    }
    assert.deepEqual(await deliveriesOf(other), []);
    assert.equal((await fixture.delivery(owner, {})).status, 'delivered');
    assert.equal(target.posted.length, 1);
  });

  test('UNAUTHORIZED without an account', async () => {
    const { webhooks } = fixture;
    await assert.rejects(webhooks.getSecret({}), refusedWith(Reason.UNAUTHORIZED));
    await assert.rejects(webhooks.rotateSecret({}), refusedWith(Reason.UNAUTHORIZED));
    await assert.rejects(webhooks.listDeliveries({ page: 1, limit: 1 }), refusedWith(Reason.UNAUTHORIZED));
    await assert.rejects(webhooks.replayDelivery({ deliveryId: 'x' }), refusedWith(Reason.UNAUTHORIZED));
  });

  // Covers D-4.17 D-9.7
  test('lists are paged, newest first, with exact totals', async () => {
    const { receiver, change, webhooks, as } = fixture;
    const account = newAccount();
    const targets = Array.from({ length: 5 }, () => receiver.target());
    for (const { url } of targets) await change(account, url);
    const urls = targets.map(({ url }) => url).toReversed();
    const list = async (page: number, limit: number) => {
      const { deliveries, total } = await webhooks.listDeliveries({ page, limit }, as(account));
      return { urls: deliveries.map(({ url }) => url), total: Number(total) };
    };
    assert.deepEqual(await list(1, 100), { urls, total: 5 });
    assert.deepEqual(await list(2, 2), { urls: urls.slice(2, 4), total: 5 });
    assert.deepEqual(await list(4, 2), { urls: [], total: 5 });
  });

  test('INVALID_PARAMS for a page or a limit out of bounds', async () => {
    const { webhooks, as } = fixture;
    for (const query of [
      { page: 0, limit: 20 },
      { page: 1, limit: 0 },
      { page: 1, limit: 101 },
      { page: 1_000_001, limit: 1 },
    ]) {
      await assert.rejects(
        webhooks.listDeliveries(query, as('acc_list')),
        refusedWith(Reason.INVALID_PARAMS),
      );
    }
  });

  // Covers D-2.35 D-9.14
  test('allowed targets are accepted', async () => {
    for (const url of [
      'https://public.test/hook?x=1',
      'https://1.1.1.1/',
      'https://unknown.test/hook',
      'http://127.0.0.1:8080/hook',
      'http://local.test/hook',
    ]) {
      await fixture.webhooks.checkTarget({ url }, fixture.as('acc_target'));
    }
  });

  // Covers D-2.33 D-2.35 D-9.14
  test('INVALID_PARAMS names webhookUrl for targets that are not allowed', async () => {
    for (const url of [
      '',
      'hook',
      'ftp://public.test/',
      'https://user:password@public.test/',
      `https://public.test/${'x'.repeat(2_048)}`,
      'https://private.test/',
      'https://169.254.169.254/',
      'http://public.test/',
      'http://unknown.test/',
      'http://10.0.0.1/',
    ]) {
      await assert.rejects(fixture.webhooks.checkTarget({ url }, fixture.as('acc_target')), (error) => {
        assert.ok(refusedWith(Reason.INVALID_PARAMS)(error), url);
        assert.match(String(error), /webhookUrl/);
        return true;
      });
    }
  });

  test('a purged account leaves nothing; data of others is kept', async () => {
    const { sql, publish } = fixture;
    const [gone, kept] = [newAccount(), newAccount()];
    await post(gone);
    await post(kept);
    const secret = await secretOf(kept);
    for (const account of [gone, kept]) await fixture.delivery(account, { status: 'delivered' });
    await publish(gone, { case: 'accountPurged', value: {} });
    const left = async (accountId: string) => {
      const { rows } = await sql.query(
        `select (select count(*)::int from deliveries where account_id = $1) as deliveries,
                (select count(*)::int from attempts join deliveries on id = delivery_id where account_id = $1) as attempts,
                (select count(*)::int from signing_secrets where account_id = $1) as secrets`,
        [accountId],
      );
      return rows[0];
    };
    assert.deepEqual(await left(gone), { deliveries: 0, attempts: 0, secrets: 0 });
    assert.deepEqual(await left(kept), { deliveries: 1, attempts: 1, secrets: 1 });
    assert.equal(await secretOf(kept), secret);
  });

  test('late events of a purged account are dropped, until none can arrive any more', async () => {
    const { sql, publish } = fixture;
    const gone = newAccount();
    const target = fixture.receiver.target();
    await publish(gone, { case: 'accountPurged', value: {} });
    await fixture.change(gone, target.url);
    await publish(gone, { case: 'accountPurged', value: {} });
    await publish(gone, {
      case: 'exportFinished',
      value: { exportId: 'exp_1', status: 'completed', format: 'json', webhookUrl: target.url },
    });
    // Through the same service afterwards: an earlier notification would have been posted by now.
    await post(newAccount());
    assert.deepEqual(await fixture.deliveriesOf(gone), []);
    assert.deepEqual(target.posted, []);
    const remembered = async () => {
      const { rowCount } = await sql.query('select from purged_accounts where account_id = $1', [gone]);
      return rowCount;
    };
    fixture.advance(15 * 24 * HOUR_MS - 1);
    await fixture.runRepeating('prune');
    assert.equal(await remembered(), 1);
    fixture.advance(1);
    await fixture.runRepeating('prune');
    assert.equal(await remembered(), 0);
  });
});
