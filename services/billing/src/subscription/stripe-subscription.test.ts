import { testSubscriptionOnStripe } from './stripe-subscription.contract.ts';

testSubscriptionOnStripe('a fake Stripe', {});
