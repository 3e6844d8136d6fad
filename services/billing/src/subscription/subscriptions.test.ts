import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runWithIdempotencyKey } from '@audiosplit/chassis/idempotency/idempotency-key';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { until } from '@audiosplit/chassis/testing/until';
import type { Invoice } from '@audiosplit/proto/billing/v1/billing';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { openHolder } from '../account-holder.fixture.ts';
import { startBillingFixture } from '../billing.fixture.ts';
import { readBillingConfig } from '../config.ts';
import type { ChargeRequest, PaymentProvider } from '../payment/payment-provider.ts';
import { createSandboxProvider } from '../payment/sandbox.ts';
import { startBilling } from '../service.ts';

/** Records every charge, and a provider that fails on demand. */
function watchedProvider() {
  const sandbox = createSandboxProvider();
  const charged = new Map<string, ChargeRequest>();
  const faults: ('before' | 'after')[] = [];
  const provider: PaymentProvider = {
    ...sandbox,
    async charge(request) {
      const fault = faults.shift();
      if (fault === 'before') throw new Error('no route to the provider');
      const result = await sandbox.charge(request);
      charged.set(request.idempotencyKey, request);
      if (fault === 'after') throw new Error('the answer was lost');
      return result;
    },
  };
  const totalOf = (accountId: string) =>
    [...charged.values()]
      .filter(({ method }) => method.customerId === `sandbox_${accountId}`)
      .reduce((sum, { amountCents }) => sum + amountCents, 0);
  return { provider, faults, totalOf };
}

describe('subscriptions', () => {
  const { provider, faults, totalOf } = watchedProvider();
  const fixture = forSuite(() => startBillingFixture({ provider }));

  const holder = async (token?: string) => {
    const opened = openHolder(fixture);
    if (token !== undefined) await opened.setCard(token);
    return opened;
  };

  const brief = ({ amountCents, status, periodStart, periodEnd }: Invoice) => [
    Number(amountCents),
    status,
    day(periodStart),
    day(periodEnd),
  ];
  const day = (timestamp: Invoice['periodStart']) =>
    timestamp === undefined ? '' : timestampDate(timestamp).toISOString().slice(0, 10);

  it('starts with a payment: plan, limits and a paid invoice with a running number [I-3.2.1 I-3.2.2 D-5.8]', async () => {
    const ada = await holder('tok_visa');
    const { subscription } = await ada.subscribe('plan_pro');
    assert.match(subscription?.id ?? '', /^sub_/);
    assert.equal(subscription?.planId, 'plan_pro');
    assert.equal(subscription.status, 'active');
    assert.deepEqual(subscription.currentPeriodStart, timestampFromDate(new Date('2026-03-14T09:26:53Z')));
    assert.deepEqual(subscription.currentPeriodEnd, timestampFromDate(new Date('2026-04-14T09:26:53Z')));
    const invoices = await ada.invoices();
    assert.deepEqual(invoices.map(brief), [[4_900, 'paid', '2026-03-14', '2026-04-14']]);
    assert.match(invoices[0]?.number ?? '', /^INV-202603-\d{6}$/);
    assert.equal(totalOf(ada.accountId), 4_900);
    const info = await ada.info();
    assert.equal(info.plan?.id, 'plan_pro');
    assert.equal(info.paymentMethod?.last4, '4242');
    assert.equal((await ada.limits())?.concurrentJobs, 20);
    const [event] = await fixture.published('accountLimitsChanged', ada.accountId, 1);
    assert(event?.payload.case === 'accountLimitsChanged');
    assert.equal(event.payload.value.limits?.planId, 'plan_pro');
    assert.equal(event.payload.value.limits.overageAllowed, true);
    await refusal(ada.subscribe('plan_starter'), 'ALREADY_SUBSCRIBED');
    await refusal(ada.removeCard(), 'ACTIVE_SUBSCRIPTION');
  });

  it('changes nothing without a card, with a declined card, or for an unknown plan [D-5.2 D-5.3 D-9.3 D-5.4]', async () => {
    const bare = await holder();
    await refusal(bare.subscribe('plan_pro'), 'PAYMENT_METHOD_REQUIRED');
    await refusal(bare.setCard('tok_chargeDeclined'), 'PAYMENT_FAILED');
    await refusal(bare.setCard('tok_unknown'), 'PAYMENT_FAILED');
    await refusal(bare.removeCard(), 'NOT_FOUND');
    assert.equal((await bare.info()).paymentMethod, undefined);
    const broke = await holder('tok_chargeCustomerFail');
    await refusal(broke.subscribe('plan_pro'), 'PAYMENT_FAILED');
    await refusal(broke.subscribe('plan_free'), 'INVALID_PARAMS');
    await refusal(broke.changePlan('plan_pro'), 'NO_ACTIVE_SUBSCRIPTION');
    await refusal(broke.cancel(), 'NO_ACTIVE_SUBSCRIPTION');
    assert.equal((await broke.info()).subscription, undefined);
    assert.deepEqual(await broke.invoices(), []);
    assert.equal((await broke.limits())?.planId, 'plan_free');
    await broke.removeCard();
    assert.equal((await broke.info()).paymentMethod, undefined);
  });

  it('upgrades at once, for the rest of the period [I-3.2.3 D-5.13 D-5.14 D-5.16]', async () => {
    const ada = await holder('tok_visa');
    await ada.subscribe('plan_starter');
    // 31 days from 14 March: 15.5 of them are left.
    await ada.moveTo('2026-03-29T21:26:53Z');
    const { subscription, proration } = await ada.changePlan('plan_pro');
    assert.equal(subscription?.planId, 'plan_pro');
    assert.equal(proration?.amountCents, 2_000n);
    assert.match(proration.description, /Pro instead of Starter/);
    assert.deepEqual((await ada.invoices()).map(brief), [
      [2_000, 'paid', '2026-03-29', '2026-04-14'],
      [900, 'paid', '2026-03-14', '2026-04-14'],
    ]);
    assert.equal((await ada.limits())?.monthlyMinutes, 5_000);
    const usage = await ada.usage();
    assert.equal(usage.basePlanCents, 2_900n);
    assert.equal(usage.minutesIncluded, 5_000n);
    await refusal(ada.changePlan('plan_pro'), 'PLAN_UNCHANGED');
    await ada.setCard('tok_chargeCustomerFail');
    await refusal(ada.changePlan('plan_enterprise'), 'PAYMENT_FAILED');
    assert.equal((await ada.info()).plan?.id, 'plan_pro');
  });

  it('downgrades with the next period, unless that is canceled [I-3.2.4 D-5.15 D-5.16]', async () => {
    const ada = await holder('tok_visa');
    await ada.subscribe('plan_pro');
    const { subscription, proration } = await ada.changePlan('plan_starter');
    assert.equal(subscription?.planId, 'plan_pro');
    assert.equal(subscription.scheduledPlanId, 'plan_starter');
    assert.equal(proration, undefined);
    assert.equal((await ada.changePlan('plan_pro')).subscription?.scheduledPlanId, undefined);
    await refusal(ada.changePlan('plan_pro'), 'PLAN_UNCHANGED');
    await ada.changePlan('plan_starter');
    await ada.moveTo('2026-04-14T09:26:53Z');
    assert.equal((await ada.info()).plan?.id, 'plan_starter');
    assert.equal((await ada.info()).subscription?.scheduledPlanId, undefined);
    assert.deepEqual((await ada.invoices()).map(brief), [
      [900, 'paid', '2026-04-14', '2026-05-14'],
      [4_900, 'paid', '2026-03-14', '2026-04-14'],
    ]);
    assert.equal((await ada.limits())?.monthlyMinutes, 500);
  });

  it('renews with the fee in advance and the overage in arrears, on one invoice [D-5.22 D-3.15 D-5.12 I-8.13]', async () => {
    const ada = await holder('tok_visa');
    await ada.subscribe('plan_starter');
    await ada.use(600);
    const running = await ada.usage();
    assert.equal(running.minutesOverage, 100n);
    assert.equal(running.overageCents, 200n);
    assert.equal(running.totalCents, 1_100n);
    await ada.moveTo('2026-04-20T00:00:00Z');
    assert.deepEqual((await ada.invoices()).map(brief)[0], [1_100, 'paid', '2026-04-14', '2026-05-14']);
    const previous = await ada.usage('previous');
    assert.deepEqual(
      [previous.minutesProcessed, previous.minutesOverage, previous.basePlanCents, previous.overageCents],
      [600n, 100n, 900n, 200n],
    );
    assert.deepEqual(await ada.usage('2026-03'), previous);
    assert.equal((await ada.usage()).minutesProcessed, 0n);
    // A late job counts for the open period only.
    await ada.use(501);
    await ada.moveTo('2026-05-14T09:26:53Z');
    assert.deepEqual((await ada.invoices()).map(brief)[0], [902, 'paid', '2026-05-14', '2026-06-14']);
  });

  it('keeps its day of the month after shorter months [D-5.10]', async () => {
    const ada = await holder('tok_visa');
    await ada.moveTo('2026-08-31T10:00:00Z');
    await ada.subscribe('plan_starter');
    await ada.moveTo('2027-03-31T10:00:00Z');
    const days = (await ada.invoices()).map((invoice) => day(invoice.periodStart)).toReversed();
    assert.deepEqual(days, [
      '2026-08-31',
      '2026-09-30',
      '2026-10-31',
      '2026-11-30',
      '2026-12-31',
      '2027-01-31',
      '2027-02-28',
      '2027-03-31',
    ]);
  });

  it('ends with the period when canceled, and charges no more [I-3.2.5 D-5.20 D-5.21 D-9.5]', async () => {
    const ada = await holder('tok_visa');
    await ada.subscribe('plan_pro');
    for (const _ of ['once', 'again']) {
      const { subscription } = await ada.cancel();
      assert.equal(subscription?.status, 'active');
      assert.equal(subscription.cancelAtPeriodEnd, true);
    }
    assert.equal((await ada.changePlan('plan_pro')).subscription?.cancelAtPeriodEnd, false);
    await ada.cancel();
    await ada.moveTo('2026-06-01T00:00:00Z');
    assert.equal((await ada.info()).subscription, undefined);
    assert.equal((await ada.info()).plan?.id, 'plan_free');
    assert.equal((await ada.invoices()).length, 1);
    await ada.removeCard();
    await refusal(ada.cancel(), 'NO_ACTIVE_SUBSCRIPTION');
  });

  it('ends at once when canceled immediately: overage is billed, nothing refunded, then Free [D-5.18 D-5.6]', async () => {
    const ada = await holder('tok_visa');
    await ada.subscribe('plan_starter');
    await ada.use(550);
    await ada.moveTo('2026-03-20T00:00:00Z');
    const { subscription } = await ada.cancel(true);
    assert.equal(subscription?.status, 'canceled');
    assert.equal(subscription.cancelAtPeriodEnd, false);
    assert.deepEqual(subscription.currentPeriodEnd, timestampFromDate(new Date('2026-03-20T00:00:00Z')));
    await until(async () => (await ada.invoices())[0]?.status === 'paid', 'the final invoice');
    assert.deepEqual((await ada.invoices()).map(brief), [
      [100, 'paid', '2026-03-14', '2026-03-20'],
      [900, 'paid', '2026-03-14', '2026-04-14'],
    ]);
    const usage = await ada.usage();
    assert.equal(usage.minutesIncluded, 60n);
    assert.equal(usage.minutesProcessed, 0n, 'what was paid for does not eat up the Free minutes');
    assert.equal(day(usage.periodStart), '2026-03-20');
    assert.equal((await ada.usage('previous')).minutesProcessed, 550n);
    assert.equal((await ada.quota()).remainingMs, 3_600_000n);
    await ada.subscribe('plan_pro');
    assert.equal((await ada.info()).plan?.id, 'plan_pro');
  });

  it('tries a failed renewal eight times in fourteen days, then falls back to Free [D-5.23 D-5.24 D-5.7 D-5.6]', async () => {
    const ada = await holder('tok_visa');
    await ada.subscribe('plan_pro');
    await ada.setCard('tok_chargeCustomerFail');
    await ada.moveTo('2026-04-14T10:00:00Z');
    assert.equal((await ada.info()).subscription?.status, 'past_due');
    assert.equal((await ada.limits())?.planId, 'plan_pro', 'access is kept');
    await ada.moveTo('2026-04-28T09:00:00Z');
    assert.equal((await ada.info()).subscription?.status, 'past_due');
    await ada.moveTo('2026-04-28T10:00:00Z');
    assert.equal((await ada.info()).subscription, undefined);
    assert.equal((await ada.limits())?.planId, 'plan_free');
    assert.deepEqual((await ada.invoices()).map(brief)[0], [
      4_900,
      'uncollectible',
      '2026-04-14',
      '2026-05-14',
    ]);
    assert.equal(totalOf(ada.accountId), 4_900);
    await ada.moveTo('2026-09-01T00:00:00Z');
    assert.equal((await ada.invoices()).length, 2);
  });

  it('charges open invoices as soon as there is a new card [D-5.7]', async () => {
    const ada = await holder('tok_visa');
    await ada.subscribe('plan_pro');
    await ada.setCard('tok_chargeCustomerFail');
    await ada.moveTo('2026-04-16T00:00:00Z');
    assert.deepEqual((await ada.invoices()).map(brief)[0], [4_900, 'open', '2026-04-14', '2026-05-14']);
    await ada.setCard('tok_mastercard');
    assert.equal((await ada.info()).subscription?.status, 'active');
    assert.deepEqual((await ada.invoices()).map(brief)[0], [4_900, 'paid', '2026-04-14', '2026-05-14']);
  });

  it('charges once for concurrent requests and lost responses', async () => {
    const ada = await holder('tok_visa');
    const attempts = await Promise.allSettled(Array.from({ length: 6 }, () => ada.subscribe('plan_starter')));
    assert.equal(attempts.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.equal(totalOf(ada.accountId), 900);
    assert.equal((await ada.invoices()).length, 1);

    for (const fault of ['before', 'after'] as const) {
      const bob = await holder('tok_visa');
      faults.push(fault);
      await refusal(bob.subscribe('plan_starter'), 'SERVICE_UNAVAILABLE');
      assert.equal((await bob.info()).subscription, undefined);
      // The next request settles the charge first.
      await refusal(bob.subscribe('plan_starter'), 'ALREADY_SUBSCRIBED');
      assert.equal(totalOf(bob.accountId), 900, fault);
      assert.equal((await bob.invoices()).length, 1);
    }
  });

  it('repeats the lost response for the same request, and charges once', async () => {
    for (const fault of ['before', 'after'] as const) {
      const ada = await holder('tok_visa');
      const key = { scope: ada.accountId, key: 'one', fingerprint: 'f', replayed: false };
      const ask = () => runWithIdempotencyKey(key, () => ada.subscribe('plan_starter'));
      faults.push(fault);
      await refusal(ask(), 'SERVICE_UNAVAILABLE');
      const { subscription } = await ask();
      assert.equal(subscription?.status, 'active');
      assert.equal(key.replayed, false);
      assert.deepEqual((await ask()).subscription, subscription);
      assert.equal(key.replayed, true);
      const change = { scope: ada.accountId, key: 'two', fingerprint: 'f', replayed: false };
      const raise = () => runWithIdempotencyKey(change, () => ada.changePlan('plan_pro'));
      faults.push(fault);
      await refusal(raise(), 'SERVICE_UNAVAILABLE');
      const crowd = await Promise.allSettled([raise(), raise(), raise()]);
      const first = await raise();
      assert.match(first.proration?.description ?? '', /Pro instead of Starter/);
      for (const one of crowd) if (one.status === 'fulfilled') assert.deepEqual(one.value, first);
      assert.equal(totalOf(ada.accountId), 4_900, fault);
      assert.equal((await ada.invoices()).length, 2);
      await ada.cancel(true);
    }
  });

  it('numbers invoices without a gap, also after declined charges [D-5.8 D-9.6]', async () => {
    const holders = await Promise.all(
      Array.from({ length: 8 }, (_, n) => holder(n % 2 === 0 ? 'tok_visa' : 'tok_chargeCustomerFail')),
    );
    await Promise.allSettled(holders.map((each) => each.subscribe('plan_starter')));
    const numbers = (await Promise.all(holders.map((each) => each.invoices())))
      .flat()
      .map(({ number }) => Number(number.slice(-6)))
      .sort((a, b) => a - b);
    assert.equal(numbers.length, 4);
    assert.equal((numbers.at(-1) ?? 0) - (numbers[0] ?? 0), 3);
  });

  it('moves the sandbox clock forward only, and at most ten years [D-9.1 D-5.26]', async () => {
    const ada = await holder();
    await refusal(ada.moveTo('2026-03-14T09:26:52Z'), 'INVALID_PARAMS');
    await refusal(ada.moveTo('2036-03-15T00:00:00Z'), 'INVALID_PARAMS');
    await ada.moveTo('2026-05-01T00:00:00Z');
    await refusal(ada.moveTo('2026-04-30T00:00:00Z'), 'INVALID_PARAMS');
    assert.equal(day((await ada.usage()).periodStart), '2026-05-01');
  });

  it('stores a matching PDF of every invoice', async () => {
    const ada = await holder('tok_visa');
    await fixture.tell(ada.accountId, {
      case: 'accountRegistered',
      value: { email: 'ada@example.com', name: 'Ada Löwe' },
    });
    await ada.subscribe('plan_pro');
    const [invoice] = await ada.invoices();
    const { body, contentType } = await fixture.store.get(invoice?.pdfObjectKey ?? '');
    const pdf = Buffer.concat(await body.toArray());
    assert.equal(contentType, 'application/pdf');
    assert.match(pdf.toString('latin1'), /^%PDF-1\.\d[\s\S]*%%EOF\s*$/);
  });

  it('renews on time by itself, and settles abandoned charges', async () => {
    const [ada, bob] = [await holder('tok_visa'), await holder('tok_visa')];
    await ada.subscribe('plan_starter');
    faults.push('after');
    await refusal(bob.subscribe('plan_pro'), 'SERVICE_UNAVAILABLE');
    const before = fixture.now();
    fixture.setNow(new Date('2026-04-14T09:26:53Z'));
    // A start runs everything that is due.
    await using _another = await startBilling(readBillingConfig({}), fixture.context, { provider });
    await until(async () => (await ada.invoices()).length === 2, 'the renewal');
    await until(async () => (await bob.info()).plan?.id === 'plan_pro', 'the abandoned charge');
    assert.equal(totalOf(bob.accountId) % 4_900, 0);
    await until(async () => {
      const pdf = (await ada.invoices())[0]?.pdfObjectKey ?? '';
      return (await fixture.store.head(pdf)).sizeBytes > 0;
    }, 'the invoice is drawn');
    fixture.setNow(before);
  });
});
