/** Payment intents in states that a charge does not reach on its own. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '@audiosplit/chassis/ids';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import type { Reply } from './fake-stripe-books.fixture.ts';
import type { ChargeRequest } from './payment-provider.ts';
import { startStripeFixture } from './stripe.fixture.ts';

const INTENTS = 'POST /v1/payment_intents';
const HOUR_MS = 3_600_000;

const refusedBy = (status: number, type: string, code?: string): Reply => ({
  status,
  body: { error: { type, code, message: 'No.' } },
});

describe('charges at Stripe', () => {
  const fixture = forSuite(startStripeFixture);

  /** A charge with an intent that an earlier request created. */
  const begun = async (status: string, age = 0) => {
    const { provider, stripe } = fixture;
    const request: ChargeRequest = {
      method: await provider.attach({ accountId: 'acc_1', customerId: undefined, token: 'tok_visa' }),
      amountCents: 4_900,
      currency: 'usd',
      description: 'audiosplit plan_pro',
      idempotencyKey: newId('chg'),
      createdAt: new Date(Date.now() - age),
    };
    stripe.books.answer('POST', '/v1/payment_intents', {
      amount: '4900',
      currency: 'usd',
      customer: request.method.customerId,
      payment_method: request.method.methodId,
      'metadata[charge_id]': request.idempotencyKey,
    });
    const intent = [...stripe.books.intents.values()].at(-1);
    assert(intent);
    intent.status = status;
    return { request, intent };
  };
  const answerOf = (charge: ChargeRequest, id: string) => fixture.provider.events?.answerOf(charge, id);

  it('waits for a request in flight with the same key', async () => {
    for (const status of ['requires_confirmation', 'requires_payment_method']) {
      const { request, intent } = await begun(status);
      const conflict = refusedBy(409, 'idempotency_error', 'idempotency_key_in_use');
      fixture.stripe.fail(INTENTS, conflict, conflict);
      await assert.rejects(fixture.provider.charge(request), /^Error: Stripe gave no answer/);
      assert.equal(intent.status, status);
    }
  });

  it('cancels an intent that was never tried before it counts as declined', async () => {
    const { request, intent } = await begun('requires_payment_method');
    const broken = refusedBy(500, 'api_error');
    fixture.stripe.fail(INTENTS, broken, broken);
    await assert.rejects(fixture.provider.charge(request), { publicMessage: /could not make the payment/ });
    assert.equal(intent.status, 'canceled');
  });

  it('reads the intent again if it was already canceled', async () => {
    const { request, intent } = await begun('requires_action');
    const late = refusedBy(400, 'invalid_request_error', 'payment_intent_unexpected_state');
    fixture.stripe.fail(`${INTENTS}/${intent.id}/cancel`, { afterwards: late });
    assert.equal((await answerOf(request, intent.id))?.kind, 'declined');
  });

  it('rejects an intent that does not match its charge', async () => {
    const { request, intent } = await begun('succeeded', 13 * HOUR_MS);
    assert.equal((await answerOf(request, intent.id))?.kind, 'succeeded');
    for (const other of [
      { ...request, amountCents: 4_901 },
      { ...request, currency: 'eur' },
      { ...request, idempotencyKey: newId('chg') },
      { ...request, method: { ...request.method, customerId: 'cus_other' } },
    ]) {
      const fault = { name: 'ProviderFaultError', message: new RegExp(intent.id) };
      await assert.rejects(async () => answerOf(other, intent.id), fault);
    }
    const { books } = fixture.stripe;
    await assert.rejects(fixture.provider.charge({ ...request, amountCents: 4_901 }), {
      name: 'ProviderFaultError',
    });
    assert.deepEqual(books.takenFor(request.idempotencyKey), [4_900], 'nothing is charged in its place');
  });

  it('shows only messages meant for the cardholder', async () => {
    const { request, intent } = await begun('requires_payment_method');
    intent.last_payment_error = { type: 'card_error', message: 'Your card has expired.' };
    const expired = { kind: 'declined', publicMessage: 'Your card has expired.' };
    assert.deepEqual(await answerOf(request, intent.id), expired);
    intent.last_payment_error = { type: 'api_error', message: 'Acquirer 17 timed out.' };
    const declined = { kind: 'declined', publicMessage: 'Your card was declined.' };
    assert.deepEqual(await answerOf(request, intent.id), declined);
  });
});
