/** Idempotency keys: they stay the same while a response is unknown, and change after one that was read. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { openHolder } from '../account-holder.fixture.ts';
import type { Fault } from './fake-stripe.fixture.ts';
import { startStripeBilling } from './stripe-billing.fixture.ts';

const BROKEN: Fault = { status: 500, body: { error: { type: 'api_error', message: 'No.' } } };
const LIMITED: Fault = { status: 429, body: { error: { type: 'rate_limit_error', message: 'No.' } } };

describe('idempotency keys of calls that create something at the provider', () => {
  const stripeBilling = forSuite(startStripeBilling);

  function holder() {
    const { fixture, stripe } = stripeBilling;
    const opened = openHolder(fixture);
    const seen = stripe.requests.length;
    return {
      setCard: () => opened.setCard('tok_visa'),
      subscribe: () => opened.subscribe('plan_starter'),
      status: async () => (await opened.info()).subscription?.status,
      /** A letter for each key in the requests to a path so far: `aab`. */
      keys(path: string): string {
        const keys = stripe.requests
          .slice(seen)
          .filter((request) => request.method === 'POST' && request.path === path)
          .map(({ idempotencyKey }) => idempotencyKey ?? assert.fail(path));
        const known = [...new Set(keys)];
        return keys.map((key) => String.fromCharCode(97 + known.indexOf(key))).join('');
      },
    };
  }

  // The SDK itself retries a call once.
  for (const [what, faults, keys] of [
    ['stays after lost responses', ['lost-answer', 'lost-answer'], 'aaa'],
    ['changes after a 500 that was read', [BROKEN, BROKEN], 'aab'],
  ] as const) {
    // Covers B-14.4
    it(`the key of a customer ${what}`, async () => {
      const ada = holder();
      const before = stripeBilling.stripe.books.customers.size;
      stripeBilling.stripe.fail('POST /v1/customers', ...faults);
      await refusal(ada.setCard(), 'SERVICE_UNAVAILABLE');
      await ada.setCard();
      assert.equal(ada.keys('/v1/customers'), keys);
      assert.equal(stripeBilling.stripe.books.customers.size, before + 1);
    });

    // Covers B-11.9
    it(`the key of a charge ${what}, and nothing is charged twice`, async () => {
      const ada = holder();
      await ada.setCard();
      const before = stripeBilling.stripe.books.intents.size;
      stripeBilling.stripe.fail('POST /v1/payment_intents', ...faults);
      await refusal(ada.subscribe(), 'SERVICE_UNAVAILABLE');
      // Every further request of the account completes the charge.
      await refusal(ada.subscribe(), 'ALREADY_SUBSCRIBED');
      assert.equal(await ada.status(), 'active');
      assert.equal(ada.keys('/v1/payment_intents'), keys);
      assert.equal(stripeBilling.stripe.books.intents.size, before + 1);
    });
  }

  // Covers B-11.9
  it('the key changes after a 4xx that was read, and a 500 that made an intent does not make a second one', async () => {
    const ada = holder();
    await ada.setCard();
    const before = stripeBilling.stripe.books.intents.size;
    stripeBilling.stripe.fail('POST /v1/payment_intents', LIMITED);
    await refusal(ada.subscribe(), 'SERVICE_UNAVAILABLE');
    stripeBilling.stripe.fail('POST /v1/payment_intents', { afterwards: BROKEN });
    await refusal(ada.subscribe(), 'ALREADY_SUBSCRIBED');
    assert.equal(await ada.status(), 'active');
    assert.match(ada.keys('/v1/payment_intents'), /^a+b+$/);
    assert.equal(stripeBilling.stripe.books.intents.size, before + 1);
  });
});
