/**
 * The built-in provider, which moves no money. Its tokens are Stripe's test tokens and behave like them. It is
 * stateless: a method's id encodes its behaviour, and the id of a charge or refund is derived from its idempotency key.
 */
import { createHash, randomBytes } from 'node:crypto';
import { type Card, PaymentDeclinedError, type PaymentProvider } from './payment-provider.ts';

interface TestCard extends Pick<Card, 'brand' | 'last4'> {
  /** The step that declines it. Undefined: none. */
  readonly declinedAt?: 'attach' | 'charge';
}

// https://docs.stripe.com/testing: the numbers behind the tokens.
const TEST_CARDS: Readonly<Record<string, TestCard>> = {
  tok_visa: { brand: 'visa', last4: '4242' },
  tok_mastercard: { brand: 'mastercard', last4: '4444' },
  tok_chargeDeclined: { brand: 'visa', last4: '0002', declinedAt: 'attach' },
  tok_chargeCustomerFail: { brand: 'visa', last4: '0341', declinedAt: 'charge' },
};
const EXPIRES_YEAR = 2099;
const DECLINED = 'Your card was declined.';

export function createSandboxProvider(): PaymentProvider {
  return {
    name: 'sandbox',
    minimumChargeCents: 1,
    async attach({ accountId, customerId, token }) {
      const card = cardBehind(token);
      if (card === undefined) {
        throw new PaymentDeclinedError(
          `The sandbox does not know this token; it takes ${Object.keys(TEST_CARDS).join(', ')}.`,
        );
      }
      if (card.declinedAt === 'attach') throw new PaymentDeclinedError(DECLINED);
      const { brand, last4 } = card;
      return {
        customerId: customerId ?? `sandbox_${accountId}`,
        methodId: `sandbox_${token}_${randomBytes(6).toString('hex')}`,
        card: { type: 'card', brand, last4, expiresMonth: 12, expiresYear: EXPIRES_YEAR },
      };
    },
    async detach() {},
    async forget() {},
    async charge({ method, idempotencyKey }) {
      const [, token = ''] = /^sandbox_(tok_[A-Za-z]+)/.exec(method.methodId) ?? [];
      const card = cardBehind(token);
      if (card === undefined || card.declinedAt !== undefined) throw new PaymentDeclinedError(DECLINED);
      return { providerChargeId: idOf(idempotencyKey) };
    },
    async refund({ idempotencyKey, amountCents, currency, createdAt }) {
      const providerRefundId = idOf(idempotencyKey);
      return { providerRefundId, idempotencyKey, amountCents, currency, createdAt, state: 'succeeded' };
    },
    events: undefined,
  };
}

function idOf(idempotencyKey: string): string {
  return `sandbox_${createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 24)}`;
}

function cardBehind(token: string): TestCard | undefined {
  return Object.hasOwn(TEST_CARDS, token) ? TEST_CARDS[token] : undefined;
}
