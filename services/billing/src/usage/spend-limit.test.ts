/**
 * The amount that an account allows minutes beyond its plan to cost, and the events at 80 and 100 percent.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { openHolder } from '../account-holder.fixture.ts';
import { startBillingFixture } from '../billing.fixture.ts';

const MINUTE_MS = 60_000;

describe('spend limit', () => {
  const fixture = forSuite(() => startBillingFixture({ relayPollMs: 50 }));

  function holder() {
    const opened = openHolder(fixture);
    const { accountId, options } = opened;
    return {
      ...opened,
      async subscribe(planId: string) {
        await opened.setCard('tok_visa');
        await opened.subscribe(planId);
      },
      async limit() {
        const { spendLimit } = await fixture.billing.getSpendLimit({}, options());
        return [spendLimit?.amountCents, spendLimit?.spentCents].map((cents) =>
          cents === undefined ? undefined : Number(cents),
        );
      },
      setLimit: (cents?: number) =>
        fixture.billing.setSpendLimit(cents === undefined ? {} : { amountCents: BigInt(cents) }, options()),
      async spendableMinutes() {
        const { spendableMs } = await opened.quota();
        return spendableMs === undefined ? undefined : Number(spendableMs) / MINUTE_MS;
      },
      isReached: async () => (await opened.limits())?.spendLimitReached,
      publishedLimit: async () => (await opened.limits())?.spendLimitCents,
      /** As `metric percent used/limit`, in order; waits until there are `count`. */
      async thresholds(count: number) {
        const events = await fixture.published('usageThreshold', accountId, count);
        return events.flatMap(({ payload }) => {
          if (payload.case !== 'usageThreshold') return [];
          const { metric, percent, used, limit } = payload.value;
          return [`${metric} ${percent} ${used}/${limit}`];
        });
      },
    };
  }

  async function subscriber(planId = 'plan_starter') {
    const ada = holder();
    await ada.subscribe(planId);
    return ada;
  }

  // Covers B-12.1 B-12.2
  it("is ten times the plan's price until it is set by hand, and then survives changes of plan", async () => {
    const ada = await subscriber();
    assert.deepEqual(await ada.limit(), [9_000, 0]);
    assert.equal(await ada.publishedLimit(), 9_000n);
    await ada.changePlan('plan_pro');
    assert.deepEqual(await ada.limit(), [49_000, 0]);
    await ada.setLimit(1_000);
    assert.equal(await ada.publishedLimit(), 1_000n);
    await ada.changePlan('plan_enterprise');
    assert.deepEqual(await ada.limit(), [1_000, 0]);
    await ada.setLimit();
    assert.deepEqual(await ada.limit(), [undefined, 0]);
    assert.equal(await ada.publishedLimit(), undefined);
    assert.equal(await ada.spendableMinutes(), undefined);
  });

  // Covers B-12.3
  it('NO_ACTIVE_SUBSCRIPTION on Free, INVALID_PARAMS for a figure below 0', async () => {
    const free = holder();
    await refusal(free.limit(), 'NO_ACTIVE_SUBSCRIPTION');
    await refusal(free.setLimit(1), 'NO_ACTIVE_SUBSCRIPTION');
    await refusal((await subscriber()).setLimit(-1), 'INVALID_PARAMS');
  });

  it('allows the included minutes and those that it can pay for, to the minute', async () => {
    const ada = await subscriber();
    await ada.setLimit(101);
    // 50 at two cents: the 51st would pass the limit.
    assert.equal(await ada.spendableMinutes(), 550);
    await ada.use(549.5);
    assert.equal(await ada.spendableMinutes(), 0.5);
    assert.deepEqual(await ada.limit(), [101, 100]);
    assert.equal(await ada.isReached(), true);
    await ada.setLimit(102);
    assert.equal(await ada.isReached(), false);
    assert.equal(await ada.spendableMinutes(), 1.5);
    await ada.setLimit(0);
    assert.equal(await ada.isReached(), true);
  });

  it('counts overage that an upgrade has billed, and does not count the new allowance', async () => {
    const ada = await subscriber();
    await ada.setLimit(200);
    await ada.use(600);
    assert.equal(await ada.isReached(), true);
    await ada.changePlan('plan_pro');
    assert.deepEqual(await ada.limit(), [200, 200]);
    assert.equal(await ada.isReached(), false);
    assert.equal(await ada.spendableMinutes(), 4_500);
  });

  it('starts again in each period', async () => {
    const ada = await subscriber();
    await ada.setLimit(0);
    await ada.use(500);
    assert.equal(await ada.isReached(), true);
    await ada.moveTo('2026-04-15T00:00:00Z');
    assert.equal(await ada.isReached(), false);
    assert.equal(await ada.spendableMinutes(), 500);
  });

  it('of a plan at an agreed price of 0 is computed from its list price', async () => {
    const ada = await subscriber();
    await ada.agree({ pricePerMonthCents: 0n });
    assert.deepEqual(await ada.limit(), [9_000, 0]);
  });

  // Covers B-12.6
  it('usage.threshold: 80 and 100 percent of minutes and of spend, once per period', async () => {
    const ada = await subscriber();
    await ada.setLimit(100);
    await ada.use(399);
    await ada.use(1);
    await ada.use(50);
    await ada.use(100);
    const first = ['minutes 80 400/500', 'minutes 100 550/500', 'spend 80 100/100', 'spend 100 100/100'];
    assert.deepEqual(await ada.thresholds(first.length), first);
    await ada.moveTo('2026-04-15T00:00:00Z');
    // On the account's clock the job counts in the new period.
    await ada.use(500);
    const both = [...first, 'minutes 80 500/500', 'minutes 100 500/500'];
    assert.deepEqual(await ada.thresholds(both.length), both);
  });

  it('usage.threshold names the period, also on Free', async () => {
    const free = holder();
    await free.use(48);
    assert.deepEqual(await free.thresholds(1), ['minutes 80 48/60']);
    const [event] = await fixture.published('usageThreshold', free.accountId, 1);
    assert.ok(event?.payload.case === 'usageThreshold');
    const { periodStart, periodEnd, accountId } = event.payload.value;
    assert.equal(accountId, free.accountId);
    assert.ok(periodStart && periodEnd);
    assert.deepEqual(
      [timestampDate(periodStart), timestampDate(periodEnd)].map((time) => time.toISOString()),
      ['2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'],
    );
  });
});
