/**
 * Refunds of payment intents. Each of our refunds is one of Stripe's. Its id is the idempotency key and is
 * stored in the metadata, by which the refund is found if Stripe may have forgotten the key, or if a response
 * did not give the outcome.
 */
import type { Clock } from '@audiosplit/chassis/clock';
import type Stripe from 'stripe';
import { type ProviderRefund, RefundRefusedError, type RefundRequest } from './payment-provider.ts';
import { KEY_TRUSTED_MS } from './stripe-charges.ts';
import { isInvalidRequest, isOutcomeUnknown, toProviderError } from './stripe-errors.ts';

/** The metadata key of a refund that holds our id. */
const REFUND_ID = 'refund_id';

interface StripeRefunds {
  refund(request: RefundRequest): Promise<ProviderRefund>;
  refundsOf(intentId: string): Promise<readonly ProviderRefund[]>;
}

export function createStripeRefunds(stripe: Stripe, clock: Clock): StripeRefunds {
  async function refund(request: RefundRequest): Promise<ProviderRefund> {
    const { idempotencyKey, attemptKey, providerChargeId, amountCents, createdAt } = request;
    const ageMs = clock().getTime() - createdAt.getTime();
    const mayExist = ageMs > KEY_TRUSTED_MS || attemptKey !== idempotencyKey;
    const earlier = mayExist ? await find(request) : undefined;
    if (earlier !== undefined) return earlier;
    try {
      return toProviderRefund(
        await stripe.refunds.create(
          {
            payment_intent: providerChargeId,
            amount: amountCents,
            metadata: { [REFUND_ID]: idempotencyKey },
          },
          { idempotencyKey: attemptKey },
        ),
      );
    } catch (error) {
      const made = isOutcomeUnknown(error) || isInvalidRequest(error) ? await find(request) : undefined;
      if (made !== undefined) return made;
      if (isInvalidRequest(error)) throw new RefundRefusedError((error as Error).message.replace(/\.$/, ''));
      throw toProviderError(error);
    }
  }

  async function find({ providerChargeId, idempotencyKey }: RefundRequest) {
    const refunds = await refundsOf(providerChargeId);
    return refunds.find((each) => each.idempotencyKey === idempotencyKey);
  }

  async function refundsOf(intentId: string): Promise<readonly ProviderRefund[]> {
    try {
      const found: ProviderRefund[] = [];
      for await (const each of stripe.refunds.list({ payment_intent: intentId, limit: 100 })) {
        found.push(toProviderRefund(each));
      }
      return found;
    } catch (error) {
      throw toProviderError(error);
    }
  }

  return { refund, refundsOf };
}

function toProviderRefund({
  id,
  metadata,
  amount,
  currency,
  status,
  created,
}: Stripe.Refund): ProviderRefund {
  return {
    providerRefundId: id,
    idempotencyKey: metadata?.[REFUND_ID],
    amountCents: amount,
    currency,
    state: stateOf(status),
    createdAt: new Date(created * 1_000),
  };
}

/** https://docs.stripe.com/api/refunds/object: `requires_action` waits for the customer. */
function stateOf(status: string | null): ProviderRefund['state'] {
  if (status === 'succeeded') return 'succeeded';
  return status === 'failed' || status === 'canceled' ? 'failed' : 'pending';
}
