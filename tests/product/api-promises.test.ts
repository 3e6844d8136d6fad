/** Promises to callers of the API that span several services. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import type { Answer } from '../harness/accounts/raw.ts';
import { ENDPOINTS } from '../harness/endpoints.ts';
import { aSplit, DAY_MS } from '../harness/installation/scripted.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';

const withId = (endpoint: string) => endpoint.replace(' /api/v1', ' ').replace(/:\w+/, 'none_1');

function assertRefused({ status, body }: Answer, expectedStatus: number, code: string): void {
  assert.deepEqual([status, body?.error?.code, body?.error?.status], [expectedStatus, code, expectedStatus]);
}

describe('the API', () => {
  const api = forSuite(() => startInstallation({ kind: 'scripted' }));

  // Covers I-1.9 I-1.10 I-1.11 I-4.0.1 I-4.0.2 I-5.1 I-5.2 I-5.3 I-5.4 I-9.1 D-7.10 D-8.1
  test('all fourteen endpoints exist, return JSON, and accept one kind of credential only', async () => {
    const ada = await api.register();
    for (const [position, endpoint] of ENDPOINTS.entries()) {
      const target = withId(endpoint);
      const isOfJobs = position >= 2 && position <= 5;
      const [right, wrong] = isOfJobs ? [ada.withKey, ada.withToken] : [ada.withToken, ada.withKey];
      assertRefused(await api.call(target, {}), 401, 'UNAUTHORIZED');
      assertRefused(await wrong(target), 401, 'UNAUTHORIZED');
      const { status, body } = await right(target);
      assert.ok(status !== 401 && status !== 405 && status < 500, `${endpoint}: ${status}`);
      assert.ok(status === 200 || status === 202 || body.error.code !== 'UNAUTHORIZED', endpoint);
    }
  });

  // Covers I-3.1.2 I-4.6.1 I-4.6.2
  test('a queued job is deleted', async () => {
    const ada = await api.register();
    const jobId = await ada.create();
    const deleted = await ada.withKey(`DELETE /splits/${jobId}`);
    assert.deepEqual([deleted.status, deleted.body], [204, undefined]);
    assertRefused(await ada.withKey(`GET /splits/${jobId}`), 404, 'JOB_NOT_FOUND');
    await assert.rejects(api.claim(jobId), 'no splitter works on it');
  });

  // Covers I-3.1.3 I-3.1.4 D-2.12
  test('ended jobs are deleted, with their stored objects', async () => {
    const ada = await api.register();
    const [completed, failed] = [await ada.create(), await ada.create()];
    await api.complete(completed);
    await api.fail(failed);
    const { segments } = (await ada.withKey(`GET /splits/${completed}`)).body;
    for (const jobId of [completed, failed]) {
      assert.equal((await ada.withKey(`DELETE /splits/${jobId}`)).status, 204);
      assertRefused(await ada.withKey(`GET /splits/${jobId}`), 404, 'JOB_NOT_FOUND');
    }
    for (const { downloadUrl } of segments) assert.equal((await fetch(downloadUrl)).status, 404);
  });

  // Covers D-2.19
  test('the thousandth queued job is accepted, the next gets 429 with the time for a retry', async () => {
    const ada = await api.register();
    await ada.create();
    const update = 'update jobs.account_queues set queued = $2 where account_id = $1';
    const queue = (queued: number) => api.sql.query(update, [ada.accountId, queued]);
    await queue(999);
    await ada.create();
    const refused = await ada.withKey('POST /splits', aSplit);
    assertRefused(refused, 429, 'QUEUE_FULL');
    assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    assert.equal('retryAfter' in refused.body.error, false);
    await queue(2);
  });

  // Covers D-2.16 D-2.17
  test('a job beyond the concurrency limit is accepted, and waits for its turn', async () => {
    const ada = await api.register();
    const jobIds = [await ada.create(), await ada.create(), await ada.create()] as const;
    const first = await api.claim(jobIds[0]);
    await api.claim(jobIds[1]);
    await assert.rejects(api.claim(jobIds[2]), /not.*claim/i);
    assert.equal((await ada.withKey(`GET /splits/${jobIds[2]}`)).body.status, 'queued');
    await api.leases.failJob({ ...first, error: { code: 'TIMED_OUT', message: 'x' }, retryable: false });
    await api.claim(jobIds[2]);
  });

  // Covers I-2.3.5 I-8.19 D-2.39 D-2.42 D-2.43
  test('segments are kept for seven days, and then the job reports that they are deleted', async () => {
    const ada = await api.register();
    const jobId = await ada.create();
    await api.complete(jobId);
    const read = async () => (await ada.withKey(`GET /splits/${jobId}`)).body;
    const [{ downloadUrl }] = (await read()).segments;
    const isAged = (ageMs: number) =>
      api.sql.query(
        "update jobs.jobs set completed_at = $2::timestamptz - $3 * interval '1 ms' where id = $1",
        [jobId, api.context.clock(), ageMs],
      );
    const sweep = async () => {
      await api.runTask('jobs', 'expire-segments');
      await api.runTask('jobs', 'sweep-objects');
    };
    await isAged(7 * DAY_MS - 3_600_000);
    await sweep();
    const last = (await read()).segments[0];
    const leftMs = Date.parse(last.expiresAt) - api.context.clock().getTime();
    assert.ok(leftMs > 3_598_000 && leftMs <= 3_600_000, 'no link outlives its segment');
    assert.equal((await fetch(last.downloadUrl)).status, 200);
    await isAged(7 * DAY_MS);
    const expired = await read();
    assert.deepEqual([expired.status, expired.segments], ['completed', []]);
    assert.equal(expired.segmentsExpiredAt, api.context.clock().toISOString());
    await sweep();
    assert.deepEqual(await read(), expired, 'as before the sweep');
    assert.equal((await fetch(downloadUrl)).status, 404);
    assertRefused(await ada.withKey(`GET /splits/${jobId}/archive`), 410, 'SEGMENTS_EXPIRED');
  });

  // Covers D-3.13 D-3.15 I-8.12 I-8.13
  test('the Free plan stops when its minutes are used; a paid plan continues and charges for overage', async () => {
    const ada = await api.register();
    const use = async (minutes: number) => {
      const jobId = randomUUID();
      const value = { jobId, status: 'completed', sourceDurationMs: BigInt(minutes * 60_000) };
      await api.tell(ada.accountId, { case: 'splitStatusChanged', value }, { key: jobId });
    };
    const usage = async () => (await ada.withToken('GET /billing/usage')).body;
    await use(60);
    await until(async () => (await usage()).usage.minutesProcessed === 60, 'it is counted');
    assertRefused(await ada.withKey('POST /splits', aSplit), 402, 'QUOTA_EXCEEDED');
    // Usage up to this moment belongs to the month that is free.
    api.advance(1_000);
    await ada.subscribe('plan_starter');
    await use(501);
    await until(async () => (await usage()).usage.minutesOverage === 1, 'it is counted');
    assert.deepEqual((await usage()).cost, { basePlan: 900, overage: 2, total: 902, currency: 'usd' });
    const isAccepted = async () => (await ada.withKey('POST /splits', aSplit)).status === 201;
    await until(isAccepted, 'jobs has the new limits');
  });

  // Covers I-6.1 D-4.3 D-4.17 D-9.35
  test('a notification is sent and listed as delivered; the secret that signs it can be read', async () => {
    const ada = await api.register();
    await api.complete(await ada.create({ ...aSplit, webhookUrl: api.hookUrl }));
    const list = async () => (await ada.withToken('GET /webhooks/deliveries')).body;
    await until(async () => {
      const { data } = await list();
      return data.length === 2 && data.every((each: { status: string }) => each.status === 'delivered');
    }, 'both are delivered');
    const { data, pagination } = await list();
    assert.deepEqual(pagination, { page: 1, limit: 20, total: 2, totalPages: 1 });
    const { id, createdAt, attempts, ...delivery } = data[0];
    assert.match(id, /^\w+$/);
    assert.ok(Date.parse(createdAt) > 0 && Date.parse(attempts[0].at) > 0);
    const expected = { type: 'split.completed', url: api.hookUrl, status: 'delivered', nextAttemptAt: null };
    assert.deepEqual(delivery, expected);
    assert.deepEqual([attempts.length, attempts[0].statusCode, attempts[0].error], [1, 200, null]);
    const { secret } = (await ada.withToken('GET /webhooks/secret')).body;
    assert.equal(Buffer.from(secret.replace('whsec_', ''), 'base64').length, 32);
  });

  // Covers D-5.19 D-5.18
  test('jobs that run when a subscription is canceled at once continue to their end', async () => {
    const ada = await api.register();
    await ada.subscribe('plan_starter');
    const jobIds = [await ada.create(), await ada.create(), await ada.create()] as const;
    const select = 'select concurrent_jobs as limit from jobs.account_limits where account_id = $1';
    const limits = async () => (await api.sql.query(select, [ada.accountId])).rows[0]?.limit;
    const claimed = [];
    for (const jobId of jobIds) claimed.push(await api.claim(jobId));
    const waiting = await ada.create();
    const canceled = await ada.withToken('POST /billing/cancel', { immediate: true });
    assert.equal(canceled.body.subscription.status, 'canceled');
    await until(async () => (await limits()) === 2, 'jobs has the limits of Free');
    for (const job of claimed) {
      await api.finish(job);
      assert.equal((await ada.withKey(`GET /splits/${job.jobId}`)).body.status, 'completed');
    }
    await api.complete(waiting);
  });

  // Covers I-2.2.2 D-5.6 D-5.7 D-6.9 D-9.35
  test('the description lists the states of every resource that has states', async () => {
    const { components } = await api.description<{
      readonly components: { readonly schemas: Record<string, { readonly properties: Schemas }> };
    }>();
    type Schemas = Record<string, { readonly enum?: readonly string[]; readonly properties?: Schemas }>;
    const statesOf = (schema: string) => {
      const { status, subscription } = components.schemas[schema]?.properties ?? {};
      return (status ?? subscription?.properties?.status)?.enum;
    };
    assert.deepEqual(['JobRow', 'Subscribed', 'Invoice', 'Export', 'Delivery'].map(statesOf), [
      ['queued', 'processing', 'completed', 'failed'],
      ['incomplete', 'active', 'past_due', 'unpaid', 'canceled'],
      ['draft', 'open', 'paid', 'uncollectible', 'void'],
      ['processing', 'completed', 'failed', 'expired'],
      ['pending', 'delivered', 'failed'],
    ]);
  });

  // Covers D-8.2
  test('a deprecated operation announces its removal; no operation is deprecated', async () => {
    interface Operation {
      readonly deprecated?: boolean;
      readonly responses: Record<string, { readonly headers?: Record<string, unknown> }>;
    }
    const { paths } = await api.description<{ readonly paths: Record<string, Record<string, Operation>> }>();
    const operations = Object.values(paths).flatMap((path) => Object.values(path));
    for (const { deprecated = false, responses } of operations) {
      for (const { headers = {} } of Object.values(responses)) {
        assert.deepEqual(['Deprecation' in headers, 'Sunset' in headers], [deprecated, deprecated]);
      }
    }
    const ada = await api.register();
    for (const { headers } of [await ada.withKey('GET /splits'), await ada.withToken('GET /billing')]) {
      assert.deepEqual([headers.get('deprecation'), headers.get('sunset')], [null, null]);
    }
  });
});

describe('rate limits', () => {
  const api = forSuite(() => startInstallation({ kind: 'scripted', isLimited: true }));
  const figure = ({ headers }: Answer, name: string) => Number(headers.get(`x-ratelimit-${name}`));

  // Covers I-8.1 I-8.10 I-4.1.6 I-4.3.12 I-8.6
  test('creating a key and all calls about jobs count', async () => {
    const ada = await api.register();
    api.advance(60_000);
    const jobId = await ada.create();
    const remaining = [];
    for (const target of ['POST /splits', 'GET /splits', `GET /splits/${jobId}`, `DELETE /splits/${jobId}`]) {
      remaining.push(figure(await ada.withKey(target), 'remaining'));
    }
    assert.deepEqual(remaining, [8, 7, 6, 5]);
    const created = await ada.withToken('POST /api-keys', { name: 'second' });
    assert.deepEqual([created.status, figure(created, 'remaining')], [201, 9]);
  });

  // Covers I-8.1 I-8.2 I-8.3 I-8.5 I-8.8 D-3.2 D-3.6 D-3.7 D-3.8
  test('the limit is that of the plan, for keys and for tokens', async () => {
    const ada = await api.register();
    const both = async () => [
      figure(await ada.withKey('GET /splits'), 'limit'),
      figure(await ada.withToken('GET /billing'), 'limit'),
    ];
    const becomes = (limit: number) =>
      until(async () => {
        api.advance(60_000);
        return (await both()).every((each) => each === limit);
      }, `${limit} a minute`);
    assert.deepEqual(await both(), [10, 10]);
    await ada.subscribe('plan_starter');
    await becomes(60);
    await ada.withToken('POST /billing/change-plan', { planId: 'plan_pro' });
    await becomes(300);
  });
});
