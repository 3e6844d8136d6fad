import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '@audiosplit/chassis/ids';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { type BillingFixture, startBillingFixture } from './billing.fixture.ts';
import type { BillingClient } from './client.ts';

describe('plans and limits', () => {
  let fixture: BillingFixture;
  let billing: BillingClient;
  let operator: BillingClient;
  before(async () => {
    fixture = await startBillingFixture();
    billing = fixture.clientOf('gateway');
    operator = fixture.clientOf('operator');
  });
  after(() => fixture[Symbol.asyncDispose]());

  it('lists the plans with their figures', async () => {
    const { plans } = await billing.listPlans({});
    const figures = plans.map((plan) => [
      plan.id,
      plan.requestsPerMinute,
      plan.concurrentJobs,
      plan.monthlyMinutes,
      plan.maxFileSizeBytes,
      plan.pricePerMonthCents,
      plan.overageMillicentsPerMinute,
      plan.currency,
    ]);
    assert.deepEqual(figures, [
      ['plan_free', 10, 2, 60, 104_857_600n, 0n, undefined, 'usd'],
      ['plan_starter', 60, 5, 500, 524_288_000n, 900n, 2_000n, 'usd'],
      ['plan_pro', 300, 20, 5_000, 2_147_483_648n, 4_900n, 1_000n, 'usd'],
      ['plan_enterprise', 1_000, 50, 50_000, 10_737_418_240n, 29_900n, 800n, 'usd'],
    ]);
    assert.deepEqual(
      plans.map((plan) => plan.name),
      ['Free', 'Starter', 'Pro', 'Enterprise'],
    );
  });

  it('gives an unknown account the limits of the Free plan', async () => {
    for (const service of ['gateway', 'jobs', 'auth']) {
      const { limits } = await fixture.clientOf(service).getLimits({ accountId: newId('acc') });
      assert.equal(limits?.planId, 'plan_free');
      assert.equal(limits.requestsPerMinute, 10);
      assert.equal(limits.concurrentJobs, 2);
      assert.equal(limits.maxFileSizeBytes, 104_857_600n);
      assert.equal(limits.monthlyMinutes, 60);
      assert.equal(limits.overageAllowed, false);
      assert.equal(limits.revision, 0n);
    }
  });

  it('shows a Free account its plan, and no subscription', async () => {
    const info = await billing.getBillingInfo({}, fixture.actingFor(newId('acc')));
    assert.equal(info.plan?.id, 'plan_free');
    assert.equal(info.subscription, undefined);
    assert.equal(info.paymentMethod, undefined);
  });

  it('lays overrides over the plan, and tells everyone with a growing revision', async () => {
    const accountId = newId('acc');
    const first = await operator.setAccountOverrides({
      accountId,
      requestsPerMinute: 500,
      monthlyMinutes: 0,
      maxFileSizeBytes: 3_000_000_000n,
    });
    assert.equal(first.limits?.requestsPerMinute, 500);
    assert.equal(first.limits.monthlyMinutes, 0);
    assert.equal(first.limits.maxFileSizeBytes, 3_000_000_000n);
    assert.equal(first.limits.concurrentJobs, 2);
    assert.equal(first.limits.revision, 1n);
    assert.deepEqual((await billing.getLimits({ accountId })).limits, first.limits);
    assert.equal((await billing.getQuota({ accountId })).remainingMs, 0n);
    const { plan } = await billing.getBillingInfo({}, fixture.actingFor(accountId));
    assert.equal(plan?.requestsPerMinute, 500);

    const second = await fixture.clientOf('local').setAccountOverrides({ accountId, concurrentJobs: 7 });
    assert.equal(second.limits?.requestsPerMinute, 10, 'an absent figure goes back to the plan');
    assert.equal(second.limits.concurrentJobs, 7);
    assert.equal(second.limits.revision, 2n);

    const told = (await fixture.published('accountLimitsChanged', accountId, 2)).map(({ payload }) => {
      assert(payload.case === 'accountLimitsChanged');
      return payload.value.limits;
    });
    assert.deepEqual(told, [first.limits, second.limits]);
  });

  it('gives changes at once different revisions', async () => {
    const accountId = newId('acc');
    const changes = await Promise.all(
      [1, 2, 3, 4, 5].map((concurrentJobs) => operator.setAccountOverrides({ accountId, concurrentJobs })),
    );
    assert.deepEqual(changes.map((change) => change.limits?.revision).sort(), [1n, 2n, 3n, 4n, 5n]);
    const told = await fixture.published('accountLimitsChanged', accountId, 5);
    const revisions = told.map(({ payload }) =>
      payload.case === 'accountLimitsChanged' ? payload.value.limits?.revision : undefined,
    );
    assert.deepEqual(revisions, [1n, 2n, 3n, 4n, 5n], 'told in order');
  });

  for (const [field, override] of [
    ['requestsPerMinute', { requestsPerMinute: 0 }],
    ['concurrentJobs', { concurrentJobs: 0 }],
    ['monthlyMinutes', { monthlyMinutes: -1 }],
    ['maxFileSizeBytes', { maxFileSizeBytes: 0n }],
    ['maxFileSizeBytes', { maxFileSizeBytes: 2n ** 60n }],
    ['accountId', { accountId: '' }],
    ['accountId', { accountId: 'a\0b' }],
  ] as const) {
    it(`INVALID_PARAMS: overriding with ${field} ${JSON.stringify(String(Object.values(override)))}`, async () => {
      const call = operator.setAccountOverrides({ accountId: newId('acc'), ...override });
      const info = await refusal(call, 'INVALID_PARAMS');
      assert.deepEqual(
        info.violations.map((violation) => violation.field),
        [field],
      );
    });
  }

  it('UNAUTHORIZED: overrides by anyone but an operator', async () => {
    const accountId = newId('acc');
    await refusal(billing.setAccountOverrides({ accountId }), 'UNAUTHORIZED');
    await refusal(operator.setAccountOverrides({ accountId }, fixture.actingFor(accountId)), 'UNAUTHORIZED');
  });

  it('UNAUTHORIZED: limits and quota for an account or another service', async () => {
    const accountId = newId('acc');
    const webhooks = fixture.clientOf('webhooks');
    await refusal(webhooks.getLimits({ accountId }), 'UNAUTHORIZED');
    await refusal(webhooks.getQuota({ accountId }), 'UNAUTHORIZED');
    await refusal(billing.getLimits({ accountId }, fixture.actingFor(accountId)), 'UNAUTHORIZED');
    await refusal(billing.getQuota({ accountId }, fixture.actingFor(accountId)), 'UNAUTHORIZED');
  });

  it('UNAUTHORIZED: billing info and usage without an account', async () => {
    await refusal(billing.getBillingInfo({}), 'UNAUTHORIZED');
    await refusal(billing.getUsage({ period: 'current' }), 'UNAUTHORIZED');
  });
});
