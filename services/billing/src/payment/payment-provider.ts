/**
 * The payment provider port: keeps cards on file and charges them. Card data never comes here, only tokens that the
 * provider has made of it. An adapter bounds each call in time: the renewals of others wait behind it.
 *
 * Adapters: `sandbox.ts` and `stripe.ts`.
 */
export interface PaymentProvider {
  readonly name: 'sandbox' | 'stripe';
  /**
   * Puts what is behind a token on the account's file, in place of what was there. Throws PaymentDeclinedError; any
   * other error leaves open whether it has happened, and asking again is safe.
   */
  attach(request: {
    readonly accountId: string;
    readonly customerId: string | undefined;
    readonly token: string;
  }): Promise<PaymentMethod>;
  /** Takes it off the file. What is not there is no error. */
  detach(method: Pick<PaymentMethod, 'methodId'>): Promise<void>;
  /**
   * Charges at most once per `idempotencyKey`, however often it is asked, and answers every time as the first time.
   * Throws PaymentDeclinedError, also for a method that is no longer on file; any other error leaves open whether it
   * has happened, and holds up the account until asking again gives an answer.
   */
  charge(request: ChargeRequest): Promise<{ readonly providerChargeId: string }>;
}

export interface PaymentMethod {
  readonly customerId: string;
  readonly methodId: string;
  readonly card: Card;
}

/** What may be shown of it. */
export interface Card {
  readonly type: string;
  readonly last4: string;
  readonly brand: string;
  readonly expiresMonth: number;
  readonly expiresYear: number;
}

export interface ChargeRequest {
  readonly method: Pick<PaymentMethod, 'customerId' | 'methodId'>;
  readonly amountCents: number;
  readonly currency: string;
  readonly description: string;
  readonly idempotencyKey: string;
}

/** The card was refused; `publicMessage` says why, as far as the provider tells. */
export class PaymentDeclinedError extends Error {
  override readonly name = 'PaymentDeclinedError';
  readonly publicMessage: string;
  constructor(publicMessage: string) {
    super(publicMessage);
    this.publicMessage = publicMessage;
  }
}
