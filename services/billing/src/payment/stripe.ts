/**
 * The Stripe driver. Cards are payment methods of a customer that holds only the account's id, no name or
 * address. A card whose bank requires confirmation is declined when it is charged, unless it was set up for
 * off-session use before it was passed to us as `pm_…`.
 */
import type { Clock } from '@audiosplit/chassis/clock';
import Stripe from 'stripe';
import {
  isAnswered,
  PaymentDeclinedError,
  type PaymentMethod,
  type PaymentProvider,
} from './payment-provider.ts';
import { createStripeCharges } from './stripe-charges.ts';
import { isInvalidRequest, isMissing, toProviderError } from './stripe-errors.ts';
import { createStripeEventVerifier } from './stripe-events.ts';
import { createStripeRefunds } from './stripe-refunds.ts';

/** The version that the SDK's types describe. A new SDK does not compile until this is updated. */
const STRIPE_API_VERSION = '2026-10-28.endive';
/** Few, because we retry ourselves: a charge stays pending, a removal stays in its table. */
const MAX_NETWORK_RETRIES = 1;
/** In US dollars: https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts */
const MINIMUM_CHARGE_CENTS = 50;
const TOKEN = /^(tok|pm)_\w{1,250}$/;

interface StripeOptions {
  readonly secretKey: string;
  readonly webhookSecret: string;
  /** Another server with Stripe's API. Undefined: Stripe itself. */
  readonly apiBase: URL | undefined;
  readonly clock: Clock;
  readonly timeouts?: StripeTimeouts;
}

/** The idempotency key of a step of an attempt. */
type Attempt = (step: string) => { readonly idempotencyKey?: string };

interface StripeTimeouts {
  readonly chargeMs: number;
  /** For every other call. */
  readonly otherMs: number;
}

/** With one retry by the SDK a charge ends within the 30 s for which the gateway waits. */
const TIMEOUTS: StripeTimeouts = { chargeMs: 12_000, otherMs: 5_000 };

export function createStripeProvider({
  secretKey,
  webhookSecret,
  apiBase,
  clock,
  timeouts = TIMEOUTS,
}: StripeOptions): PaymentProvider {
  const stripe = new Stripe(secretKey, {
    apiVersion: STRIPE_API_VERSION,
    timeout: timeouts.otherMs,
    maxNetworkRetries: MAX_NETWORK_RETRIES,
    telemetry: false,
    ...(apiBase === undefined ? {} : addressOf(apiBase)),
  });
  const charges = createStripeCharges(stripe, timeouts.chargeMs, clock);
  const refunds = createStripeRefunds(stripe, clock);

  async function methodBehind(token: string, attempt: Attempt): Promise<string> {
    if (token.startsWith('pm_')) return token;
    const method = await stripe.paymentMethods.create({ type: 'card', card: { token } }, attempt('method'));
    return method.id;
  }

  async function attachTo(customerId: string, given: string, attempt: Attempt): Promise<PaymentMethod> {
    // Attaching a test method such as `pm_card_visa` returns a new method.
    const { id: methodId, card } = await stripe.paymentMethods.attach(
      given,
      { customer: customerId },
      attempt(`attach-${customerId}`),
    );
    if (card === undefined || card === null) {
      await stripe.paymentMethods.detach(methodId);
      throw new PaymentDeclinedError('Only cards are taken.');
    }
    const { brand, last4, exp_month: expiresMonth, exp_year: expiresYear } = card;
    return { customerId, methodId, card: { type: 'card', brand, last4, expiresMonth, expiresYear } };
  }

  async function attachToNewCustomer(
    accountId: string,
    methodId: string,
    attempt: Attempt,
  ): Promise<PaymentMethod> {
    const { id } = await stripe.customers.create(
      { metadata: { account_id: accountId } },
      attempt('customer'),
    );
    try {
      return await attachTo(id, methodId, attempt);
    } catch (error) {
      // The next attempt gets the same customer.
      if (!isAnswered(toProviderError(error)) && !(error instanceof PaymentDeclinedError)) throw error;
      // No row refers to this customer. If the deletion fails, a customer with nothing but an id remains.
      await stripe.customers.del(id).catch(() => undefined);
      throw error;
    }
  }

  return {
    name: 'stripe',
    minimumChargeCents: MINIMUM_CHARGE_CENTS,
    async attach({ accountId, customerId, token, attemptKey }) {
      if (!TOKEN.test(token)) {
        throw new PaymentDeclinedError(
          'This is not a token of Stripe; give one that begins with tok_ or pm_.',
        );
      }
      try {
        const attempt: Attempt = (step) =>
          attemptKey === undefined ? {} : { idempotencyKey: `${attemptKey}-${step}` };
        const methodId = await methodBehind(token, attempt);
        if (customerId === undefined) return await attachToNewCustomer(accountId, methodId, attempt);
        try {
          return await attachTo(customerId, methodId, attempt);
        } catch (error) {
          // The customer was deleted in Stripe's dashboard, or belongs to another provider or Stripe account.
          if (isMissing(error, 'customer')) return await attachToNewCustomer(accountId, methodId, attempt);
          throw error;
        }
      } catch (error) {
        // The token is the only input: it is unknown, already used, or attached to another customer.
        if (isInvalidRequest(error)) {
          throw new PaymentDeclinedError('Stripe does not take this token; make a new one of the card.');
        }
        throw error instanceof PaymentDeclinedError ? error : toProviderError(error);
      }
    },

    async detach({ methodId }) {
      try {
        await stripe.paymentMethods.detach(methodId);
      } catch (error) {
        if (isMissing(error)) return;
        // It may be detached already.
        if (isInvalidRequest(error)) {
          const method = await stripe.paymentMethods.retrieve(methodId).catch(() => undefined);
          if (method?.customer === null) return;
        }
        throw toProviderError(error);
      }
    },

    async forget(customerId) {
      try {
        await stripe.customers.del(customerId);
      } catch (error) {
        if (!isMissing(error)) throw toProviderError(error);
      }
    },

    charge: charges.charge,
    refund: refunds.refund,
    events: {
      verify: createStripeEventVerifier(stripe, webhookSecret, clock),
      answerOf: charges.answerOf,
      refundsOf: refunds.refundsOf,
    },
  };
}

function addressOf({ protocol, hostname, port }: URL) {
  return {
    protocol: protocol === 'http:' ? ('http' as const) : ('https' as const),
    host: hostname,
    port: port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port),
  };
}
