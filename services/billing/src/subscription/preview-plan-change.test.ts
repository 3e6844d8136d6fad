import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import { openHolder } from '../account-holder.fixture.ts';
import { startBillingFixture } from '../billing.fixture.ts';

describe('preview of a plan change', () => {
  const fixture = forSuite(startBillingFixture);

  const day = (at: Timestamp | undefined) => at && timestampDate(at).toISOString().slice(0, 10);

  it('shows the price of a plan, and changes nothing', async () => {
    const ada = openHolder(fixture);
    const shown = async (planId: string) => {
      const { kind, amountDueCents, pricePerMonthCents, effectiveAt, nextChargeAt } =
        await ada.preview(planId);
      return [kind, Number(amountDueCents), Number(pricePerMonthCents), day(effectiveAt), day(nextChargeAt)];
    };
    assert.deepEqual(await shown('plan_pro'), ['subscribe', 4_900, 4_900, '2026-03-14', '2026-04-14']);
    await refusal(ada.preview('plan_free'), 'INVALID_PARAMS');
    await ada.setCard('tok_visa');
    await ada.subscribe('plan_starter');
    await refusal(ada.preview('plan_starter'), 'PLAN_UNCHANGED');
    await ada.moveTo('2026-03-29T21:26:53Z');
    assert.deepEqual(await shown('plan_pro'), ['upgrade', 2_000, 4_900, '2026-03-29', '2026-04-14']);
    assert.match((await ada.preview('plan_pro')).description, /Pro instead of Starter/);
    const { proration } = await ada.changePlan('plan_pro');
    assert.equal(proration?.amountCents, 2_000n);
    assert.deepEqual(await shown('plan_starter'), ['downgrade', 0, 900, '2026-04-14', '2026-04-14']);
    await ada.cancel();
    assert.deepEqual(await shown('plan_pro'), ['resume', 0, 4_900, '2026-03-29', '2026-04-14']);
    assert.equal((await ada.info()).subscription?.cancelAtPeriodEnd, true);
    assert.equal((await ada.invoices()).length, 2);
  });

  it('gives the maximum price: a higher one is rejected, and nothing is charged', async () => {
    const ada = openHolder(fixture);
    const charged = async () =>
      (await ada.invoices()).map(({ amountCents }) => Number(amountCents)).reverse();
    const price = async (planId: string) => (await ada.preview(planId)).amountDueCents;
    await ada.setCard('tok_visa');
    await refusal(ada.subscribe('plan_starter', 899n), 'PRICE_CHANGED');
    assert.equal((await ada.info()).subscription, undefined);
    await ada.subscribe('plan_starter', await price('plan_starter'));

    const shown = await price('plan_pro');
    // The price was shown shortly before the period ended. The next period is still complete.
    await ada.moveTo('2026-04-13T12:00:00Z');
    const shownLate = await price('plan_pro');
    assert.ok(shownLate < shown);
    await ada.moveTo('2026-04-15T00:00:00Z');
    await refusal(ada.changePlan('plan_pro', shownLate), 'PRICE_CHANGED');
    assert.deepEqual(await charged(), [900, 900]);
    const { proration } = await ada.changePlan('plan_pro', shown);
    assert.ok((proration?.amountCents ?? 0n) <= shown);
  });
});
