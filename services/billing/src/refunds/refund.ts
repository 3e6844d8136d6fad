/** A refund of a paid invoice, in full or in part. */
export interface Refund {
  /** Also the provider's idempotency key. */
  readonly id: string;
  readonly accountId: string;
  readonly invoiceId: string;
  readonly state: RefundState;
  readonly amountCents: number;
  readonly currency: string;
  /** For the account's holder. */
  readonly reason: string;
  /** Identifies repeats of the request. Undefined: it was made at the provider. */
  readonly requestKey: string | undefined;
  readonly providerChargeId: string;
  /** Undefined: the provider has not accepted it, or not confirmed that it has. */
  readonly providerRefundId: string | undefined;
  /** The number of provider responses after which the refund was still pending. */
  readonly providerAnswers: number;
  readonly createdAt: Date;
}

/** A failed refund does not count: its amount may be refunded again. */
export type RefundState = 'pending' | 'succeeded' | 'failed';
