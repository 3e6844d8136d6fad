/**
 * Verifies Stripe's webhook events and extracts their subject. The caller reads the current state itself.
 * https://docs.stripe.com/webhooks, https://docs.stripe.com/api/events/types
 */
import type { Clock } from '@audiosplit/chassis/clock';
import { messageOf } from '@audiosplit/chassis/errors';
import type Stripe from 'stripe';
import { ForgedEventError, type ProviderEventSubject, type ProviderEvents } from './payment-provider.ts';
import { CHARGE_ID } from './stripe-charges.ts';

/** The maximum age of a signature, against replayed requests. Equal to Stripe's default. */
const SIGNATURE_TOLERANCE_SECONDS = 300;

export function createStripeEventVerifier(
  { webhooks }: Pick<Stripe, 'webhooks'>,
  webhookSecret: string,
  clock: Clock,
): ProviderEvents['verify'] {
  return (payload, signature) => {
    const event = verified(payload, signature);
    return { id: event.id, type: event.type, about: subjectOf(event) };
  };

  function verified(payload: Uint8Array, signature: string): Stripe.Event {
    const now = clock().getTime();
    try {
      const text = Buffer.from(payload);
      return webhooks.constructEvent(
        text,
        signature,
        webhookSecret,
        SIGNATURE_TOLERANCE_SECONDS,
        undefined,
        now,
      );
    } catch (error) {
      throw new ForgedEventError(messageOf(error));
    }
  }
}

function subjectOf({ type, data }: Stripe.Event): ProviderEventSubject {
  switch (type) {
    case 'payment_intent.succeeded':
    case 'payment_intent.payment_failed':
    case 'payment_intent.requires_action':
    case 'payment_intent.canceled': {
      const idempotencyKey = data.object.metadata[CHARGE_ID];
      // Another application may use the same Stripe account.
      if (idempotencyKey === undefined) return { kind: 'other' };
      return { kind: 'charge', idempotencyKey, providerChargeId: data.object.id };
    }
    case 'payment_method.detached':
      return { kind: 'method-detached', methodId: data.object.id };
    case 'customer.deleted':
      return { kind: 'customer-forgotten', customerId: data.object.id };
    case 'charge.refunded':
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed': {
      const providerChargeId = intentOf(data.object);
      return providerChargeId === undefined ? { kind: 'other' } : { kind: 'refund', providerChargeId };
    }
    case 'charge.dispute.created':
    case 'charge.dispute.closed':
      return { kind: 'dispute', providerChargeId: intentOf(data.object) };
    default:
      return { kind: 'other' };
  }
}

function intentOf({
  payment_intent: intent,
}: {
  readonly payment_intent: string | Stripe.PaymentIntent | null;
}): string | undefined {
  return typeof intent === 'string' ? intent : intent?.id;
}
