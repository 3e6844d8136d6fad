import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@audiosplit/chassis/ids';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { until } from '@audiosplit/chassis/testing/until';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { readBillingConfig } from '../config.ts';
import { startStripeBilling } from '../payment/stripe-billing.fixture.ts';
import { startBilling } from '../service.ts';

/** From the first card to the last invoice; with `stripeMockUrl` stripe-mock checks every request. */
export function testSubscriptionOnStripe(name: string, options: { readonly stripeMockUrl?: string }): void {
  // Covers D-5.5
  test(`the life of a subscription on ${name}`, async () => {
    await using billing = await startStripeBilling(options);
    const { fixture, stripe, provider } = billing;
    const client = fixture.billing;
    const accountId = newId('acc');
    const asHolder = () => fixture.actingFor(accountId);
    const invoices = async () => {
      const listed = await client.listInvoices({ page: 1, limit: 100 }, asHolder());
      return listed.invoices.map(({ amountCents, status }) => `${amountCents} ${status}`);
    };
    const statusOf = async () => (await client.getBillingInfo({}, asHolder())).subscription?.status;
    /** Advances the clock and restarts, because a start does everything that is due. */
    const moveTo = async (time: string, done: () => Promise<boolean>) => {
      fixture.setNow(new Date(time));
      await using _another = await startBilling(readBillingConfig({}), fixture.context, { provider });
      await until(done, `what falls due by ${time}`);
    };

    await refusal(client.setPaymentMethod({ token: 'tok_chargeDeclined' }, asHolder()), 'PAYMENT_FAILED');
    await refusal(client.subscribe({ planId: 'plan_starter' }, asHolder()), 'PAYMENT_METHOD_REQUIRED');
    const { paymentMethod } = await client.setPaymentMethod({ token: 'tok_visa' }, asHolder());
    assert.equal(paymentMethod?.last4, '4242');
    const now = timestampFromDate(fixture.now());
    await refusal(client.setSandboxClock({ now }, asHolder()), 'NOT_FOUND');

    await client.subscribe({ planId: 'plan_starter' }, asHolder());
    assert.deepEqual(await invoices(), ['900 paid']);

    // 31 days from 14 March: 15.5 of them are left.
    fixture.setNow(new Date('2026-03-29T21:26:53Z'));
    const { proration } = await client.changePlan({ planId: 'plan_pro' }, asHolder());
    assert.equal(proration?.amountCents, 2_000n);
    assert.deepEqual(await invoices(), ['2000 paid', '900 paid']);

    const jobId = newId('job');
    const value = {
      jobId,
      status: 'completed',
      completedAt: timestampFromDate(fixture.now()),
      sourceDurationMs: 5_100n * 60_000n,
    };
    await fixture.tell(accountId, { case: 'splitStatusChanged', value }, { key: jobId });
    const usage = () => client.getUsage({ period: 'current' }, asHolder());
    await until(async () => (await usage()).overageCents === 100n, 'the overage is counted');
    await moveTo('2026-04-14T10:00:00Z', async () => (await invoices())[0] === '5000 paid');
    assert.equal(stripe.books.takenInAll(), 900 + 2_000 + 5_000);

    await client.setPaymentMethod({ token: 'tok_chargeCustomerFail' }, asHolder());
    await until(() => attachedMethods().length === 1, 'the replaced card is off the file');
    await moveTo('2026-05-14T10:00:00Z', async () => (await statusOf()) === 'past_due');
    assert.equal((await invoices())[0], '4900 open');
    await client.setPaymentMethod({ token: 'tok_mastercard' }, asHolder());
    assert.equal((await invoices())[0], '4900 paid');
    assert.equal(await statusOf(), 'active');

    await client.cancelSubscription({ immediate: true }, asHolder());
    await client.deletePaymentMethod({}, asHolder());
    await until(() => attachedMethods().length === 0, 'no card is left on file');
    assert.equal(stripe.books.takenInAll(), 900 + 2_000 + 5_000 + 4_900);
    assert.equal(stripe.books.customers.size, 1);
    await fixture.tell(accountId, { case: 'accountPurged', value: {} });
    await until(() => stripe.books.customers.size === 0, 'the customer is gone');

    function attachedMethods() {
      return [...stripe.books.methods.values()].filter(({ customer }) => customer !== null);
    }
  });
}
