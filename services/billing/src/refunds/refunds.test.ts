/** Refunds of invoices by operators, on Stripe and on the sandbox. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCaller } from '@audiosplit/chassis/rpc/client';
import { serveInProcess } from '@audiosplit/chassis/rpc/server';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { testKeysOf } from '@audiosplit/chassis/testing/identities';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { runTask } from '@audiosplit/chassis/testing/run-task';
import { until } from '@audiosplit/chassis/testing/until';
import type { Process } from '@audiosplit/proto/callers';
import { openHolder } from '../account-holder.fixture.ts';
import { type BillingFixture, startBillingFixture } from '../billing.fixture.ts';
import { createBillingOperatorClient } from '../client.ts';
import type { Fault } from '../payment/fake-stripe.fixture.ts';
import { signedEvent } from '../payment/stripe.fixture.ts';
import { startStripeBilling } from '../payment/stripe-billing.fixture.ts';
import { BILLING_SCHEMA } from '../schema.ts';

const REFUNDS = 'POST /v1/refunds';
const LOST = ['lost-answer', 'lost-answer'] as const;
const BROKEN: Fault = { status: 500, body: { error: { type: 'api_error', message: 'No.' } } };
const REASON = 'Two hours of jobs failed on our side.';

const operatorOf = ({ context, service }: BillingFixture, name: Process = 'operator') =>
  createBillingOperatorClient(
    createCaller({ ...context, keys: testKeysOf(name) }),
    serveInProcess({ ...context, routes: service.routes }),
  );

async function paidInvoice(fixture: BillingFixture, token = 'tok_visa') {
  const holder = openHolder(fixture);
  await holder.setCard(token);
  await holder.subscribe('plan_starter');
  const { accountId, invoices } = holder;
  const [invoice] = await invoices();
  assert(invoice);
  const invoiceId = invoice.id;
  const operator = operatorOf(fixture);
  return {
    ...holder,
    invoiceId,
    refunds: async () =>
      ((await invoices()).find(({ id }) => id === invoiceId)?.refunds ?? []).map((each) => [
        each.status,
        Number(each.amountCents),
      ]),
    refund: (amountCents?: bigint, requestKey: string = crypto.randomUUID()) =>
      operator.refundInvoice({
        accountId,
        invoiceId,
        reason: REASON,
        requestKey,
        ...(amountCents === undefined ? {} : { amountCents }),
      }),
    mails: async (count: number) =>
      (await fixture.published('refundChanged', accountId, count)).map(({ payload }) => {
        assert(payload.case === 'refundChanged');
        return [payload.value.status, Number(payload.value.amountCents)];
      }),
  };
}

describe('a refund of an invoice', () => {
  const running = forSuite(startStripeBilling);

  const tell = (type: string, object: object) =>
    running.fixture.billing.receiveProviderEvent(signedEvent({ type, object }, running.fixture.now()));
  const lastIntent = () => [...running.stripe.books.intents.values()].at(-1) ?? assert.fail('no intent');
  const ofIntent = (id: string) =>
    [...running.stripe.books.refunds.values()].filter(({ payment_intent }) => payment_intent === id);

  it('pays back a part, then the rest, and never more than was paid', async () => {
    const ada = await paidInvoice(running.fixture);
    const { refund } = await ada.refund(300n);
    assert.deepEqual([refund?.status, refund?.amountCents, refund?.reason], ['succeeded', 300n, REASON]);
    for (const amount of [0n, -1n, 601n, 2n ** 60n]) await refusal(ada.refund(amount), 'INVALID_PARAMS');
    await ada.refund();
    await refusal(ada.refund(), 'INVALID_PARAMS');
    assert.deepEqual(await ada.refunds(), [
      ['succeeded', 300],
      ['succeeded', 600],
    ]);
    assert.equal((await ada.invoices())[0]?.status, 'paid');
    assert.deepEqual(await ada.mails(2), [
      ['succeeded', 300],
      ['succeeded', 600],
    ]);
    assert.equal(ofIntent(lastIntent().id).length, 2);
  });

  it('stays within the paid amount for several concurrent requests', async () => {
    const ada = await paidInvoice(running.fixture);
    const outcomes = await Promise.allSettled([ada.refund(500n), ada.refund(500n), ada.refund(500n)]);
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected', 'rejected']);
    assert.deepEqual(await ada.refunds(), [['succeeded', 500]]);
  });

  it('is made once for requests with the same idempotency key', async () => {
    const ada = await paidInvoice(running.fixture);
    const key = crypto.randomUUID();
    const [first, second] = await Promise.all([ada.refund(100n, key), ada.refund(100n, key)]);
    assert.equal(first.refund?.id, second.refund?.id);
    await refusal(ada.refund(200n, key), 'INVALID_PARAMS');
    assert.deepEqual(await ada.refunds(), [['succeeded', 100]]);
    assert.equal(ofIntent(lastIntent().id).length, 1);
  });

  it('also works for invoices of upgrades and renewals', async () => {
    const { fixture } = running;
    const ada = await paidInvoice(fixture);
    const start = fixture.now();
    fixture.setNow(new Date('2026-03-20T00:00:00Z'));
    await ada.changePlan('plan_pro');
    fixture.setNow(new Date('2026-04-15T00:00:00Z'));
    // Every change of the account updates it.
    await operatorOf(fixture).changeOverrides({ accountId: ada.accountId, changes: [] });
    const invoices = await ada.invoices();
    assert.equal(invoices.length, 3);
    for (const { id: invoiceId, amountCents } of invoices) {
      const request = { accountId: ada.accountId, invoiceId, reason: REASON, requestKey: invoiceId };
      const { refund } = await operatorOf(fixture).refundInvoice(request);
      assert.deepEqual([refund?.status, refund?.amountCents], ['succeeded', amountCents]);
    }
    fixture.setNow(start);
  });

  for (const [what, faults, keys] of [
    ['stays while its response is unknown', LOST, 1],
    ['changes after a 500 that was read', [BROKEN, BROKEN], 2],
    ['stays after a 500 whose refund was made', [{ afterwards: BROKEN }], 1],
  ] as const) {
    it(`is made once at Stripe, with a key that ${what}`, async () => {
      const ada = await paidInvoice(running.fixture);
      running.stripe.fail(REFUNDS, ...faults);
      const seen = running.stripe.requests.length;
      const key = crypto.randomUUID();
      await ada.refund(400n, key);
      const { refund } = await ada.refund(400n, key);
      assert.equal(refund?.status, 'succeeded');
      const made = running.stripe.requests.slice(seen).filter(({ path }) => path === '/v1/refunds');
      const used = made.flatMap(({ method, idempotencyKey }) => (method === 'POST' ? [idempotencyKey] : []));
      assert.equal(new Set(used).size, keys);
      assert.equal(ofIntent(lastIntent().id).length, 1);
      assert.deepEqual(await ada.mails(1), [['succeeded', 400]]);
    });
  }

  it('without a response is pending, counts against the remaining amount, and is queried until there is a response', async () => {
    const ada = await paidInvoice(running.fixture);
    running.stripe.fail(REFUNDS, 'lost-request', 'lost-request');
    assert.equal((await ada.refund(800n)).refund?.status, 'pending');
    await refusal(ada.refund(200n), 'INVALID_PARAMS');
    const start = running.fixture.now();
    running.fixture.setNow(new Date(start.getTime() + 61_000));
    const pool = running.fixture.context.openPool(BILLING_SCHEMA, 1);
    await runTask(pool, BILLING_SCHEMA, 'settle-refunds').finally(() => pool.end());
    await until(async () => (await ada.refunds())[0]?.[0] === 'succeeded', 'the refund is made');
    assert.equal(ofIntent(lastIntent().id).length, 1);
    running.fixture.setNow(start);
  });

  it('that Stripe rejects changes nothing, and its amount can be refunded again', async () => {
    const ada = await paidInvoice(running.fixture);
    const error = { type: 'invalid_request_error', message: 'Charge is disputed.' };
    running.stripe.fail(REFUNDS, { status: 400, body: { error } });
    const key = crypto.randomUUID();
    const { publicMessage } = await refusal(ada.refund(900n, key), 'PAYMENT_FAILED');
    await refusal(ada.refund(900n, key), 'PAYMENT_FAILED');
    assert.match(publicMessage, /Charge is disputed\./);
    assert.deepEqual(await ada.refunds(), []);
    await ada.refund(900n);
    assert.deepEqual(await ada.mails(1), [['succeeded', 900]]);
  });

  it('that is pending at Stripe succeeds through an event, in any order and repeated', async () => {
    const ada = await paidInvoice(running.fixture, 'tok_pendingRefund');
    assert.equal((await ada.refund(900n)).refund?.status, 'pending');
    const [there] = ofIntent(lastIntent().id);
    assert(there);
    const early = structuredClone(there);
    there.status = 'succeeded';
    await Promise.all([
      tell('refund.updated', there),
      tell('charge.refunded', { id: 'ch_1', payment_intent: there.payment_intent }),
    ]);
    await tell('refund.created', early);
    assert.deepEqual(await ada.refunds(), [['succeeded', 900]]);
    assert.deepEqual(await ada.mails(1), [['pending', 900]]);
  });

  it('that the bank rejects fails permanently through an event; its holder is notified, and it can be made again', async () => {
    const ada = await paidInvoice(running.fixture);
    await ada.refund(900n);
    const [there] = ofIntent(lastIntent().id);
    assert(there);
    there.status = 'failed';
    for (const _ of ['once', 'again']) await tell('refund.failed', there);
    there.status = 'succeeded';
    await tell('refund.updated', there);
    assert.deepEqual(await ada.refunds(), [['failed', 900]]);
    there.status = 'failed';
    await ada.refund(900n);
    assert.deepEqual(await ada.mails(3), [
      ['succeeded', 900],
      ['failed', 900],
      ['succeeded', 900],
    ]);
  });

  it('that was made in Stripe is shown once too, and counts against the remaining amount', async () => {
    const ada = await paidInvoice(running.fixture);
    const { id } = lastIntent();
    running.stripe.books.answer('POST', '/v1/refunds', { payment_intent: id, amount: '250' });
    for (const type of ['charge.refunded', 'refund.created']) await tell(type, { payment_intent: id });
    assert.deepEqual(await ada.refunds(), [['succeeded', 250]]);
    await refusal(ada.refund(651n), 'INVALID_PARAMS');
    await ada.refund();
    assert.deepEqual(await ada.refunds(), [
      ['succeeded', 250],
      ['succeeded', 650],
    ]);
    await tell('charge.refunded', { payment_intent: 'pi_of_another_application' });
  });

  it('is deleted with its account', async () => {
    const ada = await paidInvoice(running.fixture);
    await ada.refund(100n);
    const { id } = lastIntent();
    await running.fixture.tell(ada.accountId, { case: 'accountPurged', value: {} });
    await until(async () => (await ada.invoices()).length === 0, 'the account is purged');
    await tell('charge.refunded', { payment_intent: id });
    await refusal(ada.refund(100n), 'NOT_FOUND');
  });

  it('INVALID_PARAMS, NOT_FOUND: of an unpaid invoice, of another account, without a reason or a key', async () => {
    await using fixture = await startBillingFixture();
    const operator = operatorOf(fixture);
    const ada = await paidInvoice(fixture);
    const grace = await paidInvoice(fixture);
    const { accountId, invoiceId } = ada;
    const request = { accountId, invoiceId, reason: REASON, requestKey: 'a key' };
    await refusal(operator.refundInvoice({ ...request, invoiceId: grace.invoiceId }), 'NOT_FOUND');
    await refusal(operator.refundInvoice({ ...request, invoiceId: 'inv_none' }), 'NOT_FOUND');
    await refusal(operator.refundInvoice({ ...request, reason: '  ' }), 'INVALID_PARAMS');
    await refusal(operator.refundInvoice({ ...request, requestKey: '' }), 'INVALID_PARAMS');
    await ada.setCard('tok_chargeCustomerFail');
    await ada.moveTo('2026-04-15T00:00:00Z');
    const open = (await ada.invoices())[0] ?? assert.fail('no invoice');
    assert.equal(open.status, 'open');
    await refusal(operator.refundInvoice({ ...request, invoiceId: open.id }), 'INVALID_PARAMS');
    assert.equal((await operator.refundInvoice(request)).refund?.status, 'succeeded', 'on the sandbox');
  });

  it('UNAUTHORIZED: by any caller but an operator', async () => {
    const ada = await paidInvoice(running.fixture);
    for (const name of ['gateway', 'account', 'jobs'] as const) {
      const call = operatorOf(running.fixture, name).refundInvoice({
        ...ada,
        reason: REASON,
        requestKey: 'k',
      });
      await refusal(call, 'UNAUTHORIZED');
    }
  });
});
