/** An unpaid renewal, attempt by attempt. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '@audiosplit/chassis/ids';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type BillingFixture, startBillingFixture } from '../billing.fixture.ts';
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
  let fixture: BillingFixture;
  before(async () => {
    fixture = await startBillingFixture({ provider });
  });
  after(() => fixture[Symbol.asyncDispose]());

  // Covers D-5.6 D-5.23 D-5.24
  it('is tried eight times within fourteen days, with access kept, and then is unpaid', async () => {
    const billing = fixture.billing;
    const accountId = newId('acc');
    const as = () => fixture.actingFor(accountId);
    await billing.setPaymentMethod({ token: 'tok_visa' }, as());
    const { subscription } = await billing.subscribe({ planId: 'plan_pro' }, as());
    assert.ok(subscription?.currentPeriodEnd);
    await billing.setPaymentMethod({ token: 'tok_chargeCustomerFail' }, as());
    tried = 0;
    const end = timestampDate(subscription.currentPeriodEnd).getTime();
    const triesAfterHours: number[] = [];
    for (let hours = 0; hours <= 15 * 24; hours += 12) {
      const before = tried;
      const now = new Date(end + hours * HOUR_MS);
      await billing.setSandboxClock({ now: timestampFromDate(now) }, as());
      if (tried > before) triesAfterHours.push(hours);
      const { limits } = await billing.getLimits({ accountId });
      assert.equal(limits?.planId, tried < 8 ? 'plan_pro' : 'plan_free', `after ${hours} h`);
    }
    assert.equal(tried, 8);
    assert.deepEqual([triesAfterHours.length, triesAfterHours[0]], [8, 0]);
    const lastMs = (triesAfterHours.at(-1) ?? 0) * HOUR_MS;
    assert.ok(lastMs > 13 * DAY_MS && lastMs <= 14 * DAY_MS, `${lastMs} ms`);
    const pool = fixture.context.openPool(BILLING_SCHEMA, 1);
    const { rows } = await pool.query('select status from subscriptions where account_id = $1', [accountId]);
    await pool.end();
    assert.deepEqual(rows, [{ status: 'unpaid' }]);
  });
});
