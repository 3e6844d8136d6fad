import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '@audiosplit/chassis/ids';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { type Timestamp, timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type BillingFixture, startBillingFixture } from '../billing.fixture.ts';
import type { BillingClient } from '../client.ts';

describe('preview of a plan change', () => {
  let fixture: BillingFixture;
  let billing: BillingClient;
  before(async () => {
    fixture = await startBillingFixture();
    billing = fixture.billing;
  });
  after(() => fixture[Symbol.asyncDispose]());

  const day = (at: Timestamp | undefined) => at && timestampDate(at).toISOString().slice(0, 10);

  it('shows the price of a plan, and changes nothing', async () => {
    const accountId = newId('acc');
    const options = () => fixture.actingFor(accountId);
    const preview = (planId: string) => billing.previewPlanChange({ planId }, options());
    const shown = async (planId: string) => {
      const { kind, amountDueCents, pricePerMonthCents, effectiveAt, nextChargeAt } = await preview(planId);
      return [kind, Number(amountDueCents), Number(pricePerMonthCents), day(effectiveAt), day(nextChargeAt)];
    };
    assert.deepEqual(await shown('plan_pro'), ['subscribe', 4_900, 4_900, '2026-03-14', '2026-04-14']);
    await refusal(preview('plan_free'), 'INVALID_PARAMS');
    await billing.setPaymentMethod({ token: 'tok_visa' }, options());
    await billing.subscribe({ planId: 'plan_starter' }, options());
    await refusal(preview('plan_starter'), 'PLAN_UNCHANGED');
    const now = timestampFromDate(new Date('2026-03-29T21:26:53Z'));
    await billing.setSandboxClock({ now }, options());
    assert.deepEqual(await shown('plan_pro'), ['upgrade', 2_000, 4_900, '2026-03-29', '2026-04-14']);
    assert.match((await preview('plan_pro')).description, /Pro instead of Starter/);
    const { proration } = await billing.changePlan({ planId: 'plan_pro' }, options());
    assert.equal(proration?.amountCents, 2_000n);
    assert.deepEqual(await shown('plan_starter'), ['downgrade', 0, 900, '2026-04-14', '2026-04-14']);
    await billing.cancelSubscription({ immediate: false }, options());
    assert.deepEqual(await shown('plan_pro'), ['resume', 0, 4_900, '2026-03-29', '2026-04-14']);
    assert.equal((await billing.getBillingInfo({}, options())).subscription?.cancelAtPeriodEnd, true);
    const { invoices } = await billing.listInvoices({ page: 1, limit: 100 }, options());
    assert.equal(invoices.length, 2);
  });

  it('is not exceeded: a higher price is rejected, and nothing is charged', async () => {
    const accountId = newId('acc');
    const options = () => fixture.actingFor(accountId);
    const charged = async () => {
      const { invoices } = await billing.listInvoices({ page: 1, limit: 100 }, options());
      return invoices.map(({ amountCents }) => Number(amountCents)).reverse();
    };
    const price = async (planId: string) =>
      (await billing.previewPlanChange({ planId }, options())).amountDueCents;
    await billing.setPaymentMethod({ token: 'tok_visa' }, options());
    const starter = { planId: 'plan_starter' };
    await refusal(billing.subscribe({ ...starter, maxAmountCents: 899n }, options()), 'PRICE_CHANGED');
    assert.equal((await billing.getBillingInfo({}, options())).subscription, undefined);
    await billing.subscribe({ ...starter, maxAmountCents: await price('plan_starter') }, options());

    const pro = { planId: 'plan_pro', maxAmountCents: await price('plan_pro') };
    // The price was shown shortly before the period ended. The next period is still complete.
    const lastDay = timestampFromDate(new Date('2026-04-13T12:00:00Z'));
    await billing.setSandboxClock({ now: lastDay }, options());
    const late = { planId: 'plan_pro', maxAmountCents: await price('plan_pro') };
    assert.ok(late.maxAmountCents < pro.maxAmountCents);
    await billing.setSandboxClock({ now: timestampFromDate(new Date('2026-04-15T00:00:00Z')) }, options());
    await refusal(billing.changePlan(late, options()), 'PRICE_CHANGED');
    assert.deepEqual(await charged(), [900, 900]);
    const { proration } = await billing.changePlan(pro, options());
    assert.ok((proration?.amountCents ?? 0n) <= pro.maxAmountCents);
  });
});
