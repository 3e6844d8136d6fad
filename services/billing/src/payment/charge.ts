import type { PaymentMethod } from './payment-provider.ts';

/** An amount to charge at the payment provider, and what its success changes. */
export interface Charge {
  /** Also the provider's idempotency key. */
  readonly id: string;
  readonly accountId: string;
  readonly amountCents: number;
  readonly currency: string;
  /** The method on file when the charge was created. Every attempt uses the same one. */
  readonly method: Pick<PaymentMethod, 'customerId' | 'methodId'>;
  readonly purpose: ChargePurpose;
  /** When the purchased change takes effect, on the account's clock. */
  readonly requestedAt: Date;
  /** On the real clock. */
  readonly createdAt: Date;
  /** Identifies repeats of the request that created it. Undefined without an idempotency key. */
  readonly requestKey: string | undefined;
  /** The number of provider responses after which the charge was still pending. */
  readonly providerAnswers: number;
}

export type ChargePurpose =
  /** Success starts the subscription. */
  | { readonly kind: 'subscribe'; readonly subscriptionId: string; readonly planId: string }
  /** Success moves the subscription to the plan. */
  | {
      readonly kind: 'upgrade';
      readonly subscriptionId: string;
      readonly planId: string;
      readonly fromPlanId: string;
      /** The rest of the amount is overage (store/overage.ts). */
      readonly prorationCents: number;
    }
  /** Success pays the invoice, a decline schedules the next attempt. */
  | { readonly kind: 'invoice'; readonly subscriptionId: string; readonly invoiceId: string };

export type ChargeOutcome =
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'declined'; readonly publicMessage: string };
