import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { newId } from '@audiosplit/chassis/ids';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { openHolder } from '../account-holder.fixture.ts';
import { startBillingFixture } from '../billing.fixture.ts';
import type { BillingClient } from '../client.ts';

const GIBIBYTE = 1024n ** 3n;

describe('plans and limits', () => {
  let billing: BillingClient;
  let operator: BillingClient;
  const fixture = forSuite(startBillingFixture);
  before(() => {
    billing = fixture.billing;
    operator = fixture.billing;
  });

  // Covers I-1.7 I-1.8 I-2.4.2 I-8.1 I-8.2 I-8.3 I-8.4 I-8.12 I-8.13 I-8.14 I-8.15 I-8.17 D-3.6 D-3.7 D-3.8
  // Covers D-3.9 D-3.11 B-5.1
  it('lists the plans with their figures', async () => {
    const { plans } = await billing.listPlans({});
    const figures = plans.map((plan) => [
      plan.id,
      plan.requestsPerMinute,
      plan.concurrentJobs,
      plan.monthlyMinutes,
      plan.maxFileSizeBytes,
      plan.maxOutputBytes,
      plan.pricePerMonthCents,
      plan.overageMillicentsPerMinute,
      plan.currency,
    ]);
    assert.deepEqual(figures, [
      ['plan_free', 10, 2, 60, 104_857_600n, 1n * GIBIBYTE, 0n, undefined, 'usd'],
      ['plan_starter', 60, 5, 500, 524_288_000n, 5n * GIBIBYTE, 900n, 2_000n, 'usd'],
      ['plan_pro', 300, 20, 5_000, 2_147_483_648n, 25n * GIBIBYTE, 4_900n, 1_000n, 'usd'],
      ['plan_enterprise', 1_000, 50, 50_000, 10_737_418_240n, 100n * GIBIBYTE, 29_900n, 800n, 'usd'],
    ]);
    assert.deepEqual(
      plans.map((plan) => plan.name),
      ['Free', 'Starter', 'Pro', 'Enterprise'],
    );
  });

  it('gives an unknown account the limits of the Free plan', async () => {
    for (const service of ['jobs', 'auth'] as const) {
      const { limits } = await fixture.clientOf(service).getLimits({ accountId: newId('acc') });
      assert.equal(limits?.planId, 'plan_free');
      assert.equal(limits.requestsPerMinute, 10);
      assert.equal(limits.concurrentJobs, 2);
      assert.equal(limits.maxFileSizeBytes, 104_857_600n);
      assert.equal(limits.maxOutputBytes, GIBIBYTE);
      assert.equal(limits.monthlyMinutes, 60);
      assert.equal(limits.overageAllowed, false);
      assert.equal(limits.revision, 0n);
    }
  });

  // Covers D-9.4
  it('shows a Free account its plan, and no subscription', async () => {
    const info = await billing.getBillingInfo({}, fixture.actingFor(newId('acc')));
    assert.equal(info.plan?.id, 'plan_free');
    assert.equal(info.subscription, undefined);
    assert.equal(info.paymentMethod, undefined);
  });

  // Covers D-3.10
  it('applies overrides to the plan, and publishes the limits with a growing revision', async () => {
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

    const second = await fixture.billing.setAccountOverrides({ accountId, concurrentJobs: 7 });
    assert.equal(second.limits?.requestsPerMinute, 10, 'an absent figure goes back to the plan');
    assert.equal(second.limits.concurrentJobs, 7);
    assert.equal(second.limits.revision, 2n);

    const published = (await fixture.published('accountLimitsChanged', accountId, 2)).map(({ payload }) => {
      assert(payload.case === 'accountLimitsChanged');
      return payload.value.limits;
    });
    assert.deepEqual(published, [first.limits, second.limits]);
  });

  // Covers D-3.10
  it('charges the overridden price on every paid plan, and nothing on Free', async () => {
    const ada = openHolder(fixture);
    await ada.agree({ pricePerMonthCents: 50_000n, overageMillicentsPerMinute: 500n });
    const planOf = async () => (await ada.info()).plan;
    const free = await planOf();
    assert.deepEqual([free?.pricePerMonthCents, free?.overageMillicentsPerMinute], [0n, undefined]);
    assert.equal((await ada.quota()).overageAllowed, false);

    await ada.setCard('tok_visa');
    await ada.subscribe('plan_pro');
    const pro = await planOf();
    assert.deepEqual([pro?.pricePerMonthCents, pro?.overageMillicentsPerMinute], [50_000n, 500n]);
    const { proration } = await ada.changePlan('plan_enterprise');
    assert.equal(proration?.amountCents, 0n, 'it costs the same');
    const invoices = async () => (await ada.invoices()).map(({ amountCents }) => amountCents);
    assert.deepEqual(await invoices(), [50_000n]);

    await ada.use(50_100);
    const { usage } = ada;
    assert.equal((await usage()).minutesOverage, 100n);
    assert.deepEqual([(await usage()).basePlanCents, (await usage()).overageCents], [50_000n, 50n]);

    // The new price applies from the next charge on, the overage price from the next minute on.
    await ada.agree({ pricePerMonthCents: 0n, overageMillicentsPerMinute: 1_000n });
    assert.deepEqual([(await usage()).basePlanCents, (await usage()).overageCents], [50_000n, 50n]);
    await ada.moveTo('2026-04-15T00:00:00Z');
    assert.deepEqual(await invoices(), [50n, 50_000n]);
    // An ended period stays as it was billed.
    await ada.agree({});
    const previous = await usage('previous');
    assert.deepEqual([previous.basePlanCents, previous.overageCents], [50_000n, 50n]);
  });

  it('bills an ended period by the overrides that applied while it ran', async () => {
    const ada = openHolder(fixture);
    const start = fixture.now();
    await ada.setCard('tok_visa');
    await ada.subscribe('plan_starter');
    fixture.setNow(new Date('2026-05-20T00:00:00Z'));
    await ada.agree({ pricePerMonthCents: 77n });
    assert.deepEqual(
      (await ada.invoices()).map(({ amountCents }) => amountCents),
      [900n, 900n, 900n],
    );
    fixture.setNow(start);
  });

  it('starts a subscription at a price of 0 without a charge, but requires a card', async () => {
    const ada = openHolder(fixture);
    await ada.agree({ pricePerMonthCents: 0n });
    await refusal(ada.subscribe('plan_enterprise'), 'PAYMENT_METHOD_REQUIRED');
    await ada.setCard('tok_chargeCustomerFail');
    const { subscription } = await ada.subscribe('plan_enterprise');
    assert.equal(subscription?.status, 'active');
    assert.deepEqual(await ada.invoices(), []);
    assert.equal((await ada.limits())?.planId, 'plan_enterprise');
  });

  it('shows an operator the overrides and the effective plan', async () => {
    const accountId = newId('acc');
    const none = await operator.getAccountOverrides({ accountId });
    assert.deepEqual(
      [none.requestsPerMinute, none.pricePerMonthCents, none.plan?.id],
      [undefined, undefined, 'plan_free'],
    );
    await operator.setAccountOverrides({ accountId, requestsPerMinute: 77, pricePerMonthCents: 5n });
    const some = await operator.getAccountOverrides({ accountId });
    assert.deepEqual(
      [some.requestsPerMinute, some.pricePerMonthCents, some.plan?.requestsPerMinute],
      [77, 5n, 77],
    );
    await refusal(fixture.clientOf('gateway').getAccountOverrides({ accountId }), 'UNAUTHORIZED');
  });

  it('gives concurrent changes different revisions', async () => {
    const accountId = newId('acc');
    const changes = await Promise.all(
      [1, 2, 3, 4, 5].map((concurrentJobs) => operator.setAccountOverrides({ accountId, concurrentJobs })),
    );
    assert.deepEqual(changes.map((change) => change.limits?.revision).sort(), [1n, 2n, 3n, 4n, 5n]);
    const published = await fixture.published('accountLimitsChanged', accountId, 5);
    const revisions = published.map(({ payload }) =>
      payload.case === 'accountLimitsChanged' ? payload.value.limits?.revision : undefined,
    );
    assert.deepEqual(revisions, [1n, 2n, 3n, 4n, 5n], 'published in order');
  });

  for (const [field, override] of [
    ['requestsPerMinute', { requestsPerMinute: 0 }],
    ['concurrentJobs', { concurrentJobs: 0 }],
    ['monthlyMinutes', { monthlyMinutes: -1 }],
    ['maxFileSizeBytes', { maxFileSizeBytes: 0n }],
    ['maxFileSizeBytes', { maxFileSizeBytes: 2n ** 60n }],
    ['pricePerMonthCents', { pricePerMonthCents: -1n }],
    ['pricePerMonthCents', { pricePerMonthCents: 100_000_000n }],
    ['overageMillicentsPerMinute', { overageMillicentsPerMinute: -1n }],
    ['overageMillicentsPerMinute', { overageMillicentsPerMinute: 100_000_000n }],
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
    await refusal(fixture.clientOf('gateway').setAccountOverrides({ accountId }), 'UNAUTHORIZED');
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
