/** A minute is priced when it is metered. A later change of the plan or the overrides does not change its price. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { until } from '@audiosplit/chassis/testing/until';
import { openHolder } from '../account-holder.fixture.ts';
import { startBillingFixture } from '../billing.fixture.ts';
import type { PaymentProvider } from '../payment/payment-provider.ts';
import { createSandboxProvider } from '../payment/sandbox.ts';

const LATER = '2026-03-20T00:00:00Z';
const LAST_HOUR = '2026-04-14T08:56:53Z';
const LAST_SECOND = '2026-04-14T08:59:59Z';
const RENEWED = '2026-04-15T00:00:00Z';

describe('overage', () => {
  const sandbox = createSandboxProvider();
  let isAway = false;
  let minimumChargeCents = sandbox.minimumChargeCents;
  const provider: PaymentProvider = {
    ...sandbox,
    get minimumChargeCents() {
      return minimumChargeCents;
    },
    async charge(request) {
      if (isAway) throw new Error('no route to the provider');
      return sandbox.charge(request);
    },
  };
  const fixture = forSuite(() => startBillingFixture({ provider }));

  async function subscriber(planId: string) {
    const holder = openHolder(fixture);
    await holder.setCard('tok_visa');
    await holder.subscribe(planId);
    return {
      ...holder,
      use: (seconds: number, completedAt = fixture.now()) => holder.use(seconds / 60, completedAt),
      quotaMs: async () => (await holder.quota()).remainingMs,
      async usage(period = 'current') {
        const usage = await holder.usage(period);
        const { minutesProcessed, minutesIncluded, minutesOverage } = usage;
        return {
          minutes: [minutesProcessed, minutesIncluded, minutesOverage].map(Number),
          cents: [usage.basePlanCents, usage.overageCents, usage.totalCents].map(Number),
        };
      },
      /** Newest first, each with its lines. */
      async invoices() {
        const invoices = await holder.invoices({ withLines: true });
        return invoices.map(({ status, amountCents, lines }) => ({
          status,
          amount: Number(amountCents),
          lines: lines.map((line) => `${line.amountCents} ${line.description}`),
        }));
      },
    };
  }

  // Covers B-11.2 B-11.3
  it('is billed by an upgrade in the last hour of a period, and does not use up the new allowance', async () => {
    const ada = await subscriber('plan_starter');
    await ada.use(600 * 60);
    await ada.moveTo(LAST_HOUR);
    const { amountDueCents, overageDueCents } = await ada.preview('plan_pro');
    assert.deepEqual([amountDueCents, overageDueCents], [203n, 200n]);
    const { proration } = await ada.changePlan('plan_pro', amountDueCents);
    assert.equal(proration?.amountCents, 3n);
    const [upgrade] = await ada.invoices();
    assert.deepEqual(upgrade, {
      status: 'paid',
      amount: 203,
      lines: [
        '3 Move from Starter to Pro, until 14 April 2026',
        '200 100 minutes beyond the 500 included at $0.02 each, 14 March 2026 to 14 April 2026',
      ],
    });
    assert.deepEqual(await ada.usage(), { minutes: [600, 5_000, 100], cents: [903, 200, 1_103] });
    assert.equal(await ada.quotaMs(), 4_500n * 60_000n);
    // 4,500 minutes are left of the new allowance.
    await ada.use(4_501 * 60);
    assert.deepEqual(await ada.usage(), { minutes: [5_101, 5_000, 101], cents: [903, 201, 1_104] });
    await ada.moveTo(RENEWED);
    const [renewal] = await ada.invoices();
    assert.deepEqual(renewal?.lines, [
      '4900 Pro plan, 14 April 2026 to 14 May 2026',
      '1 1 minute beyond the 5000 included at $0.01 each, 14 March 2026 to 14 April 2026',
    ]);
    assert.deepEqual(await ada.usage('previous'), { minutes: [5_101, 5_000, 101], cents: [903, 201, 1_104] });
    assert.deepEqual(await ada.usage(), { minutes: [0, 5_000, 0], cents: [4_900, 0, 4_900] });
  });

  it('counts a started minute once, before or after the upgrade', async () => {
    const ada = await subscriber('plan_starter');
    await ada.use(500 * 60 + 1);
    await ada.changePlan('plan_pro');
    assert.deepEqual((await ada.usage()).minutes, [501, 5_000, 1]);
    await ada.use(59);
    assert.deepEqual((await ada.usage()).minutes, [501, 5_000, 1]);
    assert.equal(await ada.quotaMs(), 4_500n * 60_000n);
    await ada.use(4_500 * 60);
    assert.deepEqual((await ada.usage()).minutes, [5_001, 5_000, 1]);
    await ada.use(1);
    assert.deepEqual((await ada.usage()).minutes, [5_002, 5_000, 2]);
  });

  // Covers B-11.4
  it('stays unchanged if the charge for the upgrade fails', async () => {
    const ada = await subscriber('plan_starter');
    await ada.use(600 * 60);
    const before = await ada.usage();
    await ada.setCard('tok_chargeCustomerFail');
    for (const _ of ['once', 'again']) await refusal(ada.changePlan('plan_pro'), 'PAYMENT_FAILED');
    assert.deepEqual(await ada.usage(), before);
    assert.equal((await ada.invoices()).length, 1);
    await ada.setCard('tok_visa');
    await ada.use(50 * 60);
    await ada.moveTo(RENEWED);
    assert.deepEqual((await ada.invoices())[0]?.lines, [
      '900 Starter plan, 14 April 2026 to 14 May 2026',
      '300 150 minutes beyond the 500 included at $0.02 each, 14 March 2026 to 14 April 2026',
    ]);
  });

  it('of jobs that end while the charge is pending is priced by the old plan and billed with the period', async () => {
    const ada = await subscriber('plan_starter');
    await ada.use(600 * 60);
    isAway = true;
    await refusal(ada.changePlan('plan_pro'), 'SERVICE_UNAVAILABLE');
    await ada.use(10 * 60);
    isAway = false;
    await ada.setCard('tok_visa');
    assert.deepEqual(
      (await ada.invoices())[0]?.lines.map((line) => line.split(' ')[0]),
      ['4000', '200'],
    );
    assert.deepEqual(await ada.usage(), { minutes: [610, 5_000, 110], cents: [4_900, 220, 5_120] });
    await ada.moveTo(RENEWED);
    assert.deepEqual((await ada.invoices())[0]?.lines, [
      '4900 Pro plan, 14 April 2026 to 14 May 2026',
      '20 10 minutes beyond the 500 included at $0.02 each, 14 March 2026 to 14 April 2026',
    ]);
  });

  // Covers B-11.1
  it('of a job that completed before an upgrade and is counted after it has the old price', async () => {
    const ada = await subscriber('plan_starter');
    await ada.use(600 * 60);
    await ada.moveTo(LATER);
    const completedAt = new Date(fixture.now().getTime() - 1);
    await ada.changePlan('plan_pro');
    await ada.use(10 * 60, completedAt);
    assert.deepEqual(await ada.usage(), { minutes: [610, 5_000, 110], cents: [4_177, 220, 4_397] });
    assert.equal(await ada.quotaMs(), 4_500n * 60_000n);
    await ada.moveTo(RENEWED);
    assert.deepEqual((await ada.invoices())[0]?.lines, [
      '4900 Pro plan, 14 April 2026 to 14 May 2026',
      '20 10 minutes beyond the 500 included at $0.02 each, 14 March 2026 to 14 April 2026',
    ]);
  });

  it('of a job that completed before a change of overrides and is counted after it has the old price', async () => {
    const ada = await subscriber('plan_starter');
    await ada.use(500 * 60);
    await ada.moveTo(LATER);
    const completedAt = new Date(fixture.now().getTime() - 1);
    await ada.agree({ overageMillicentsPerMinute: 5_000n });
    await ada.use(60, completedAt);
    await ada.use(60);
    assert.deepEqual(await ada.usage(), { minutes: [502, 500, 2], cents: [900, 7, 907] });
  });

  it('of an upgrade in the last second of a period is billed once, in either order of upgrade and renewal', async () => {
    for (const order of ['upgrade first', 'renewal first'] as const) {
      const ada = await subscriber('plan_starter');
      await ada.use(600 * 60);
      await ada.moveTo(LAST_SECOND);
      const change = ada.changePlan('plan_pro');
      if (order === 'upgrade first') await change;
      await Promise.allSettled([change, ada.moveTo(RENEWED)]);
      const lines = (await ada.invoices()).flatMap((invoice) => invoice.lines);
      const overage = lines.filter((line) => line.includes('beyond the 500 included'));
      assert.deepEqual(
        overage.map((line) => line.split(' at ')[0]),
        ['200 100 minutes beyond the 500 included'],
        order,
      );
    }
  });

  it('is billed at the end of the period if an upgrade is below the minimum charge', async () => {
    const ada = await subscriber('plan_starter');
    await ada.use(510 * 60);
    await ada.moveTo(LAST_HOUR);
    minimumChargeCents = 50;
    try {
      assert.equal((await ada.preview('plan_pro')).amountDueCents, 0n);
      const { proration } = await ada.changePlan('plan_pro');
      assert.equal(proration?.amountCents, 0n);
      assert.equal((await ada.invoices()).length, 1);
      assert.deepEqual(await ada.usage(), { minutes: [510, 5_000, 10], cents: [900, 20, 920] });
      await ada.moveTo(RENEWED);
      assert.equal((await ada.invoices())[0]?.amount, 4_920);
    } finally {
      minimumChargeCents = sandbox.minimumChargeCents;
    }
  });

  it('is billed by each upgrade, and the rest by an immediate cancellation', async () => {
    const ada = await subscriber('plan_starter');
    await ada.use(600 * 60);
    await ada.changePlan('plan_pro');
    await ada.use(4_600 * 60);
    await ada.changePlan('plan_enterprise');
    assert.deepEqual(
      (await ada.invoices())[0]?.lines.map((line) => line.split(',')[0]),
      ['25000 Move from Pro to Enterprise', '100 100 minutes beyond the 5000 included at $0.01 each'],
    );
    await ada.use(45_002 * 60);
    await ada.moveTo('2026-03-20T00:00:00Z');
    await ada.cancel(true);
    await until(async () => (await ada.invoices())[0]?.status === 'paid', 'the final invoice is paid');
    assert.deepEqual((await ada.invoices())[0]?.lines, [
      '2 2 minutes beyond the 50000 included at $0.008 each, 14 March 2026 to 20 March 2026',
    ]);
    assert.deepEqual((await ada.usage('previous')).minutes, [50_202, 50_000, 202]);
  });

  it('above the agreed maximum is rejected with the upgrade', async () => {
    const ada = await subscriber('plan_starter');
    const { amountDueCents } = await ada.preview('plan_pro');
    await ada.use(600 * 60);
    await refusal(ada.changePlan('plan_pro', amountDueCents), 'PRICE_CHANGED');
    assert.deepEqual((await ada.usage()).minutes, [600, 500, 100]);
  });

  it('keeps its price and allowance when an operator changes the overrides', async () => {
    const ada = await subscriber('plan_starter');
    await ada.use(510 * 60);
    // A higher price from now on. The ten minutes so far stay at two cents.
    await ada.agree({ overageMillicentsPerMinute: 5_000n });
    await ada.use(60);
    assert.deepEqual(await ada.usage(), { minutes: [511, 500, 11], cents: [900, 25, 925] });
    // A smaller allowance from now on. Minutes that were included stay included.
    await ada.agree({ overageMillicentsPerMinute: 5_000n, monthlyMinutes: 100 });
    assert.deepEqual(await ada.usage(), { minutes: [511, 100, 11], cents: [900, 25, 925] });
    // A larger allowance from now on. The overage so far does not use it up.
    await ada.agree({ monthlyMinutes: 520 });
    await ada.use(21 * 60);
    assert.deepEqual(await ada.usage(), { minutes: [532, 520, 12], cents: [900, 27, 927] });
    await ada.moveTo(RENEWED);
    assert.deepEqual(
      (await ada.invoices())[0]?.lines.slice(1).map((line) => line.split(',')[0]),
      [
        '20 10 minutes beyond the 500 included at $0.02 each',
        '5 1 minute beyond the 500 included at $0.05 each',
        '2 1 minute beyond the 520 included at $0.02 each',
      ],
    );
  });

  it('is rounded once for all minutes with the same terms, even if the terms changed in between', async () => {
    const ada = await subscriber('plan_starter');
    const terms = { monthlyMinutes: 0, overageMillicentsPerMinute: 1_400n };
    for (const figures of [terms, { monthlyMinutes: 0 }, terms]) {
      await ada.agree(figures);
      await ada.use(60);
    }
    // 2 x 1.4 and 2 cents: 3 and 2.
    assert.deepEqual((await ada.usage()).cents, [900, 5, 905]);
    await ada.moveTo(RENEWED);
    assert.equal((await ada.invoices())[0]?.amount, 905);
  });
});
