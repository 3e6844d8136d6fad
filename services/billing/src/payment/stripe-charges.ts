/**
 * Charges through payment intents, which are created and confirmed in one call, off session.
 *
 * One charge is one intent. The charge's id is the idempotency key, so that a repeat within a day gets the
 * first answer. It is also in the metadata, by which the intent is found in two cases:
 * - Stripe forgets a key some time after 24 hours. For a charge older than half of that, the intent is
 *   searched before a retry.
 * - A request that fails inside Stripe (5xx) gets that response on every repeat, even if it made an intent.
 *   The next attempt has a key of its own. The search lists the customer's intents: the list is consistent
 *   right after a write, Stripe's search is not.
 *
 * An intent that waits for the cardholder is canceled: it counts as declined here, so it must not be charged
 * later. If the cancellation comes too late, its state is read again. An intent whose amount, currency or
 * customer differs from the charge's is an error.
 */
import type { Clock } from '@audiosplit/chassis/clock';
import type Stripe from 'stripe';
import {
  type ChargeAnswer,
  type ChargeRequest,
  type ChargeTerms,
  PaymentDeclinedError,
  ProviderFaultError,
} from './payment-provider.ts';
import {
  CONFIRMATION_NEEDED,
  declineMessage,
  isInvalidRequest,
  isMissing,
  isOutcomeUnknown,
  isUnexpectedState,
  NOT_ON_FILE,
  toProviderError,
} from './stripe-errors.ts';

/** Half of the time that Stripe guarantees: https://docs.stripe.com/api/idempotent_requests */
export const KEY_TRUSTED_MS = 12 * 3_600_000;
/** How far Stripe's clock may be behind ours. */
const CLOCK_DRIFT_SECONDS = 300;
/** The metadata key of an intent that holds the charge's id. */
export const CHARGE_ID = 'charge_id';

interface StripeCharges {
  charge(request: ChargeRequest): Promise<{ readonly providerChargeId: string }>;
  answerOf(charge: ChargeTerms, intentId: string): Promise<ChargeAnswer | undefined>;
}

export function createStripeCharges(stripe: Stripe, timeoutMs: number, clock: Clock): StripeCharges {
  async function charge(request: ChargeRequest): Promise<{ readonly providerChargeId: string }> {
    const ageMs = clock().getTime() - request.createdAt.getTime();
    const mayExist = ageMs > KEY_TRUSTED_MS || keyOf(request) !== request.idempotencyKey;
    const earlier = mayExist ? await find(request) : undefined;
    const intent = earlier ?? (await create(request));
    // A repeat returns the intent as it was at the first response.
    const answer = answerIn(request, intent) ?? (await answerOf(request, intent.id));
    if (answer === undefined) throw new Error(`Stripe has not decided on ${intent.id} (${intent.status})`);
    if (answer.kind === 'declined') throw new PaymentDeclinedError(answer.publicMessage);
    return { providerChargeId: answer.providerChargeId };
  }

  async function create(request: ChargeRequest): Promise<Stripe.PaymentIntent> {
    const { method, amountCents, currency, description, idempotencyKey } = request;
    try {
      return await stripe.paymentIntents.create(
        {
          amount: amountCents,
          currency,
          customer: method.customerId,
          payment_method: method.methodId,
          allowed_payment_method_types: ['card'],
          confirm: true,
          off_session: true,
          description,
          metadata: { [CHARGE_ID]: idempotencyKey },
        },
        { idempotencyKey: keyOf(request), timeout: timeoutMs },
      );
    } catch (error) {
      const made = isOutcomeUnknown(error) ? await find(request) : undefined;
      if (made !== undefined) return made;
      if (isInvalidRequest(error) && !(await isOnFile(method))) throw new PaymentDeclinedError(NOT_ON_FILE);
      throw toProviderError(error);
    }
  }

  async function find({ method, idempotencyKey, createdAt }: ChargeRequest) {
    const since = Math.floor(createdAt.getTime() / 1000) - CLOCK_DRIFT_SECONDS;
    const intents = stripe.paymentIntents.list({
      customer: method.customerId,
      created: { gte: since },
      limit: 100,
    });
    try {
      for await (const intent of intents) if (intent.metadata[CHARGE_ID] === idempotencyKey) return intent;
      return undefined;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw toProviderError(error);
    }
  }

  async function isOnFile({ customerId, methodId }: ChargeRequest['method']): Promise<boolean> {
    try {
      const { customer } = await stripe.paymentMethods.retrieve(methodId);
      return customer === customerId;
    } catch (error) {
      if (isMissing(error)) return false;
      throw toProviderError(error);
    }
  }

  async function answerOf(charge: ChargeTerms, intentId: string): Promise<ChargeAnswer | undefined> {
    try {
      const intent = await stripe.paymentIntents.retrieve(intentId);
      const answer = answerIn(charge, intent);
      if (answer !== undefined || !isWaiting(intent)) return answer;
      if (await cancel(intentId)) return { kind: 'declined', publicMessage: waitingMessage(intent) };
      return answerIn(charge, await stripe.paymentIntents.retrieve(intentId));
    } catch (error) {
      throw toProviderError(error);
    }
  }

  /** False if the intent was already canceled or paid. */
  async function cancel(intentId: string): Promise<boolean> {
    try {
      await stripe.paymentIntents.cancel(intentId);
      return true;
    } catch (error) {
      if (isUnexpectedState(error)) return false;
      throw error;
    }
  }

  return { charge, answerOf };
}

function keyOf({ attemptKey, idempotencyKey }: ChargeRequest): string {
  return attemptKey ?? idempotencyKey;
}

/** Undefined if the intent is undecided. Throws ProviderFaultError if it does not belong to the charge. */
function answerIn(charge: ChargeTerms, intent: Stripe.PaymentIntent): ChargeAnswer | undefined {
  if (!isOf(charge, intent)) {
    throw new ProviderFaultError(
      `Stripe has another amount, currency or customer in ${intent.id} than charge ${charge.idempotencyKey}`,
    );
  }
  const { last_payment_error: problem } = intent;
  switch (intent.status) {
    case 'succeeded':
      return { kind: 'succeeded', providerChargeId: intent.id };
    case 'requires_payment_method':
      // Without an error it has never been tried.
      return problem === null ? undefined : { kind: 'declined', publicMessage: declineMessage(problem) };
    case 'canceled':
      return { kind: 'declined', publicMessage: 'The payment was canceled at the payment provider.' };
    default:
      return undefined;
  }
}

function isOf(
  { method, amountCents, currency, idempotencyKey }: ChargeTerms,
  intent: Stripe.PaymentIntent,
): boolean {
  const customer = typeof intent.customer === 'string' ? intent.customer : intent.customer?.id;
  return (
    intent.metadata[CHARGE_ID] === idempotencyKey &&
    intent.amount === amountCents &&
    intent.currency === currency &&
    customer === method.customerId
  );
}

/** Waits for the cardholder, or for a step that the create call already requested. */
function isWaiting({ status }: Stripe.PaymentIntent): boolean {
  return ['requires_action', 'requires_confirmation', 'requires_payment_method'].includes(status);
}

function waitingMessage({ status }: Stripe.PaymentIntent): string {
  return status === 'requires_action'
    ? CONFIRMATION_NEEDED
    : 'The payment provider could not make the payment; try again.';
}
