import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '@audiosplit/chassis/ids';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import {
  type ChargeRequest,
  PaymentDeclinedError,
  type PaymentMethod,
  type PaymentProvider,
} from './payment-provider.ts';

/** Runs against each adapter, with the Stripe test cards that all adapters support. */
export function testPaymentProviderContract(
  name: string,
  open: () => Promise<{ readonly provider: PaymentProvider } & AsyncDisposable>,
): void {
  describe(`payment provider contract: ${name}`, () => {
    const opened = forSuite(open);

    const attach = (token: string, customerId?: string) =>
      opened.provider.attach({ accountId: newId('acc'), customerId, token });
    const requestFor = (method: PaymentMethod): ChargeRequest => ({
      method,
      amountCents: 4_900,
      currency: 'usd',
      description: 'audiosplit plan_pro',
      idempotencyKey: newId('chg'),
      createdAt: new Date(),
    });

    it('attaches a card to a new customer and returns it', async () => {
      const { customerId, methodId, card } = await attach('tok_visa');
      assert.ok(customerId.length > 0 && methodId.length > 0);
      assert.deepEqual(
        { ...card, expiresYear: 2099 },
        { type: 'card', brand: 'visa', last4: '4242', expiresMonth: 12, expiresYear: 2099 },
      );
      assert.ok(card.expiresYear > 2026);
    });

    it('attaches further cards to the same customer, each as its own method', async () => {
      const first = await attach('tok_visa');
      const second = await attach('tok_mastercard', first.customerId);
      const third = await attach('tok_visa', first.customerId);
      assert.equal(second.customerId, first.customerId);
      assert.equal(second.card.last4, '4444');
      assert.equal(new Set([first, second, third].map(({ methodId }) => methodId)).size, 3);
    });

    for (const token of ['tok_chargeDeclined', 'tok_unknown', '4242424242424242', '']) {
      // Covers D-9.3 D-5.3
      it(`declines to attach ${JSON.stringify(token)}`, async () => {
        await assert.rejects(attach(token), PaymentDeclinedError);
      });
    }

    // Covers D-5.4
    it('charges once per key, and repeats the first response', async () => {
      const request = requestFor(await attach('tok_visa'));
      const first = await opened.provider.charge(request);
      assert.ok(first.providerChargeId.length > 0);
      assert.deepEqual(await opened.provider.charge(request), first);
      const crowd = await Promise.all([1, 2, 3].map(() => opened.provider.charge(request)));
      assert.deepEqual(crowd, [first, first, first]);
      const other = await opened.provider.charge({ ...request, idempotencyKey: newId('chg') });
      assert.notEqual(other.providerChargeId, first.providerChargeId);
    });

    it('returns the same reason for a decline every time', async () => {
      const request = requestFor(await attach('tok_chargeCustomerFail'));
      for (const _ of ['once', 'again']) {
        await assert.rejects(opened.provider.charge(request), {
          name: 'PaymentDeclinedError',
          publicMessage: 'Your card was declined.',
        });
      }
    });

    it('refunds a part of a charge once per key, and repeats the first response', async () => {
      const { provider } = opened;
      const { providerChargeId } = await provider.charge(requestFor(await attach('tok_visa')));
      const idempotencyKey = newId('rfd');
      const request = {
        providerChargeId,
        amountCents: 1_900,
        currency: 'usd',
        idempotencyKey,
        attemptKey: idempotencyKey,
        createdAt: new Date(),
      };
      const first = await provider.refund(request);
      assert.deepEqual(
        [first.state, first.amountCents, first.idempotencyKey],
        ['succeeded', 1_900, idempotencyKey],
      );
      const { providerRefundId } = first;
      assert.equal((await provider.refund(request)).providerRefundId, providerRefundId);
      const again = await provider.refund({ ...request, attemptKey: `${idempotencyKey}.1` });
      assert.equal(again.providerRefundId, providerRefundId, 'also of a later attempt');
    });

    it('charges its minimum amount', async () => {
      const { provider } = opened;
      const request = { ...requestFor(await attach('tok_visa')), amountCents: provider.minimumChargeCents };
      assert.ok((await provider.charge(request)).providerChargeId.length > 0);
    });

    it('detaches a method and deletes a customer, also a second time', async () => {
      const method = await attach('tok_visa');
      for (const _ of ['once', 'again']) await opened.provider.detach(method);
      for (const _ of ['once', 'again']) await opened.provider.forget(method.customerId);
    });
  });
}
