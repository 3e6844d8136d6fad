/** Billing on a fake Stripe instead of the sandbox. */
import { type BillingFixture, startBillingFixture } from '../billing.fixture.ts';
import type { FakeStripe } from './fake-stripe.fixture.ts';
import type { PaymentProvider } from './payment-provider.ts';
import { startStripeFixture } from './stripe.fixture.ts';

export interface StripeBillingFixture extends AsyncDisposable {
  readonly fixture: BillingFixture;
  readonly stripe: FakeStripe;
  readonly provider: PaymentProvider;
}

export async function startStripeBilling(
  options: { readonly stripeMockUrl?: string } = {},
): Promise<StripeBillingFixture> {
  await using starting = new AsyncDisposableStack();
  let fixture: BillingFixture | undefined;
  const now = () => fixture?.now() ?? new Date();
  const { stripe, provider } = starting.use(await startStripeFixture({ ...options, now }));
  fixture = starting.use(await startBillingFixture({ provider }));
  const running = starting.move();
  return { fixture, stripe, provider, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
