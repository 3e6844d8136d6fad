/** Changes of an account while another change of it is in progress. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '@audiosplit/chassis/ids';
import type { Pool } from '@audiosplit/chassis/postgres/pool';
import { createLogger, silentLogger } from '@audiosplit/chassis/process/log';
import { type Event, EventSchema } from '@audiosplit/proto/events/v1/events';
import { create } from '@bufbuild/protobuf';
import { type BillingFixture, startBillingFixture } from '../billing.fixture.ts';
import type { BillingDependencies } from '../billing-dependencies.ts';
import { handleEvent } from '../events.ts';
import { setOverrides } from '../limits/set-overrides.ts';
import { removePaymentMethod, setPaymentMethod } from '../payment/change-payment-method.ts';
import { createSandboxProvider } from '../payment/sandbox.ts';
import { BILLING_SCHEMA } from '../schema.ts';
import { readPendingCharge } from '../store/charges.ts';
import { listInvoices } from '../store/invoices.ts';
import { subscribe } from './change-subscription.ts';

const NO_OVERRIDES = {
  requestsPerMinute: undefined,
  concurrentJobs: undefined,
  maxFileSizeBytes: undefined,
  monthlyMinutes: undefined,
  pricePerMonthCents: undefined,
  overageMillicentsPerMinute: undefined,
};

describe('concurrent changes', () => {
  let fixture: BillingFixture;
  let pool: Pool;
  let forgotten: string[] = [];
  const sandbox = createSandboxProvider();
  const queueForget = (customerId: string) => void forgotten.push(customerId);
  before(async () => {
    fixture = await startBillingFixture();
    pool = fixture.context.openPool(BILLING_SCHEMA, 4);
  });
  after(async () => {
    await pool.end();
    await fixture[Symbol.asyncDispose]();
  });

  const dependencies = (changes: Partial<BillingDependencies> = {}): BillingDependencies => ({
    pool,
    provider: sandbox,
    clock: fixture.now,
    wakeRelay: () => {},
    queueAdvance: () => {},
    queueDetach: () => {},
    queueForget,
    ...changes,
  });
  const away = () => ({ ...sandbox, charge: () => Promise.reject(new Error('no route to the provider')) });
  const withCard = async () => {
    const accountId = newId('acc');
    await setPaymentMethod(dependencies(), accountId, 'tok_visa');
    return accountId;
  };
  const purged = (accountId: string): Event =>
    create(EventSchema, { accountId, payload: { case: 'accountPurged', value: {} } });
  const toPurge = (log = silentLogger()) => ({
    pool,
    openStore: async () => fixture.store,
    queueForget,
    wakeRelay: () => {},
    log,
  });

  it('bills at the old price a period that ends while a new price is being set', async () => {
    const accountId = await withCard();
    await subscribe(dependencies(), accountId, 'plan_starter');
    const start = fixture.now();
    const passing = before2nd(pool, async () => fixture.setNow(new Date('2026-04-20T00:00:00Z')));
    const overrides = { ...NO_OVERRIDES, pricePerMonthCents: 77 };
    await setOverrides(dependencies({ pool: passing }), accountId, overrides);
    const { invoices } = await listInvoices(pool, accountId, { page: 1, limit: 9 });
    assert.deepEqual(
      invoices.map(({ amountCents }) => amountCents),
      [900, 900],
    );
    fixture.setNow(start);
  });

  it('keeps the card for a charge that starts while the card is being removed', async () => {
    const accountId = await withCard();
    const subscribing = before2nd(pool, async () => {
      await assert.rejects(subscribe(dependencies({ provider: away() }), accountId, 'plan_pro'));
    });
    await assert.rejects(removePaymentMethod(dependencies({ pool: subscribing }), accountId), {
      name: 'PaymentMethodInUseError',
    });
  });

  it('deletes the customer of a card that is added while its account is being purged', async () => {
    forgotten = [];
    const accountId = newId('acc');
    const attaching = beforeNth(pool, 1, async () => {
      await setPaymentMethod(dependencies(), accountId, 'tok_visa');
    });
    await handleEvent({ ...toPurge(), pool: attaching }, purged(accountId), fixture.now());
    assert.deepEqual(forgotten, [`sandbox_${accountId}`]);
  });

  it('deletes a card that is added after the purge of its account', async () => {
    const accountId = newId('acc');
    await handleEvent(toPurge(), purged(accountId), fixture.now());
    forgotten = [];
    const setting = setPaymentMethod(dependencies(), accountId, 'tok_visa');
    await assert.rejects(setting, { name: 'AccountPurgedError' });
    assert.deepEqual(forgotten, [`sandbox_${accountId}`]);
  });

  it('logs a charge that was pending when its account was purged', async () => {
    const accountId = await withCard();
    await assert.rejects(subscribe(dependencies({ provider: away() }), accountId, 'plan_pro'));
    const charge = await readPendingCharge(pool, accountId);
    const lines: string[] = [];
    const log = createLogger('test', 'error', { write: (line: string) => void lines.push(line) });
    await handleEvent(toPurge(log), purged(accountId), fixture.now());
    await handleEvent(toPurge(log), purged(accountId), fixture.now());
    assert.equal(lines.length, 1);
    assert.equal(JSON.parse(lines[0] ?? '').chargeId, charge?.id);
  });

  it('starts a subscription for free below the minimum charge', async () => {
    const accountId = await withCard();
    // The sandbox allows this price, the provider below does not.
    await setOverrides(dependencies(), accountId, { ...NO_OVERRIDES, pricePerMonthCents: 49 });
    const charge = () => assert.fail('charged below the minimum');
    const dear = { ...sandbox, minimumChargeCents: 50, charge };
    const { status, baseCents } = await subscribe(dependencies({ provider: dear }), accountId, 'plan_pro');
    assert.deepEqual([status, baseCents], ['active', 0]);
  });
});

const before2nd = (pool: Pool, between: () => Promise<void>) => beforeNth(pool, 2, between);

/** The same pool, but calls `between` before its `n`-th transaction. */
function beforeNth(pool: Pool, n: number, between: () => Promise<void>): Pool {
  let begun = 0;
  return new Proxy(pool, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      if (key !== 'connect') return value.bind(target);
      return async () => {
        begun += 1;
        if (begun === n) await between();
        return target.connect();
      };
    },
  });
}
