/** The Stripe driver on a fake Stripe of the test. */
import Stripe from 'stripe';
import { type FakeStripe, startFakeStripe } from './fake-stripe.fixture.ts';
import type { PaymentProvider } from './payment-provider.ts';
import { createStripeProvider } from './stripe.ts';

export const STRIPE_SECRET_KEY = 'sk_test_4242';
export const STRIPE_WEBHOOK_SECRET = 'whsec_4242';

export interface StripeFixture extends AsyncDisposable {
  readonly stripe: FakeStripe;
  readonly provider: PaymentProvider;
}

export async function startStripeFixture(
  options: { readonly now?: () => Date; readonly stripeMockUrl?: string } = {},
): Promise<StripeFixture> {
  const { now = () => new Date(), ...rest } = options;
  const stripe = await startFakeStripe({ now, ...rest });
  const provider = createStripeProvider({
    secretKey: STRIPE_SECRET_KEY,
    webhookSecret: STRIPE_WEBHOOK_SECRET,
    apiBase: stripe.url,
    clock: now,
    timeouts: { chargeMs: 1_000, otherMs: 1_000 },
  });
  return { stripe, provider, [Symbol.asyncDispose]: () => stripe[Symbol.asyncDispose]() };
}

/** A signed event as Stripe sends it. */
export function signedEvent(
  event: { readonly type: string; readonly object: object; readonly id?: string },
  sentAt: Date,
  secret = STRIPE_WEBHOOK_SECRET,
) {
  const { type, object, id = `evt_${crypto.randomUUID()}` } = event;
  const payload = JSON.stringify({ id, object: 'event', type, data: { object } }, undefined, 2);
  const timestamp = Math.floor(sentAt.getTime() / 1000);
  const signature = new Stripe(STRIPE_SECRET_KEY).webhooks.generateTestHeaderString({
    payload,
    secret,
    timestamp,
  });
  return { payload: Buffer.from(payload), signature };
}
