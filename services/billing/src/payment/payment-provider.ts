/**
 * The payment provider port: keeps cards on file and charges them. Card data never comes here, only tokens that the
 * provider has made of it. An adapter bounds each call in time: the renewals of others wait behind it.
 *
 * Any call may throw ProviderFaultError where asking again is in vain until an operator has changed something; any
 * other error than those named leaves open whether it has happened, and asking again is safe.
 *
 * Adapters: `sandbox.ts` and `stripe.ts`; `payment-provider.contract.ts` holds both to this.
 */
export interface PaymentProvider {
  readonly name: 'sandbox' | 'stripe';
  /** It charges no less than this. */
  readonly minimumChargeCents: number;
  /**
   * Puts what is behind a token on the file of a customer, beside what is there; without a customer it makes one. Each
   * card that comes as a token of its own becomes a method of its own. Throws PaymentDeclinedError.
   */
  attach(request: {
    readonly accountId: string;
    readonly customerId: string | undefined;
    readonly token: string;
  }): Promise<PaymentMethod>;
  /** Takes a method off the file for good. What is not there is no error. */
  detach(method: Pick<PaymentMethod, 'methodId'>): Promise<void>;
  /** Forgets a customer with all that is on file. One that is not there is no error. */
  forget(customerId: string): Promise<void>;
  /**
   * Charges at most once per `idempotencyKey`, however often and however late it is asked, and answers every time as
   * the first time. Throws PaymentDeclinedError, also for a method that is no longer on file; any other error holds up
   * the account until asking again gives an answer.
   */
  charge(request: ChargeRequest): Promise<{ readonly providerChargeId: string }>;
  /** What the provider tells by itself; undefined where it tells nothing. */
  readonly events: ProviderEvents | undefined;
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

/** What makes a charge this one and no other. */
export interface ChargeTerms {
  readonly method: Pick<PaymentMethod, 'customerId' | 'methodId'>;
  readonly amountCents: number;
  readonly currency: string;
  readonly idempotencyKey: string;
}

export interface ChargeRequest extends ChargeTerms {
  readonly description: string;
  /** No earlier than this has the charge been asked for: a provider forgets keys after a while. */
  readonly createdAt: Date;
}

export type ChargeAnswer =
  | { readonly kind: 'succeeded'; readonly providerChargeId: string }
  | { readonly kind: 'declined'; readonly publicMessage: string };

export interface ProviderEvents {
  /** Throws ForgedEventError for what the provider has not signed, or not lately. */
  verify(payload: Uint8Array, signature: string): ProviderEvent;
  /**
   * How a charge stands now, whatever an event told of it when it was sent: events come late, twice and in any order.
   * Undefined while it is not decided. Throws ProviderFaultError where what the provider has under this id is not this
   * charge.
   */
  answerOf(charge: ChargeTerms, providerChargeId: string): Promise<ChargeAnswer | undefined>;
}

export interface ProviderEvent {
  readonly id: string;
  /** In the provider's words. */
  readonly type: string;
  readonly about: ProviderEventSubject;
}

export type ProviderEventSubject =
  /** `idempotencyKey` is that of the ChargeRequest. */
  | { readonly kind: 'charge'; readonly idempotencyKey: string; readonly providerChargeId: string }
  | { readonly kind: 'method-detached'; readonly methodId: string }
  | { readonly kind: 'customer-forgotten'; readonly customerId: string }
  /** Money goes back, or may have to. */
  | { readonly kind: 'money-back'; readonly providerChargeId: string | undefined }
  | { readonly kind: 'other' };

/** The card was refused; `publicMessage` says why, as far as the provider tells. */
export class PaymentDeclinedError extends Error {
  override readonly name = 'PaymentDeclinedError';
  readonly publicMessage: string;
  constructor(publicMessage: string) {
    super(publicMessage);
    this.publicMessage = publicMessage;
  }
}

/** Ours to repair: wrong credentials, or a request that the provider does not understand. Its message is for operators. */
export class ProviderFaultError extends Error {
  override readonly name = 'ProviderFaultError';
}

export class ForgedEventError extends Error {
  override readonly name = 'ForgedEventError';
}
