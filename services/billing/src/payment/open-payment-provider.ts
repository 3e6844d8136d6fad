import type { Clock } from '@audiosplit/chassis/clock';
import type { PaymentConfig } from '../config.ts';
import type { PaymentProvider } from './payment-provider.ts';
import { createSandboxProvider } from './sandbox.ts';
import { createStripeProvider } from './stripe.ts';

export function openPaymentProvider(config: PaymentConfig, clock: Clock): PaymentProvider {
  switch (config.provider) {
    case 'sandbox':
      return createSandboxProvider();
    case 'stripe':
      return createStripeProvider({ ...config, clock });
    default:
      return config satisfies never;
  }
}
