import type { PaymentMethod } from './payment-provider.ts';

/** Something the payment provider is asked to charge, and what follows from it. */
export interface Charge {
  /** Also the provider's idempotency key. */
  readonly id: string;
  readonly accountId: string;
  readonly amountCents: number;
  readonly currency: string;
  /** The one on file when it was decided on; a later try of the same charge must not differ. */
  readonly method: Pick<PaymentMethod, 'customerId' | 'methodId'>;
  readonly purpose: ChargePurpose;
  /** On the account's clock: when what it pays for begins to hold. */
  readonly requestedAt: Date;
  /** On the real clock. */
  readonly createdAt: Date;
  /** The same for a repeat of the request that asked for it; undefined where a repeat cannot be told. */
  readonly requestKey: string | undefined;
}

export type ChargePurpose =
  /** Success begins the subscription. */
  | { readonly kind: 'subscribe'; readonly subscriptionId: string; readonly planId: string }
  /** Success moves the subscription to the plan. */
  | {
      readonly kind: 'upgrade';
      readonly subscriptionId: string;
      readonly planId: string;
      readonly fromPlanId: string;
      /** The rest of the charge is the overage that it bills (store/overage.ts). */
      readonly prorationCents: number;
    }
  /** Success pays the invoice, a decline plans the next try. */
  | { readonly kind: 'invoice'; readonly subscriptionId: string; readonly invoiceId: string };

export type ChargeOutcome =
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'declined'; readonly publicMessage: string };
