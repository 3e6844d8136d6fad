import type { Clock } from '@audiosplit/chassis/clock';
import type { Pool } from '@audiosplit/chassis/postgres/pool';
import type { PaymentProvider } from './payment/payment-provider.ts';

/** Shared by every use case that moves money. */
export interface BillingDependencies {
  readonly pool: Pool;
  readonly provider: PaymentProvider;
  /** The real time. In the sandbox an account's billing clock may run ahead of it. */
  readonly clock: Clock;
  /** Called after a commit that added events to the outbox. */
  readonly wakeRelay: () => void;
  /** Brings the account up to date in the background. */
  readonly queueAdvance: (accountId: string) => void;
  /** Detaches the account's removed payment methods at the provider in the background. */
  readonly queueDetach: (accountId: string) => void;
  /** Deletes the customer at the provider in the background. */
  readonly queueForget: (customerId: string) => void;
}
