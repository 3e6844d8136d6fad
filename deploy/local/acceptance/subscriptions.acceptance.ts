/** A paying account's life, its months driven by the sandbox clock. */
import assert from 'node:assert/strict';
import { register } from './account.ts';
import { assertRefused, assertStatus, call, type Page } from './api.ts';
import type { Product } from './product.ts';
import { scenario, sharedProduct } from './scenario.ts';

const product = sharedProduct();

interface Subscription {
  readonly id: string;
  readonly planId: string;
  readonly scheduledPlanId?: string;
  readonly status: string;
  readonly currentPeriodStart: string;
  readonly currentPeriodEnd: string;
  readonly cancelAtPeriodEnd: boolean;
}

interface Invoice {
  readonly number: string;
  readonly status: string;
  readonly amount: number;
  readonly currency: string;
  readonly paidAt: string | null;
  readonly pdfUrl: string;
}

const DAY_MS = 86_400_000;

function customer(running: Product, accessToken: string) {
  const ask = <T>(target: `${string} /${string}`, body?: unknown) =>
    call<T>(running, target, { accessToken, ...(body === undefined ? {} : { body }) });
  return {
    subscribe: (planId: string) =>
      ask<{ subscription: Subscription }>('POST /api/v1/billing/subscribe', { planId }),
    changePlan: (planId: string) =>
      ask<{ subscription: Subscription; proration?: { amount: number; currency: string }; message: string }>(
        'POST /api/v1/billing/change-plan',
        { planId },
      ),
    cancel: (immediate?: boolean) =>
      ask<{ subscription: Subscription; message: string }>(
        'POST /api/v1/billing/cancel',
        immediate === undefined ? {} : { immediate },
      ),
    putCard: (token: string) =>
      ask<{ brand: string; last4: string }>('PUT /api/v1/billing/payment-method', { token }),
    invoices: (query = '') => ask<Page<Invoice>>(`GET /api/v1/billing/invoices${query}`),
    billing: () => ask<{ plan: { id: string }; subscription: Subscription | null }>('GET /api/v1/billing'),
    moveTo: (time: string | Date) =>
      ask<{ now: string }>('PUT /api/v1/sandbox/clock', {
        now: typeof time === 'string' ? time : time.toISOString(),
      }),
    ask,
  };
}

async function newCustomer() {
  const running = await product();
  const { accessToken } = await register(running);
  return customer(running, accessToken);
}

scenario(
  'subscribing needs a card, charges it, and happens once',
  { covers: ['POST /api/v1/billing/subscribe', 'GET /api/v1/billing'] },
  async () => {
    const ada = await newCustomer();
    assertRefused((await ada.subscribe('plan_starter')) as never, 402, 'PAYMENT_METHOD_REQUIRED');
    assertRefused((await ada.putCard('tok_chargeDeclined')) as never, 402, 'PAYMENT_FAILED');
    assert.equal(assertStatus(await ada.putCard('tok_chargeCustomerFail'), 200).last4, '0341');
    assertRefused((await ada.subscribe('plan_starter')) as never, 402, 'PAYMENT_FAILED');
    assert.equal(assertStatus(await ada.putCard('tok_visa'), 200).brand, 'visa');
    const { subscription } = assertStatus(await ada.subscribe('plan_starter'), 201);
    assert.match(subscription.id, /^sub_/);
    assert.deepEqual([subscription.planId, subscription.status], ['plan_starter', 'active']);
    assertRefused((await ada.subscribe('plan_pro')) as never, 409, 'ALREADY_SUBSCRIBED');
    const { plan, subscription: shown } = assertStatus(await ada.billing(), 200);
    assert.equal(plan.id, 'plan_starter');
    assert.equal(shown?.currentPeriodEnd, subscription.currentPeriodEnd);
  },
);

scenario(
  'a plan goes up at once for a prorated charge, and down with the next period',
  { covers: ['POST /api/v1/billing/change-plan', 'GET /api/v1/billing/invoices'] },
  async () => {
    const ada = await newCustomer();
    assertRefused((await ada.changePlan('plan_pro')) as never, 409, 'NO_ACTIVE_SUBSCRIPTION');
    await ada.putCard('tok_mastercard');
    const { subscription } = assertStatus(await ada.subscribe('plan_starter'), 201);
    const startMs = Date.parse(subscription.currentPeriodStart);
    const endMs = Date.parse(subscription.currentPeriodEnd);
    await ada.moveTo(new Date(startMs + (endMs - startMs) / 2));
    const up = assertStatus(await ada.changePlan('plan_pro'), 200);
    assert.deepEqual([up.subscription.planId, up.proration?.amount], ['plan_pro', 2_000]);
    assertRefused((await ada.changePlan('plan_pro')) as never, 409, 'PLAN_UNCHANGED');
    const down = assertStatus(await ada.changePlan('plan_starter'), 200);
    assert.deepEqual(
      [down.subscription.planId, down.subscription.scheduledPlanId, 'proration' in down],
      ['plan_pro', 'plan_starter', false],
    );
    assertStatus(await ada.moveTo(new Date(endMs)), 200);
    assert.equal(assertStatus(await ada.billing(), 200).plan.id, 'plan_starter');
    const { data, pagination } = assertStatus(await ada.invoices('?limit=2'), 200);
    assert.deepEqual(
      data.map(({ amount, status, currency }) => [amount, status, currency]),
      [
        [900, 'paid', 'usd'],
        [2_000, 'paid', 'usd'],
      ],
    );
    assert.deepEqual(pagination, { page: 1, limit: 2, total: 3, totalPages: 2 });
    const pdf = await fetch(data[0]?.pdfUrl ?? '');
    assert.equal(pdf.status, 200);
    assert.equal(pdf.headers.get('content-type'), 'application/pdf');
    assert.match(pdf.headers.get('content-disposition') ?? '', /INV-\d{6}-\d{6}\.pdf/);
    assert.equal((await pdf.text()).slice(0, 5), '%PDF-');
  },
);

scenario(
  'a subscription is canceled with its period, or at once',
  { covers: ['POST /api/v1/billing/cancel'] },
  async () => {
    const ada = await newCustomer();
    assertRefused((await ada.cancel()) as never, 409, 'NO_ACTIVE_SUBSCRIPTION');
    await ada.putCard('tok_visa');
    const { subscription } = assertStatus(await ada.subscribe('plan_pro'), 201);
    const canceled = assertStatus(await ada.cancel(), 200).subscription;
    assert.deepEqual([canceled.status, canceled.cancelAtPeriodEnd], ['active', true]);
    assertRefused(
      (await ada.ask('DELETE /api/v1/billing/payment-method')) as never,
      409,
      'ACTIVE_SUBSCRIPTION',
    );
    await ada.moveTo(new Date(Date.parse(subscription.currentPeriodEnd) + DAY_MS));
    assert.equal(assertStatus(await ada.billing(), 200).subscription, null);
    assertStatus(await ada.subscribe('plan_starter'), 201);
    const ended = assertStatus(await ada.cancel(true), 200).subscription;
    assert.deepEqual([ended.status, ended.cancelAtPeriodEnd], ['canceled', false]);
    // The tenth request of the minute, and the last that the Free plan allows.
    assertStatus(await ada.ask('DELETE /api/v1/billing/payment-method'), 204);
  },
);

scenario('the sandbox clock goes forward only', {}, async () => {
  const ada = await newCustomer();
  const later = new Date(Date.now() + 40 * DAY_MS).toISOString();
  assert.equal(assertStatus(await ada.moveTo(later), 200).now, later);
  assertRefused((await ada.moveTo(new Date())) as never, 400, 'INVALID_PARAMS');
  assertRefused((await ada.moveTo('tomorrow')) as never, 400, 'INVALID_PARAMS');
});
