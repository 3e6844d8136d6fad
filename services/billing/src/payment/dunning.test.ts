/** An unpaid renewal, attempt by attempt. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { openHolder } from '../account-holder.fixture.ts';
import { startBillingFixture } from '../billing.fixture.ts';
import { BILLING_SCHEMA } from '../schema.ts';
import type { PaymentProvider } from './payment-provider.ts';
import { createSandboxProvider } from './sandbox.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('a renewal that fails', () => {
  const sandbox = createSandboxProvider();
  let tried = 0;
  const provider: PaymentProvider = {
    ...sandbox,
    charge(request) {
      tried += 1;
      return sandbox.charge(request);
    },
  };
  const fixture = forSuite(() => startBillingFixture({ provider }));

  // Covers D-5.6 D-5.23 D-5.24
  it('is tried eight times within fourteen days, with access kept, and then becomes unpaid', async () => {
    const ada = openHolder(fixture);
    await ada.setCard('tok_visa');
    const { subscription } = await ada.subscribe('plan_pro');
    assert.ok(subscription?.currentPeriodEnd);
    await ada.setCard('tok_chargeCustomerFail');
    tried = 0;
    const end = timestampDate(subscription.currentPeriodEnd).getTime();
    const triesAfterHours: number[] = [];
    for (let hours = 0; hours <= 15 * 24; hours += 12) {
      const before = tried;
      await ada.moveTo(new Date(end + hours * HOUR_MS).toISOString());
      if (tried > before) triesAfterHours.push(hours);
      assert.equal((await ada.limits())?.planId, tried < 8 ? 'plan_pro' : 'plan_free', `after ${hours} h`);
    }
    assert.equal(tried, 8);
    assert.deepEqual([triesAfterHours.length, triesAfterHours[0]], [8, 0]);
    const lastMs = (triesAfterHours.at(-1) ?? 0) * HOUR_MS;
    assert.ok(lastMs > 13 * DAY_MS && lastMs <= 14 * DAY_MS, `${lastMs} ms`);
    const pool = fixture.context.openPool(BILLING_SCHEMA, 1);
    const { rows } = await pool.query('select status from subscriptions where account_id = $1', [
      ada.accountId,
    ]);
    await pool.end();
    assert.deepEqual(rows, [{ status: 'unpaid' }]);
  });
});
