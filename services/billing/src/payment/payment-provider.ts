/**
 * Payment: the provider port, which keeps cards on file and charges them. It receives tokens made by the
 * provider, never card data. An adapter sets a timeout on each call, because the renewals of other accounts
 * wait for it.
 *
 * Any call may throw ProviderFaultError: retries fail until an operator has changed something. After any
 * error that is not listed here the outcome is unknown and a retry is safe.
 *
 * Adapters: `sandbox.ts` and `stripe.ts`; `payment-provider.contract.ts` holds both to this.
 */
export interface PaymentProvider {
  readonly name: 'sandbox' | 'stripe';
  /** The smallest amount that can be charged. */
  readonly minimumChargeCents: number;
  /**
   * Attaches the card behind a token to a customer, or to a new one, in addition to the cards already
   * attached. Each token becomes its own method. Throws PaymentDeclinedError.
   */
  attach(request: {
    readonly accountId: string;
    readonly customerId: string | undefined;
    readonly token: string;
    /** Unchanged as long as the response to the last attempt is unknown. Undefined: nothing is repeated. */
    readonly attemptKey?: string;
  }): Promise<PaymentMethod>;
  /** Detaches a method permanently. A missing method is no error. */
  detach(method: Pick<PaymentMethod, 'methodId'>): Promise<void>;
  /** Deletes a customer with all methods. A missing customer is no error. */
  forget(customerId: string): Promise<void>;
  /**
   * Charges at most once per `idempotencyKey`, at any time, and repeats the first answer. Throws PaymentDeclinedError,
   * also for a method that is no longer on file. After any other error the account waits until a retry gets an answer.
   */
  charge(request: ChargeRequest): Promise<{ readonly providerChargeId: string }>;
  /**
   * Refunds a charge or a part of it, at most once per `idempotencyKey`, at any time, and repeats the first
   * answer. Throws RefundRefusedError.
   */
  refund(request: RefundRequest): Promise<ProviderRefund>;
  /** Undefined if the provider sends no events. */
  readonly events: ProviderEvents | undefined;
}

export interface PaymentMethod {
  readonly customerId: string;
  readonly methodId: string;
  readonly card: Card;
}

/** The part of a card that may be shown. */
export interface Card {
  readonly type: string;
  readonly last4: string;
  readonly brand: string;
  readonly expiresMonth: number;
  readonly expiresYear: number;
}

/** The fields that identify a charge. */
export interface ChargeTerms {
  readonly method: Pick<PaymentMethod, 'customerId' | 'methodId'>;
  readonly amountCents: number;
  readonly currency: string;
  readonly idempotencyKey: string;
}

export interface ChargeRequest extends ChargeTerms {
  readonly description: string;
  /**
   * The key of this attempt. It changes after a response that left the charge undecided, because a provider
   * may repeat such a response for a day. Absent: `idempotencyKey`.
   */
  readonly attemptKey?: string;
  /**
   * The first attempt is not earlier. An adapter uses it to decide whether the provider may have forgotten
   * the key.
   */
  readonly createdAt: Date;
}

export interface RefundRequest {
  readonly providerChargeId: string;
  readonly amountCents: number;
  readonly currency: string;
  readonly idempotencyKey: string;
  /** As in a ChargeRequest. */
  readonly attemptKey: string;
  readonly createdAt: Date;
}

export interface ProviderRefund {
  readonly providerRefundId: string;
  /** The key of the RefundRequest. Undefined: it was not requested here. */
  readonly idempotencyKey: string | undefined;
  readonly amountCents: number;
  readonly currency: string;
  /** A refund may still fail after it has succeeded: the bank may reject it. */
  readonly state: 'pending' | 'succeeded' | 'failed';
  readonly createdAt: Date;
}

export type ChargeAnswer =
  | { readonly kind: 'succeeded'; readonly providerChargeId: string }
  | { readonly kind: 'declined'; readonly publicMessage: string };

export interface ProviderEvents {
  /** Throws ForgedEventError if the signature is invalid or too old. */
  verify(payload: Uint8Array, signature: string): ProviderEvent;
  /**
   * The current state of a charge at the provider, because events arrive late, twice and in any order. Undefined while
   * it is undecided. Throws ProviderFaultError if the provider has another charge under this id.
   */
  answerOf(charge: ChargeTerms, providerChargeId: string): Promise<ChargeAnswer | undefined>;
  /** The current state of all refunds of a charge. */
  refundsOf(providerChargeId: string): Promise<readonly ProviderRefund[]>;
}

export interface ProviderEvent {
  readonly id: string;
  /** The provider's name of the event type. */
  readonly type: string;
  readonly about: ProviderEventSubject;
}

export type ProviderEventSubject =
  /** `idempotencyKey` is that of the ChargeRequest. */
  | { readonly kind: 'charge'; readonly idempotencyKey: string; readonly providerChargeId: string }
  | { readonly kind: 'method-detached'; readonly methodId: string }
  | { readonly kind: 'customer-forgotten'; readonly customerId: string }
  | { readonly kind: 'refund'; readonly providerChargeId: string }
  | { readonly kind: 'dispute'; readonly providerChargeId: string | undefined }
  | { readonly kind: 'other' };

/** The card was declined. `publicMessage` gives the provider's reason, if it has one. */
export class PaymentDeclinedError extends Error {
  override readonly name = 'PaymentDeclinedError';
  readonly publicMessage: string;
  constructor(publicMessage: string) {
    super(publicMessage);
    this.publicMessage = publicMessage;
  }
}

/** The charge cannot be refunded, or not by that amount. Its message is for operators. */
export class RefundRefusedError extends Error {
  override readonly name = 'RefundRefusedError';
}

/** Wrong credentials or an invalid request, which an operator has to fix. Its message is for operators. */
export class ProviderFaultError extends Error {
  override readonly name = 'ProviderFaultError';
}

/**
 * The provider has answered, but has not carried out the request, or its response does not say whether it
 * has.
 */
export class ProviderAnsweredError extends Error {}

/** Whether the provider has answered: then a repeat is a new attempt. */
export function isAnswered(error: unknown): boolean {
  return (
    error instanceof PaymentDeclinedError ||
    error instanceof ProviderFaultError ||
    error instanceof ProviderAnsweredError
  );
}

export class ForgedEventError extends Error {
  override readonly name = 'ForgedEventError';
}
