import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { newId } from '@audiosplit/chassis/ids';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import type { Fault } from './fake-stripe.fixture.ts';
import type { Reply } from './fake-stripe-books.fixture.ts';
import { testPaymentProviderContract } from './payment-provider.contract.ts';
import type { ChargeRequest, PaymentMethod } from './payment-provider.ts';
import { signedEvent, startStripeFixture } from './stripe.fixture.ts';

testPaymentProviderContract('fake Stripe', () => startStripeFixture());

const HOUR_MS = 3_600_000;
const INTENTS = 'POST /v1/payment_intents';

/** https://docs.stripe.com/api/errors */
const refusedBy = (status: number, type: string, code?: string, message = 'No.'): Reply => ({
  status,
  body: { error: { type, code, message } },
});

describe('Stripe driver', () => {
  let nowMs = Date.parse('2026-03-14T09:26:53Z');
  const fixture = forSuite(() => startStripeFixture({ now: () => new Date(nowMs) }));
  afterEach(() => {
    fixture.stripe.forgetKeys();
  });

  const attach = (token: string, customerId?: string) =>
    fixture.provider.attach({ accountId: 'acc_1', customerId, token });
  const charge = (request: ChargeRequest) => fixture.provider.charge(request);
  const requestFor = (method: PaymentMethod): ChargeRequest => ({
    method,
    amountCents: 4_900,
    currency: 'usd',
    description: 'audiosplit plan_pro',
    idempotencyKey: newId('chg'),
    createdAt: new Date(nowMs),
  });
  const requestsSince = (from: number) =>
    fixture.stripe.requests.slice(from).map(({ method, path }) => `${method} ${path}`);
  const takenFor = ({ idempotencyKey }: ChargeRequest) => fixture.stripe.books.takenFor(idempotencyKey);

  // Covers D-5.5
  it('sends valid requests with its key and version', async () => {
    const { stripe } = fixture;
    const from = stripe.requests.length;
    const method = await attach('tok_visa');
    const request = requestFor(method);
    await charge(request);
    await fixture.provider.detach(method);
    await fixture.provider.forget(method.customerId);
    const { customerId, methodId } = method;
    assert.deepEqual(
      stripe.requests.slice(from).map(({ method, path, form }) => [`${method} ${path}`, { ...form }]),
      [
        ['POST /v1/payment_methods', { type: 'card', 'card[token]': 'tok_visa' }],
        ['POST /v1/customers', { 'metadata[account_id]': 'acc_1' }],
        [`POST /v1/payment_methods/${methodId}/attach`, { customer: customerId }],
        [
          'POST /v1/payment_intents',
          {
            amount: '4900',
            currency: 'usd',
            customer: customerId,
            payment_method: methodId,
            'allowed_payment_method_types[0]': 'card',
            confirm: 'true',
            off_session: 'true',
            description: 'audiosplit plan_pro',
            'metadata[charge_id]': request.idempotencyKey,
          },
        ],
        [`POST /v1/payment_methods/${methodId}/detach`, {}],
        [`DELETE /v1/customers/${customerId}`, {}],
      ],
    );
    for (const each of stripe.requests.slice(from)) {
      assert.equal(each.version, '2026-10-28.endive');
      assert.equal(each.authorization, 'Bearer sk_test_4242');
    }
    assert.equal(stripe.requests.at(from + 3)?.idempotencyKey, request.idempotencyKey);
  });

  it('accepts a payment method created by the page', async () => {
    const made = fixture.stripe.books.answer('POST', '/v1/payment_methods', { 'card[token]': 'tok_visa' });
    const { id } = made.body as { id: string };
    const from = fixture.stripe.requests.length;
    const method = await attach(id);
    assert.equal(method.methodId, id);
    assert.ok(!requestsSince(from).includes('POST /v1/payment_methods'));
    await assert.rejects(attach(id), { name: 'PaymentDeclinedError' }, 'on the file of another customer');
    assert.deepEqual(await attach(id, method.customerId), method);
  });

  it("stores the new method made from one of Stripe's test methods", async () => {
    const method = await attach('pm_card_visa');
    assert.notEqual(method.methodId, 'pm_card_visa');
    assert.ok((await charge(requestFor(method))).providerChargeId.startsWith('pi_'));
  });

  it('deletes a new customer whose card was declined', async () => {
    const before = fixture.stripe.books.customers.size;
    await assert.rejects(attach('tok_chargeDeclined'), { publicMessage: 'Your card was declined.' });
    await assert.rejects(attach('tok_bank'), { publicMessage: 'Only cards are taken.' });
    assert.equal(fixture.stripe.books.customers.size, before);
  });

  it('creates a new customer if the known one is gone or belongs to another provider', async () => {
    const { customerId } = await attach('tok_visa');
    await fixture.provider.forget(customerId);
    for (const gone of [customerId, 'sandbox_acc_1']) {
      const method = await attach('tok_visa', gone);
      assert.notEqual(method.customerId, gone);
      assert.ok(fixture.stripe.books.customers.has(method.customerId));
    }
  });

  it('declines a charge to a method that is detached or was never attached', async () => {
    const method = await attach('tok_visa');
    await fixture.provider.detach(method);
    const elsewhere = { ...method, customerId: 'sandbox_acc_1', methodId: 'sandbox_tok_visa' };
    for (const each of [method, elsewhere]) {
      await assert.rejects(charge(requestFor(each)), { publicMessage: /no longer on file/ });
    }
  });

  it('treats a required confirmation as a decline, and cancels the payment', async () => {
    for (const token of ['tok_authenticationRequired', 'tok_waiting']) {
      const request = requestFor(await attach(token));
      await assert.rejects(charge(request), { name: 'PaymentDeclinedError', publicMessage: /3-D Secure/ });
      const left = [...fixture.stripe.books.intents.values()].filter(
        ({ metadata }) => metadata.charge_id === request.idempotencyKey,
      );
      assert.equal(left.length, 1);
      assert.ok(['canceled', 'requires_payment_method'].includes(left[0]?.status ?? ''));
    }
  });

  it('reports no outcome for a processing charge until it is decided', async () => {
    const request = requestFor(await attach('tok_slow'));
    await assert.rejects(charge(request), /has not decided/);
    await assert.rejects(charge(request), /has not decided/);
    const [intent] = [...fixture.stripe.books.intents.values()].slice(-1);
    assert.ok(intent);
    intent.status = 'succeeded';
    assert.deepEqual(await charge(request), { providerChargeId: intent.id });
    assert.deepEqual(takenFor(request), [4_900]);
  });

  const gone: [string, Fault[]][] = [
    ['lost requests', ['lost-request', 'lost-request']],
    ['lost responses', ['lost-answer', 'lost-answer']],
    ['no response in time', ['no-answer', 'no-answer']],
    ['too many requests', [refusedBy(429, 'invalid_request_error', 'rate_limit')]],
    ['another request with the same key in progress', Array(2).fill(refusedBy(409, 'api_error'))],
    ['Stripe being unavailable', Array(2).fill(refusedBy(503, 'api_error'))],
  ];
  for (const [what, faults] of gone) {
    it(`reports no outcome on ${what}, and the right one on a retry`, async () => {
      const request = requestFor(await attach('tok_visa'));
      fixture.stripe.fail(INTENTS, ...faults);
      await assert.rejects(
        charge(request),
        ({ name, message }: Error) => name === 'Error' && message.startsWith('Stripe gave no answer'),
      );
      assert.ok((await charge(request)).providerChargeId.startsWith('pi_'));
      assert.deepEqual(takenFor(request), [4_900]);
    });
  }

  it('retries once after a lost response', async () => {
    const request = requestFor(await attach('tok_visa'));
    fixture.stripe.fail(INTENTS, 'lost-answer');
    await charge(request);
    assert.deepEqual(takenFor(request), [4_900]);
  });

  it('searches for the intent of a request that failed inside Stripe', async () => {
    const broken = { afterwards: refusedBy(500, 'api_error') };
    const good = requestFor(await attach('tok_visa'));
    fixture.stripe.fail(INTENTS, broken);
    assert.ok((await charge(good)).providerChargeId.startsWith('pi_'));
    assert.ok((await charge(good)).providerChargeId.startsWith('pi_'));
    assert.deepEqual(takenFor(good), [4_900]);
    const bad = requestFor(await attach('tok_chargeCustomerFail'));
    fixture.stripe.fail(INTENTS, broken);
    await assert.rejects(charge(bad), { publicMessage: 'Your card was declined.' });
  });

  it('searches for a charge older than its key before it retries it', async () => {
    const lost = requestFor(await attach('tok_visa'));
    fixture.stripe.fail(INTENTS, 'lost-answer', 'lost-answer');
    await assert.rejects(charge(lost));
    const never = requestFor(lost.method as PaymentMethod);
    fixture.stripe.fail(INTENTS, 'lost-request', 'lost-request');
    await assert.rejects(charge(never));
    nowMs += 30 * HOUR_MS;
    fixture.stripe.forgetKeys();
    for (const request of [lost, never]) {
      assert.ok((await charge(request)).providerChargeId.startsWith('pi_'));
      assert.deepEqual(takenFor(request), [4_900]);
    }
  });

  for (const [status, code] of [
    [401, undefined],
    [403, undefined],
    [400, 'parameter_unknown'],
  ] as const) {
    it(`reports HTTP ${status} as a provider fault, with a message for operators`, async () => {
      const request = requestFor(await attach('tok_visa'));
      fixture.stripe.fail(INTENTS, refusedBy(status, 'invalid_request_error', code, 'Wrong.'));
      await assert.rejects(charge(request), {
        name: 'ProviderFaultError',
        message: status === 400 ? /does not accept a request: Wrong\./ : /STRIPE_SECRET_KEY: Wrong\./,
      });
    });
  }

  it('keeps the secret of an intent out of errors', async () => {
    const request = requestFor(await attach('tok_chargeCustomerFail'));
    const error: unknown = await charge(request).catch((thrown: unknown) => thrown);
    assert(error instanceof Error);
    assert.ok(!JSON.stringify([error, error.message, error.stack, error.cause]).includes('hush'));
  });

  it('verifies signatures and their age', () => {
    const { events } = fixture.provider;
    assert(events);
    const now = new Date(nowMs);
    const event = { type: 'payment_method.detached', object: { id: 'pm_1' }, id: 'evt_1' };
    const { payload, signature } = signedEvent(event, now);
    assert.deepEqual(events.verify(payload, signature), {
      id: 'evt_1',
      type: 'payment_method.detached',
      about: { kind: 'method-detached', methodId: 'pm_1' },
    });
    const forged = [
      [payload, ''],
      [payload, 't=1,v1=00'],
      [Buffer.from(payload.toString().replace('pm_1', 'pm_2')), signature],
      [Buffer.from(JSON.stringify(JSON.parse(payload.toString()))), signature],
      [payload, signedEvent(event, now, 'whsec_other').signature],
      [payload, signedEvent(event, new Date(nowMs - 301_000)).signature],
      [Buffer.alloc(0), signature],
    ] as const;
    for (const [body, header] of forged) {
      assert.throws(() => events.verify(body, header), { name: 'ForgedEventError' });
    }
    assert.ok(events.verify(payload, signedEvent(event, new Date(nowMs - 299_000)).signature));
  });
});
