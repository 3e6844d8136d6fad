/** The life of a paying account; the sandbox clock advances the months. */
import assert from 'node:assert/strict';
import type { Audiosplit } from '@audiosplit/client';
import { assertRefuses, register } from './api.ts';
import { onSharedProduct, type ScenarioTags } from './scenario.ts';

const onProduct = onSharedProduct();

const DAY_MS = 86_400_000;

/** A scenario with a new account. */
function scenario(name: string, tags: ScenarioTags, run: (client: Audiosplit) => Promise<void>): void {
  onProduct(name, tags, async (product) => run((await register(product)).client));
}

const moveTo = (ada: Audiosplit, time: Date) => ada.setSandboxClock({ now: time.toISOString() });

// Covers I-3.2.1 I-3.2.2 I-4.9.2 I-4.9.3 I-4.9.4 D-5.2 D-5.3 D-9.3 I-7.10 D-5.4
scenario(
  'a subscription requires a card, charges it, and starts once',
  { covers: ['POST /api/v1/billing/subscribe', 'GET /api/v1/billing'] },
  async (ada) => {
    await assertRefuses(ada.subscribe({ planId: 'plan_starter' }), 402, 'PAYMENT_METHOD_REQUIRED');
    await assertRefuses(ada.setPaymentMethod({ token: 'tok_chargeDeclined' }), 402, 'PAYMENT_FAILED');
    assert.equal((await ada.setPaymentMethod({ token: 'tok_chargeCustomerFail' })).last4, '0341');
    await assertRefuses(ada.subscribe({ planId: 'plan_starter' }), 402, 'PAYMENT_FAILED');
    assert.equal((await ada.setPaymentMethod({ token: 'tok_visa' })).brand, 'visa');
    const { subscription } = await ada.subscribe({ planId: 'plan_starter' });
    assert.match(subscription.id, /^sub_/);
    assert.deepEqual([subscription.planId, subscription.status], ['plan_starter', 'active']);
    await assertRefuses(ada.subscribe({ planId: 'plan_pro' }), 409, 'ALREADY_SUBSCRIBED');
    const { plan, subscription: shown } = await ada.getBilling();
    assert.equal(plan.id, 'plan_starter');
    assert.equal(shown?.currentPeriodEnd, subscription.currentPeriodEnd);
  },
);

// Covers I-3.2.3 I-3.2.4 I-4.10.2 I-4.10.3 I-4.12.2 I-2.7.9 D-5.8 D-5.13 D-5.16 D-5.17 D-5.4 D-5.9
scenario(
  'an upgrade applies at once for a prorated charge, and a downgrade with the next period',
  { covers: ['POST /api/v1/billing/change-plan', 'GET /api/v1/billing/invoices'] },
  async (ada) => {
    await assertRefuses(ada.changePlan({ planId: 'plan_pro' }), 409, 'NO_ACTIVE_SUBSCRIPTION');
    await ada.setPaymentMethod({ token: 'tok_mastercard' });
    const { subscription } = await ada.subscribe({ planId: 'plan_starter' });
    const startMs = Date.parse(subscription.currentPeriodStart);
    const endMs = Date.parse(subscription.currentPeriodEnd);
    await moveTo(ada, new Date(startMs + (endMs - startMs) / 2));
    const up = await ada.changePlan({ planId: 'plan_pro' });
    assert.deepEqual([up.subscription.planId, up.proration?.amount], ['plan_pro', 2_000]);
    await assertRefuses(ada.changePlan({ planId: 'plan_pro' }), 409, 'PLAN_UNCHANGED');
    const down = await ada.changePlan({ planId: 'plan_starter' });
    const { planId, scheduledPlanId } = down.subscription;
    assert.deepEqual([planId, scheduledPlanId, 'proration' in down], ['plan_pro', 'plan_starter', false]);
    await moveTo(ada, new Date(endMs));
    assert.equal((await ada.getBilling()).plan.id, 'plan_starter');
    const { data, pagination } = await ada.listInvoices({ limit: 2 });
    const paid = data.map(({ amount, status, currency }) => `${amount} ${currency} ${status}`);
    assert.deepEqual(paid, ['900 usd paid', '2000 usd paid']);
    assert.deepEqual(pagination, { page: 1, limit: 2, total: 3, totalPages: 2 });
    const pdf = await fetch(data[0]?.pdfUrl ?? '');
    assert.equal(pdf.status, 200);
    assert.equal(pdf.headers.get('content-type'), 'application/pdf');
    assert.match(pdf.headers.get('content-disposition') ?? '', /INV-\d{6}-\d{6}\.pdf/);
    assert.equal((await pdf.text()).slice(0, 5), '%PDF-');
  },
);

// Covers I-3.2.5 I-4.11.2 I-4.11.3 D-5.1 D-5.18
scenario(
  'a subscription is canceled at the end of its period, or at once',
  { covers: ['POST /api/v1/billing/cancel'] },
  async (ada) => {
    await assertRefuses(ada.cancelSubscription(), 409, 'NO_ACTIVE_SUBSCRIPTION');
    await ada.setPaymentMethod({ token: 'tok_visa' });
    const { subscription } = await ada.subscribe({ planId: 'plan_pro' });
    const canceled = (await ada.cancelSubscription()).subscription;
    assert.deepEqual([canceled.status, canceled.cancelAtPeriodEnd], ['active', true]);
    await assertRefuses(ada.deletePaymentMethod(), 409, 'ACTIVE_SUBSCRIPTION');
    await moveTo(ada, new Date(Date.parse(subscription.currentPeriodEnd) + DAY_MS));
    assert.equal((await ada.getBilling()).subscription, null);
    await ada.subscribe({ planId: 'plan_starter' });
    const ended = (await ada.cancelSubscription({ immediate: true })).subscription;
    assert.deepEqual([ended.status, ended.cancelAtPeriodEnd], ['canceled', false]);
    // The tenth request of the minute, which is the last one that the Free plan allows.
    await ada.deletePaymentMethod();
  },
);

// Covers D-9.1
scenario('the sandbox clock moves forward only', {}, async (ada) => {
  const later = new Date(Date.now() + 40 * DAY_MS);
  assert.equal((await moveTo(ada, later)).now, later.toISOString());
  await assertRefuses(moveTo(ada, new Date()), 400, 'INVALID_PARAMS');
  await assertRefuses(ada.setSandboxClock({ now: 'tomorrow' }), 400, 'INVALID_PARAMS');
});
