/**
 * Checks each request of the Stripe driver with stripe-mock, against Stripe's own API description. stripe-mock is
 * stateless and returns samples, so the fake Stripe gives the responses.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@audiosplit/chassis/ids';
import { testSubscriptionOnStripe } from '../subscription/stripe-subscription.contract.ts';
import { testPaymentProviderContract } from './payment-provider.contract.ts';
import { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, startStripeFixture } from './stripe.fixture.ts';
import { createStripeProvider } from './stripe.ts';

const stripeMockUrl = process.env.TEST_STRIPE_MOCK_URL;
if (stripeMockUrl === undefined) {
  throw new Error('TEST_STRIPE_MOCK_URL is not set: give http://host:port of a stripe-mock');
}

testPaymentProviderContract('Stripe, checked by stripe-mock', () => startStripeFixture({ stripeMockUrl }));

testSubscriptionOnStripe('Stripe, checked by stripe-mock', { stripeMockUrl });

// Covers D-5.5
test('sends valid requests for the rare calls', async () => {
  let nowMs = Date.now();
  await using fixture = await startStripeFixture({ now: () => new Date(nowMs), stripeMockUrl });
  const { provider, stripe } = fixture;
  const { events } = provider;
  assert(events);
  const requestFor = async (token: string) => ({
    method: await provider.attach({ accountId: 'acc_1', customerId: undefined, token }),
    amountCents: 900,
    currency: 'usd',
    description: 'audiosplit plan_starter',
    idempotencyKey: newId('chg'),
    createdAt: new Date(nowMs),
  });
  const declined = { name: 'PaymentDeclinedError' };
  await assert.rejects(provider.charge(await requestFor('tok_waiting')), declined);
  await assert.rejects(provider.charge(await requestFor('tok_slow')), /has not decided/);
  const detached = await requestFor('tok_visa');
  await provider.detach(detached.method);
  await assert.rejects(provider.charge(detached), declined);
  const old = await requestFor('tok_visa');
  const { providerChargeId } = await provider.charge(old);
  nowMs += 24 * 3_600_000;
  stripe.forgetKeys();
  assert.deepEqual(await provider.charge(old), { providerChargeId });
  assert.deepEqual(await events.answerOf(old, providerChargeId), { kind: 'succeeded', providerChargeId });
  const kinds = new Set(
    stripe.requests.map(({ method, path }) => `${method} ${path.replace(/_\w{16}/, '_…')}`),
  );
  assert.deepEqual([...kinds].sort(), [
    'GET /v1/payment_intents',
    'GET /v1/payment_intents/pi_…',
    'GET /v1/payment_methods/pm_…',
    'POST /v1/customers',
    'POST /v1/payment_intents',
    'POST /v1/payment_intents/pi_…/cancel',
    'POST /v1/payment_methods',
    'POST /v1/payment_methods/pm_…/attach',
    'POST /v1/payment_methods/pm_…/detach',
  ]);
});

test("reads a payment method from Stripe's API description", async () => {
  const provider = createStripeProvider({
    secretKey: STRIPE_SECRET_KEY,
    webhookSecret: STRIPE_WEBHOOK_SECRET,
    apiBase: new URL(stripeMockUrl),
    clock: () => new Date(),
  });
  const { customerId, methodId, card } = await provider.attach({
    accountId: 'acc_1',
    customerId: undefined,
    token: 'tok_visa',
  });
  assert.match(customerId, /^cus_/);
  assert.match(methodId, /^(pm|card|src)_/);
  assert.equal(card.type, 'card');
  assert.match(card.last4, /^\d{4}$/);
  assert.ok(card.brand.length > 0 && card.expiresMonth >= 1 && card.expiresYear > 2_000);
  await provider.detach({ methodId });
  await provider.forget(customerId);
});

test('stripe-mock rejects parameters that the API does not define', async () => {
  const response = await fetch(new URL('/v1/payment_intents', stripeMockUrl), {
    method: 'POST',
    headers: { authorization: `Bearer ${STRIPE_SECRET_KEY}` },
    body: new URLSearchParams({ amount: 'much', currency: 'usd' }),
  });
  await response.body?.cancel();
  assert.equal(response.status, 400);
});
