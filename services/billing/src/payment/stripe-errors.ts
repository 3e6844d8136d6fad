/** Stripe's errors in the words of the port. https://docs.stripe.com/api/errors, https://docs.stripe.com/error-codes */
import Stripe from 'stripe';
import { PaymentDeclinedError, ProviderFaultError } from './payment-provider.ts';

const { errors } = Stripe;

export const NOT_ON_FILE =
  'The payment method is no longer on file with the payment provider; put one on file again.';
/** Nobody is there to confirm a charge that is made off session. */
export const CONFIRMATION_NEEDED =
  "The card's bank wants its holder to confirm the payment (3-D Secure). Confirm the card where its data is entered, " +
  'then put it on file again, or put another one there.';
const DECLINED = 'Your card was declined.';

/** Of a card error: wording that Stripe gives for showing to the holder; others are worded for us. */
export function declineMessage(problem: {
  readonly type: string;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
}): string {
  if (problem.code === 'authentication_required') return CONFIRMATION_NEEDED;
  return (problem.type === 'card_error' ? problem.message : undefined) ?? DECLINED;
}

/**
 * What a call to Stripe that has failed is to whoever asked. The error itself goes no further: it holds payment intents
 * with their secrets, which do not belong into a log.
 */
export function toProviderError(error: unknown): Error {
  if (error instanceof errors.StripeCardError) {
    const { code, message } = error;
    return new PaymentDeclinedError(declineMessage({ type: 'card_error', code, message }));
  }
  if (error instanceof errors.StripeAuthenticationError || error instanceof errors.StripePermissionError) {
    return new ProviderFaultError(`Stripe does not accept STRIPE_SECRET_KEY: ${describe(error)}`);
  }
  if (error instanceof errors.StripeInvalidRequestError || error instanceof errors.StripeIdempotencyError) {
    return new ProviderFaultError(`Stripe does not accept a request: ${describe(error)}`);
  }
  if (error instanceof errors.StripeError) return new Error(`Stripe gave no answer: ${describe(error)}`);
  return error instanceof Error ? error : new Error(String(error));
}

/** There is no such object, or not in this Stripe account. */
export function isMissing(error: unknown, param?: string): boolean {
  return (
    error instanceof errors.StripeInvalidRequestError &&
    error.code === 'resource_missing' &&
    (param === undefined || error.param === param)
  );
}

export function isInvalidRequest(error: unknown): boolean {
  return error instanceof errors.StripeInvalidRequestError;
}

const CONFLICT = 409;

/**
 * Stripe has the key on its books, but not an answer that tells what became of the request: it broke while it was
 * being worked on, and is answered so for as long as the key is kept, or it was another request. A conflict is neither:
 * the first request is still at work, and what it has made so far tells nothing yet.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  if (error instanceof errors.StripeIdempotencyError) return true;
  return error instanceof errors.StripeAPIError && error.statusCode !== CONFLICT;
}

/** What was to be done to a payment intent is too late: it has gone on meanwhile. */
export function isUnexpectedState(error: unknown): boolean {
  return isInvalidRequest(error) && (error as { code?: string }).code === 'payment_intent_unexpected_state';
}

function describe(error: InstanceType<typeof errors.StripeError>): string {
  const details = [
    error.type,
    error.statusCode === undefined ? undefined : `HTTP ${error.statusCode}`,
    error.code,
    error.param === undefined ? undefined : `param ${error.param}`,
    error.requestId,
  ].filter((detail) => detail !== undefined);
  return `${error.message} (${details.join(', ')})`;
}
