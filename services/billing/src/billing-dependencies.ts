import type { Clock } from '@audiosplit/chassis/clock';
import type { Pool } from '@audiosplit/chassis/postgres/pool';
import type { PaymentProvider } from './payment/payment-provider.ts';

/** What everything that moves money needs. */
export interface BillingDependencies {
  readonly pool: Pool;
  readonly provider: PaymentProvider;
  /** The real time; each account's own may run ahead of it. */
  readonly clock: Clock;
  /** Called after commits that leave events. */
  readonly wakeRelay: () => void;
  /** Brings an account up to its present in the background. */
  readonly queueAdvance: (accountId: string) => void;
  /** Takes the account's removed payment methods off the provider's file in the background. */
  readonly queueDetach: (accountId: string) => void;
  /** Has the provider forget a customer that is noted as one to forget, in the background. */
  readonly queueForget: (customerId: string) => void;
}
