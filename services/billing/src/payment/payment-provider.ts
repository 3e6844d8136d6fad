/**
 * Payment: the provider port, which keeps cards on file and charges them. It receives tokens made by the provider,
 * never card data. An adapter sets a timeout on each call, because the renewals of other accounts wait for it.
 *
 * Any call may throw ProviderFaultError, where a retry fails until an operator has changed something. After any error
 * that is not named here the outcome is unknown and a retry is safe.
 *
 * Adapters: `sandbox.ts` and `stripe.ts`; `payment-provider.contract.ts` holds both to this.
 */
export interface PaymentProvider {
  readonly name: 'sandbox' | 'stripe';
  /** The smallest amount that it charges. */
  readonly minimumChargeCents: number;
  /**
   * Attaches the card behind a token to a customer, or to a new one, beside the cards already attached. Each token
   * becomes its own method. Throws PaymentDeclinedError.
   */
  attach(request: {
    readonly accountId: string;
    readonly customerId: string | undefined;
    readonly token: string;
    /** The same as long as the answer to the last attempt is not known. Undefined: nothing is repeated. */
    readonly attemptKey?: string;
  }): Promise<PaymentMethod>;
  /** Detaches a method for good. A missing method is no error. */
  detach(method: Pick<PaymentMethod, 'methodId'>): Promise<void>;
  /** Deletes a customer with all methods. A missing customer is no error. */
  forget(customerId: string): Promise<void>;
  /**
   * Charges at most once per `idempotencyKey`, at any time, and repeats the first answer. Throws PaymentDeclinedError,
   * also for a method that is no longer on file. After any other error the account waits until a retry gets an answer.
   */
  charge(request: ChargeRequest): Promise<{ readonly providerChargeId: string }>;
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
   * Of this attempt: changes after an answer that was read and left the charge undecided, as a provider may repeat it for a
   * day. Absent: `idempotencyKey`.
   */
  readonly attemptKey?: string;
  /** The first attempt is not earlier. Tells an adapter whether the provider may have forgotten the key. */
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
}

export interface ProviderEvent {
  readonly id: string;
  /** The provider's name for it. */
  readonly type: string;
  readonly about: ProviderEventSubject;
}

export type ProviderEventSubject =
  /** `idempotencyKey` is that of the ChargeRequest. */
  | { readonly kind: 'charge'; readonly idempotencyKey: string; readonly providerChargeId: string }
  | { readonly kind: 'method-detached'; readonly methodId: string }
  | { readonly kind: 'customer-forgotten'; readonly customerId: string }
  /** A refund or a dispute. */
  | { readonly kind: 'money-back'; readonly providerChargeId: string | undefined }
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

/** Wrong credentials or an invalid request, which an operator has to fix. Its message is for operators. */
export class ProviderFaultError extends Error {
  override readonly name = 'ProviderFaultError';
}

/** The provider has answered, and could not carry out the request, or says nothing of its outcome. */
export class ProviderAnsweredError extends Error {}

/** Whether the provider's answer was read: then a repeat is a new attempt. */
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
