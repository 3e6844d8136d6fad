import { testSubscriptionOnStripe } from './stripe-subscription.contract.ts';

testSubscriptionOnStripe('a Stripe that is played', {});
