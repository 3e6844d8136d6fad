import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { newId } from '@audiosplit/chassis/ids';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { until } from '@audiosplit/chassis/testing/until';
import { openHolder } from '../account-holder.fixture.ts';
import { startBillingFixture } from '../billing.fixture.ts';
import type { BillingClient } from '../client.ts';
import { STRIPE_WEBHOOK_SECRET, signedEvent } from './stripe.fixture.ts';
import { startStripeBilling } from './stripe-billing.fixture.ts';

const INTENTS = 'POST /v1/payment_intents';
const LOST = ['lost-answer', 'lost-answer'] as const;

describe("Stripe's events", () => {
  let billing: BillingClient;
  const running = forSuite(startStripeBilling);
  before(() => {
    billing = running.fixture.billing;
  });

  const tell = (event: { readonly type: string; readonly object: object; readonly id?: string }) =>
    billing.receiveProviderEvent(signedEvent(event, running.fixture.now()));
  const holder = async (token: string) => {
    const opened = openHolder(running.fixture);
    await opened.setCard(token);
    return { ...opened, subscribe: (planId = 'plan_pro') => opened.subscribe(planId) };
  };
  const lastIntent = () => {
    const intent = [...running.stripe.books.intents.values()].at(-1);
    assert(intent);
    return intent;
  };
  const lastMethod = () => {
    const method = [...running.stripe.books.methods.values()].at(-1);
    assert(method);
    return method;
  };

  // Covers D-5.5
  it('settles a charge whose response was lost once, for events in any order and repeated', async () => {
    const ada = await holder('tok_visa');
    running.stripe.fail(INTENTS, ...LOST);
    await refusal(ada.subscribe(), 'SERVICE_UNAVAILABLE');
    assert.equal((await ada.info()).subscription, undefined);
    const object = structuredClone(lastIntent());
    // A late event about an earlier state: the current state is read at the provider.
    await tell({ type: 'payment_intent.payment_failed', object });
    assert.equal((await ada.info()).subscription?.status, 'active');
    const twice = { type: 'payment_intent.succeeded', object, id: 'evt_twice' };
    await Promise.all([tell(twice), tell(twice), tell({ type: twice.type, object })]);
    const asked = running.stripe.requests.length;
    await tell(twice);
    assert.equal(running.stripe.requests.length, asked, 'a known event triggers no request');
    assert.equal((await ada.invoices()).length, 1);
    assert.deepEqual(running.stripe.books.takenFor(object.metadata.charge_id ?? ''), [4_900]);
  });

  it('settles a decline too, and leaves an undecided charge pending', async () => {
    const ada = await holder('tok_slow');
    await refusal(ada.subscribe(), 'SERVICE_UNAVAILABLE');
    const intent = lastIntent();
    await tell({ type: 'payment_intent.payment_failed', object: intent });
    await refusal(ada.subscribe(), 'SERVICE_UNAVAILABLE');
    intent.status = 'requires_payment_method';
    await tell({ type: 'payment_intent.payment_failed', object: intent });
    await ada.setCard('tok_visa');
    await ada.subscribe();
    assert.equal((await ada.info()).plan?.id, 'plan_pro');
    assert.equal((await ada.invoices()).length, 1);
  });

  it('changes nothing for a payment that succeeds after its charge was declined', async () => {
    const ada = await holder('tok_chargeCustomerFail');
    await refusal(ada.subscribe(), 'PAYMENT_FAILED');
    const intent = lastIntent();
    intent.status = 'succeeded';
    await tell({ type: 'payment_intent.succeeded', object: intent });
    assert.equal((await ada.info()).subscription, undefined);
    assert.deepEqual(await ada.invoices(), []);
  });

  it('handles a repeated event if its first delivery failed', async () => {
    const ada = await holder('tok_visa');
    running.stripe.fail(INTENTS, ...LOST);
    await refusal(ada.subscribe(), 'SERVICE_UNAVAILABLE');
    const event = { type: 'payment_intent.succeeded', object: lastIntent(), id: 'evt_again' };
    running.stripe.fail(`GET /v1/payment_intents/${lastIntent().id}`, ...LOST);
    await refusal(tell(event), 'SERVICE_UNAVAILABLE');
    await tell(event);
    assert.equal((await ada.info()).subscription?.status, 'active');
  });

  it('removes a method that was removed at Stripe, alone or with its customer', async () => {
    for (const type of ['payment_method.detached', 'customer.deleted'] as const) {
      const ada = await holder('tok_visa');
      const { id, customer } = lastMethod();
      await tell({ type, object: { id: type === 'customer.deleted' ? customer : 'pm_other' } });
      if (type === 'payment_method.detached') {
        assert.equal((await ada.info()).paymentMethod?.last4, '4242');
        await tell({ type, object: { id, customer: null } });
      }
      assert.equal((await ada.info()).paymentMethod, undefined);
      await refusal(ada.subscribe(), 'PAYMENT_METHOD_REQUIRED');
    }
  });

  it('accepts events that it does not use', async () => {
    await tell({ type: 'charge.refunded', object: { payment_intent: 'pi_1' } });
    await tell({ type: 'charge.dispute.created', object: { payment_intent: { id: 'pi_1' } } });
    await tell({ type: 'invoice.created', object: {} });
    await tell({ type: 'payment_intent.succeeded', object: { id: 'pi_1', metadata: {} } });
    await tell({
      type: 'payment_intent.succeeded',
      object: { id: 'pi_1', metadata: { charge_id: 'chg_1' } },
    });
  });

  it('ignores events of a purged account', async () => {
    const ada = await holder('tok_visa');
    await ada.subscribe();
    const object = lastIntent();
    await running.fixture.tell(ada.accountId, { case: 'accountPurged', value: {} });
    await until(async () => (await ada.invoices()).length === 0, 'the account is purged');
    await tell({ type: 'payment_intent.succeeded', object });
  });

  // Covers D-5.5
  it("INVALID_PARAMS: an event without Stripe's signature", async () => {
    const now = running.fixture.now();
    const event = { type: 'invoice.created', object: {} };
    const good = signedEvent(event, now);
    for (const each of [
      { ...good, signature: '' },
      { ...good, payload: Buffer.from(`${good.payload} `) },
      signedEvent(event, now, `${STRIPE_WEBHOOK_SECRET}1`),
      signedEvent(event, new Date(now.getTime() - 301_000)),
    ]) {
      await refusal(billing.receiveProviderEvent(each), 'INVALID_PARAMS');
    }
  });

  it('UNAUTHORIZED: from any caller but the gateway', async () => {
    const event = signedEvent({ type: 'invoice.created', object: {} }, running.fixture.now());
    await refusal(running.fixture.clientOf('jobs').receiveProviderEvent(event), 'UNAUTHORIZED');
    await refusal(
      billing.receiveProviderEvent(event, running.fixture.actingFor(newId('acc'))),
      'UNAUTHORIZED',
    );
  });

  it('NOT_FOUND: with the sandbox, which sends no events', async () => {
    await using sandboxed = await startBillingFixture();
    const event = signedEvent({ type: 'invoice.created', object: {} }, sandboxed.now());
    await refusal(sandboxed.clientOf('gateway').receiveProviderEvent(event), 'NOT_FOUND');
  });

  it('INTERNAL_ERROR: a key that Stripe rejects', async () => {
    const ada = await holder('tok_visa');
    const error = { type: 'invalid_request_error', message: 'Invalid API Key provided' };
    running.stripe.fail(INTENTS, { status: 401, body: { error } });
    await refusal(ada.subscribe(), 'INTERNAL_ERROR');
    await refusal(ada.subscribe(), 'ALREADY_SUBSCRIBED');
  });

  it('voids an invoice below the minimum charge', async () => {
    const ada = await holder('tok_visa');
    await ada.subscribe('plan_starter');
    const start = running.fixture.now();
    // Seven hours of the period are left: 38 cents of the difference to Pro.
    running.fixture.setNow(new Date('2026-04-14T02:26:53Z'));
    const { proration } = await ada.changePlan('plan_pro');
    assert.equal(proration?.amountCents, 0n);
    assert.equal((await ada.info()).plan?.id, 'plan_pro');
    assert.equal((await ada.invoices()).length, 1);
    await ada.use(5_049);
    assert.equal((await ada.usage()).overageCents, 49n);
    running.fixture.setNow(new Date('2026-04-14T02:27:53Z'));
    await ada.cancel(true);
    await until(async () => (await ada.invoices())[0]?.status === 'void', 'the last invoice is let go');
    assert.equal((await ada.invoices())[0]?.amountCents, 49n);
    running.fixture.setNow(start);
  });
});
