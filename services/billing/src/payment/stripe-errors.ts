/**
 * Maps Stripe's errors to those of the port. https://docs.stripe.com/api/errors, https://docs.stripe.com/error-codes
 */
import Stripe from 'stripe';
import { PaymentDeclinedError, ProviderAnsweredError, ProviderFaultError } from './payment-provider.ts';

const { errors } = Stripe;

/** Another request with the same key is in flight. */
const CONFLICT = 409;

export const NOT_ON_FILE =
  'The payment method is no longer on file with the payment provider; put one on file again.';
/** The cardholder cannot confirm an off-session charge. */
export const CONFIRMATION_NEEDED =
  "The card's bank wants its holder to confirm the payment (3-D Secure), which a charge in absence does not allow. " +
  'Put another card on file.';
const DECLINED = 'Your card was declined.';

/** Only the message of a card error is meant for the cardholder. Other messages are for developers. */
export function declineMessage(problem: {
  readonly type: string;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
}): string {
  if (problem.code === 'authentication_required') return CONFIRMATION_NEEDED;
  return (problem.type === 'card_error' ? problem.message : undefined) ?? DECLINED;
}

/**
 * Stripe's error itself is not passed on: it may contain payment intents with their secrets, which must not
 * be logged.
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
  if (error instanceof errors.StripeError) {
    const { statusCode } = error;
    const wasRead = statusCode !== undefined && statusCode >= 400 && statusCode !== CONFLICT;
    const message = `Stripe gave no answer: ${describe(error)}`;
    return wasRead ? new ProviderAnsweredError(message) : new Error(message);
  }
  return error instanceof Error ? error : new Error(String(error));
}

/** The object does not exist, or not in this Stripe account. */
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

/**
 * Stripe knows the key, but its response does not give the outcome: the request failed inside Stripe, which repeats
 * that response as long as it keeps the key, or the key belongs to another request. A conflict is different: the
 * first request is still in flight, and its intent is not final.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  if (error instanceof errors.StripeIdempotencyError) return true;
  return error instanceof errors.StripeAPIError && error.statusCode !== CONFLICT;
}

/** The payment intent has changed its state meanwhile. */
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
