/** Checks every field of every resource, as the contract states it, in responses of the real services. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import { aSplit, type Holder } from '../harness/installation/scripted.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';

type Rule = RegExp | ((value: unknown) => boolean);
type Fields = Readonly<Record<string, Rule>>;

const isTime: Rule = (value) =>
  typeof value === 'string' && new Date(value).toISOString() === value && /Z$/.test(value);
const isTimeOrNull: Rule = (value) => value === null || isTime(value);
const isCount: Rule = (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0;
const isBoolean: Rule = (value) => typeof value === 'boolean';
const isUrl: Rule = (value) => typeof value === 'string' && URL.canParse(value);
const isOneOf =
  (...values: readonly unknown[]): Rule =>
  (value) =>
    values.includes(value);

/** Exactly these fields, each by its rule. */
function assertFields(resource: object, fields: Fields): void {
  assert.deepEqual(Object.keys(resource).sort(), Object.keys(fields).sort());
  for (const [name, value] of Object.entries(resource)) {
    const rule = fields[name];
    const holds = rule instanceof RegExp ? rule.test(String(value)) : rule?.(value);
    assert.ok(holds, `${name}: ${JSON.stringify(value)}`);
  }
}

describe('resources', () => {
  const api = forSuite(() => startInstallation({ kind: 'scripted' }));
  let ada: Holder;
  before(async () => {
    ada = await api.register();
  });
  /** The body of a successful response. */
  const ok = async (asked: ReturnType<Holder['withKey']>) => {
    const { status, body } = await asked;
    assert.ok(status < 300, JSON.stringify(body));
    return body;
  };

  const KEY: Fields = {
    id: /^key_\w+$/,
    name: /^test$/,
    scopes: (value) => Array.isArray(value) && value.join() === 'splits:read,splits:write,keys:manage',
    createdAt: isTime,
    expiresAt: isTimeOrNull,
  };

  // Covers I-2.0.1 I-2.1.1 I-2.1.2 I-2.1.3 I-2.1.5 I-2.1.7 I-2.1.8 I-4.1.4
  test('an API key when it is created', () => {
    assertFields(ada.createdKey, { ...KEY, key: /^ask_live_[0-9A-Za-z]{49}$/ });
    assert.equal(ada.createdKey.expiresAt, null);
  });

  // Covers I-2.1.3 I-2.1.4 I-2.1.6 I-2.1.8 I-2.1.9 I-4.2.3 D-8.1
  test('an API key after its use and an update', async () => {
    const { id, key } = ada.createdKey;
    const usedFrom = api.context.clock();
    await ok(ada.withKey('GET /splits'));
    const isUsed = async () => (await ok(ada.withToken(`GET /api-keys/${id}`))).lastUsedAt !== null;
    await until(isUsed, 'its use is reported');
    api.advance(1_000);
    const expiresAt = '2099-01-01T00:00:00.000Z';
    const updated = await ok(ada.withToken(`PATCH /api-keys/${id}`, { expiresAt }));
    assertFields(updated, {
      ...KEY,
      keyPreview: /^ask_live_\w{4}…\w{4}$/,
      lastUsedAt: isTime,
      updatedAt: isTime,
    });
    assert.equal(updated.keyPreview, `${key.slice(0, 13)}…${key.slice(-4)}`);
    assert.equal(updated.expiresAt, expiresAt);
    assert.ok(updated.lastUsedAt >= usedFrom.toISOString());
    assert.ok(updated.updatedAt > updated.createdAt && updated.updatedAt > updated.lastUsedAt);
  });

  const JOB_OR_ROW: Fields = {
    id: /^job_\w+$/,
    splitMode: /^duration$/,
    segmentDuration: (value) => value === 60,
    createdAt: isTime,
  };
  const JOB: Fields = { ...JOB_OR_ROW, sourceUrl: (value) => value === aSplit.sourceUrl };

  // Covers I-2.2.1 I-2.2.2 I-2.2.4 I-2.2.5 I-2.2.7 I-2.2.8 I-2.2.9 I-2.2.15 I-3.1.1 I-4.3.8
  test('a job when it is created, and while it is queued', async () => {
    const request = { ...aSplit, outputFormat: 'mp3', webhookUrl: api.hookUrl, metadata: { a: { b: [1] } } };
    const created = await ok(ada.withKey('POST /splits', request));
    assertFields(created, {
      ...JOB,
      status: /^queued$/,
      phase: /^waiting$/,
      outputFormat: /^mp3$/,
      webhookUrl: (value) => value === api.hookUrl,
      metadata: (value) => JSON.stringify(value) === '{"a":{"b":[1]}}',
    });
    assert.deepEqual(await ok(ada.withKey(`GET /splits/${created.id}`)), created);
    await ok(ada.withKey(`DELETE /splits/${created.id}`));
  });

  // Covers I-2.2.4 I-2.2.6 I-2.0.3
  test('a job of the other mode', async () => {
    const request = { sourceUrl: aSplit.sourceUrl, splitMode: 'fileSize', maxFileSize: 100_000 };
    const { segmentDuration: _, ...fields } = JOB;
    const created = await ok(ada.withKey('POST /splits', request));
    assertFields(created, {
      ...fields,
      status: /^queued$/,
      phase: /^waiting$/,
      splitMode: /^fileSize$/,
      maxFileSize: (value) => value === 100_000,
    });
    await ok(ada.withKey(`DELETE /splits/${created.id}`));
  });

  // Covers I-2.2.2 I-2.2.3 I-3.1.6 I-4.5.2
  test('a job while it is processed', async () => {
    const claimed = await api.claim(await ada.create({ ...aSplit, metadata: { a: 1 } }));
    await api.leases.renewLease({ ...claimed, progressPercent: 42 });
    const job = await ok(ada.withKey(`GET /splits/${claimed.jobId}`));
    assertFields(job, {
      ...JOB,
      status: /^processing$/,
      phase: /^cutting$/,
      progress: (value) => value === 42,
    });
    await ok(ada.withKey(`POST /splits/${claimed.jobId}/cancel`));
  });

  const SEGMENT: Fields = {
    index: isCount,
    endTime: (value: unknown) => typeof value === 'number' && value > 0,
    fileName: (value: unknown) => typeof value === 'string' && value !== '',
    downloadUrl: isUrl,
    startTime: isCount,
    duration: isCount,
    size: isCount,
    expiresAt: isTime,
  };

  // Covers I-2.2.7 I-2.2.10 I-2.2.11 I-2.2.12 I-2.2.13 I-2.2.16 I-2.3.1 I-2.3.2 I-2.3.3 I-2.3.4 I-2.3.5
  // Covers I-3.1.7 I-4.5.1 I-2.0.2 D-2.53 D-2.54 D-8.1
  test('a job that has completed, and its segments', async () => {
    const id = await ada.create({ ...aSplit, metadata: { a: 1 } });
    await api.complete(id);
    const job = await ok(ada.withKey(`GET /splits/${id}`));
    assertFields(job, {
      ...JOB,
      status: /^completed$/,
      outputFormat: /^mp3$/,
      sourceFileName: /^talk\.mp3$/,
      sourceDuration: (value) => value === 91,
      sourceSize: (value) => value === 1_000,
      segments: Array.isArray,
      metadata: (value) => JSON.stringify(value) === '{"a":1}',
      completedAt: isTime,
    });
    for (const [position, segment] of job.segments.entries()) {
      assertFields(segment, SEGMENT);
      assert.equal(segment.index, position);
      assert.equal(Buffer.byteLength(await (await fetch(segment.downloadUrl)).text()), segment.size);
    }
    assert.equal(job.segments.map(({ duration }: { duration: number }) => duration).join(), '60,31');
  });

  const ROW: Fields = {
    ...JOB_OR_ROW,
    status: isOneOf('queued', 'processing', 'completed', 'failed'),
    segmentCount: (value) => value === null || isCount(value),
    completedAt: isTimeOrNull,
  };

  // Covers I-2.2.2 I-2.2.14 I-2.2.16 I-2.10.1 I-4.4.1 I-4.4.2 I-4.4.4 I-4.4.5 I-4.4.6 D-9.7 D-8.1
  test('rows of jobs, and their page', async () => {
    const bob = await api.register();
    const ids = [await bob.create(), await bob.create(), await bob.create()] as const;
    await api.fail(ids[0]);
    await api.complete(ids[1]);
    const { data, pagination } = await ok(bob.withKey('GET /splits'));
    for (const { outputFormat, sourceFileName, failedAt, error, ...row } of data) {
      assertFields(row, ROW);
      const isCompleted = row.status === 'completed';
      assert.equal(outputFormat, isCompleted ? 'mp3' : undefined);
      assert.equal(sourceFileName, isCompleted ? 'talk.mp3' : undefined);
      assert.equal(isTime(failedAt), row.status === 'failed');
      assert.deepEqual(error && Object.keys(error), failedAt && ['code', 'message']);
    }
    const { failedAt } = await ok(bob.withKey(`GET /splits/${ids[0]}`));
    assert.equal(failedAt, data[2].failedAt);
    const rows = data.map((row: { id: string; segmentCount: number | null }) => [row.id, row.segmentCount]);
    const expected = [null, 2, null].map((count, index) => [ids[index], count]);
    assert.deepEqual(rows, expected.toReversed());
    assert.deepEqual(pagination, { page: 1, limit: 20, total: 3, totalPages: 1 });
  });

  // Covers I-2.4.1 I-2.4.2 I-2.4.3 I-2.4.4 I-2.4.5 I-2.4.6 I-2.0.4 I-2.0.5 D-3.12 D-9.34
  test('plans', async () => {
    const { data } = await ok(api.call('GET /plans', {}));
    const figures = [
      [2, 10, null],
      [5, 60, 2_000],
      [20, 300, 1_000],
      [50, 1_000, 800],
    ];
    assert.equal(data.length, figures.length);
    for (const [position, plan] of data.entries()) {
      assertFields(plan, {
        id: /^plan_(free|starter|pro|enterprise)$/,
        name: /^[A-Z][a-z]+$/,
        monthlyMinutes: isCount,
        maxFileSize: isCount,
        maxOutputBytes: isCount,
        pricePerMonth: isCount,
        currency: /^usd$/,
        concurrentJobs: isCount,
        requestsPerMinute: isCount,
        overageMillicentsPerMinute: (value) => value === null || isCount(value),
      });
      const { concurrentJobs, requestsPerMinute, overageMillicentsPerMinute } = plan;
      assert.deepEqual([concurrentJobs, requestsPerMinute, overageMillicentsPerMinute], figures[position]);
    }
    assert.deepEqual((await ok(ada.withToken('GET /billing'))).plan, data[0]);
  });

  const SUBSCRIPTION: Fields = {
    status: /^active$/,
    currentPeriodStart: isTime,
    currentPeriodEnd: isTime,
  };
  const IDENTIFIED: Fields = { id: /^sub_\w+$/, planId: /^plan_(starter|pro)$/ };

  // Covers I-2.5.1 I-2.5.2 I-2.5.3 I-2.5.4 I-2.5.5 I-2.5.6 I-2.5.7 I-2.0.4 I-3.2.1 I-3.2.3 I-3.2.4 I-4.9.3 I-4.10.2
  // Covers I-4.10.3 I-4.11.3 I-4.13.1 D-8.1
  test('a subscription, from its start to its cancellation', async () => {
    const subscription = await ada.subscribe('plan_starter');
    assertFields(subscription, { ...IDENTIFIED, ...SUBSCRIPTION });
    const { currentPeriodStart: _, ...shown } = SUBSCRIPTION;
    const change = (planId: string) => ok(ada.withToken('POST /billing/change-plan', { planId }));
    const { proration, ...up } = await change('plan_pro');
    assertFields(up, { subscription: Boolean, message: /\w/ });
    assertFields(up.subscription, { ...IDENTIFIED, ...shown });
    assertFields(proration, { amount: (value) => value === 4_000, currency: /^usd$/, description: /\w/ });
    const down = await change('plan_starter');
    assertFields(down, { subscription: Boolean, message: /\w/ });
    assertFields(down.subscription, { ...IDENTIFIED, ...shown, scheduledPlanId: /^plan_starter$/ });
    assert.equal(down.subscription.planId, 'plan_pro');

    const billing = await ok(ada.withToken('GET /billing'));
    assertFields(billing, { plan: Boolean, subscription: Boolean, paymentMethod: Boolean });
    assertFields(billing.subscription, { ...SUBSCRIPTION, cancelAtPeriodEnd: isBoolean });
    const canceled = await ok(ada.withToken('POST /billing/cancel', {}));
    assertFields(canceled, { subscription: Boolean, message: /\w/ });
    const { planId: _planId, ...identified } = IDENTIFIED;
    assertFields(canceled.subscription, {
      ...identified,
      ...shown,
      cancelAtPeriodEnd: (value) => value === true,
    });
  });

  // Covers I-2.6.1 I-2.6.2 I-2.6.3 I-2.6.4 I-2.6.5 I-4.13.1 D-5.1 D-9.4
  test('a payment method', async () => {
    const bob = await api.register();
    assert.equal((await ok(bob.withToken('GET /billing'))).paymentMethod, null);
    const card = await ok(bob.withToken('PUT /billing/payment-method', { token: 'tok_mastercard' }));
    assertFields(card, {
      type: /^card$/,
      last4: /^\d{4}$/,
      brand: /^mastercard$/,
      expiresMonth: (value) => isCount(value) && Number(value) >= 1 && Number(value) <= 12,
      expiresYear: (value) => isCount(value) && Number(value) > 2_000,
    });
    const { paymentMethod, subscription, plan } = await ok(bob.withToken('GET /billing'));
    assert.deepEqual([paymentMethod, subscription, plan.id], [card, null, 'plan_free']);
  });

  // Covers I-2.7.1 I-2.7.2 I-2.7.3 I-2.7.4 I-2.7.5 I-2.7.6 I-2.7.7 I-2.7.8 I-2.7.9 I-2.0.4 I-4.12.1 I-4.12.2 D-5.8
  // Covers I-8.16 D-8.1
  test('an invoice, and its page', async () => {
    const bob = await api.register();
    await bob.subscribe('plan_starter');
    const { data, pagination } = await ok(bob.withToken('GET /billing/invoices'));
    assert.deepEqual(pagination, { page: 1, limit: 20, total: 1, totalPages: 1 });
    assertFields(data[0], {
      id: /^inv_\w+$/,
      number: /^INV-\d{6}-\d{6}$/,
      status: /^paid$/,
      amount: (value) => value === 900,
      currency: /^usd$/,
      periodStart: isTime,
      periodEnd: isTime,
      paidAt: isTime,
      pdfUrl: isUrl,
      companyName: (value) => value === null,
      taxId: (value) => value === null,
      amountRefunded: (value) => value === 0,
      refunds: (value) => Array.isArray(value) && value.length === 0,
    });
    assert.equal((await (await fetch(data[0].pdfUrl)).text()).slice(0, 5), '%PDF-');
    for (const [limit, status] of [
      [1, 200],
      [100, 200],
      [101, 400],
      [0, 400],
    ] as const)
      assert.equal((await bob.withToken(`GET /billing/invoices?limit=${limit}`)).status, status);
  });

  // Covers I-2.8.1 I-2.8.2 I-2.8.3 I-2.8.4 I-2.8.5 I-2.8.6 I-2.8.7 I-2.8.8 I-2.8.9 I-2.8.10 I-2.8.11 I-4.14.2
  // Covers D-3.16 D-3.17 D-9.31 D-8.1
  test('a usage report', async () => {
    const bob = await api.register();
    await bob.subscribe('plan_starter');
    await api.complete(await bob.create());
    await api.fail(await bob.create());
    await ok(bob.withKey(`POST /splits/${await bob.create()}/cancel`, {}));
    const read = () => ok(bob.withToken('GET /billing/usage?period=current'));
    await until(async () => {
      const { usage } = await read();
      return usage.jobsCompleted === 1 && usage.jobsFailed === 2;
    }, 'all three are counted');
    const report = await read();
    assertFields(report, { period: Boolean, usage: Boolean, cost: Boolean });
    assertFields(report.period, { start: isTime, end: isTime });
    assert.deepEqual(report.usage, {
      minutesProcessed: 2,
      minutesIncluded: 500,
      minutesOverage: 0,
      jobsCompleted: 1,
      // A canceled job counts as failed, as its status does.
      jobsFailed: 2,
      jobsCanceled: 1,
      storageUsedBytes: 19,
    });
    assert.deepEqual(report.cost, { basePlan: 900, overage: 0, total: 900, currency: 'usd' });
  });

  // Covers I-2.9.1 I-2.9.2 I-2.9.3 I-2.9.4 I-2.9.5 I-3.4.1 I-4.8.1 I-4.8.3 D-8.1
  test('an export when it starts', async () => {
    for (const [request, format] of [
      [{}, 'json'],
      [{ format: 'csv' }, 'csv'],
    ] as const) {
      const bob = await api.register();
      const begun = await bob.withToken('POST /account/export', request);
      assert.equal(begun.status, 202);
      assertFields(begun.body, {
        exportId: /^exp_\w+$/,
        status: /^processing$/,
        format: (value) => value === format,
        estimatedCompletionAt: isTime,
        message: /\w/,
      });
    }
  });
});
