/** An invoice that could not be charged blocks further ones, and can be paid. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { openHolder } from '../account-holder.fixture.ts';
import { startBillingFixture } from '../billing.fixture.ts';
import type { PaymentProvider } from './payment-provider.ts';
import { createSandboxProvider } from './sandbox.ts';

const RENEWAL = '2026-04-14T10:00:00Z';
/** After the last attempt, within the period. */
const GIVEN_UP = '2026-04-29T00:00:00Z';

describe('debts', () => {
  const sandbox = createSandboxProvider();
  let charged: string[] = [];
  const provider: PaymentProvider = {
    ...sandbox,
    async charge(request) {
      const done = await sandbox.charge(request);
      charged.push(request.idempotencyKey);
      return done;
    },
  };
  const fixture = forSuite(() => startBillingFixture({ provider }));

  async function subscriber(planId = 'plan_starter') {
    const holder = openHolder(fixture);
    await holder.setCard('tok_visa');
    await holder.subscribe(planId);
    return { ...holder, subscribe: (to = planId) => holder.subscribe(to) };
  }

  /** Its renewal was never paid: the subscription is unpaid. */
  async function debtor() {
    const ada = await subscriber();
    await ada.setCard('tok_chargeCustomerFail');
    await ada.moveTo(RENEWAL);
    await ada.moveTo(GIVEN_UP);
    const [debt] = await ada.invoices();
    assert.equal(debt?.status, 'uncollectible');
    assert.equal((await ada.info()).subscription, undefined);
    return { ...ada, debt };
  }

  // Covers B-11.5 B-11.6 B-11.7
  it('INVOICE_UNPAID for a new subscription and its preview, until the invoice is paid', async () => {
    const ada = await debtor();
    for (const attempt of [ada.subscribe, ada.preview]) await refusal(attempt('plan_pro'), 'INVOICE_UNPAID');
    await refusal(ada.pay(ada.debt.id), 'PAYMENT_FAILED');
    assert.equal((await ada.invoices())[0]?.status, 'uncollectible');
    await ada.setCard('tok_visa');
    const { invoice } = await ada.pay(ada.debt.id);
    assert.deepEqual([invoice?.id, invoice?.status], [ada.debt.id, 'paid']);
    await refusal(ada.pay(ada.debt.id), 'INVOICE_ALREADY_PAID');
  });

  // Covers B-11.8
  it('that are paid within the period make the unpaid subscription active for the rest of it', async () => {
    const ada = await debtor();
    await ada.setCard('tok_visa');
    await ada.pay(ada.debt.id);
    const { subscription, plan } = await ada.info();
    assert.deepEqual([subscription?.status, plan?.id], ['active', 'plan_starter']);
    assert.deepEqual(subscription?.currentPeriodEnd, timestampFromDate(new Date('2026-05-14T09:26:53Z')));
    assert.equal((await ada.invoices()).length, 2);
    await ada.moveTo('2026-05-15T00:00:00Z');
    const [renewal] = await ada.invoices();
    assert.deepEqual([renewal?.status, renewal?.amountCents], ['paid', 900n]);
  });

  it('that are paid after the period start a new one, which is charged like a renewal', async () => {
    const ada = await debtor();
    await ada.moveTo('2026-07-01T12:00:00Z');
    await ada.setCard('tok_visa');
    await ada.pay(ada.debt.id);
    await ada.moveTo('2026-07-01T12:00:01Z');
    const { subscription } = await ada.info();
    assert.equal(subscription?.status, 'active');
    assert.equal(
      subscription?.currentPeriodEnd?.seconds,
      timestampFromDate(new Date('2026-08-01T12:00:00Z')).seconds,
    );
    const [fresh] = await ada.invoices();
    assert.deepEqual([fresh?.status, fresh?.amountCents], ['paid', 900n]);
    assert.equal((await ada.invoices()).length, 3);
  });

  it('that are paid twice concurrently are charged once', async () => {
    const ada = await debtor();
    await ada.setCard('tok_visa');
    charged = [];
    const paid = await Promise.allSettled([ada.pay(ada.debt.id), ada.pay(ada.debt.id)]);
    assert.ok(paid.some(({ status }) => status === 'fulfilled'));
    // Each may request the response, with the same key.
    assert.equal(new Set(charged).size, 1);
    assert.equal((await ada.invoices())[0]?.status, 'paid');
  });

  // Covers B-11.5
  it('INVOICE_UNPAID after the final invoice of an ended subscription could not be charged', async () => {
    const ada = await subscriber();
    await ada.use(600);
    await ada.moveTo('2026-03-20T00:00:00Z');
    await ada.setCard('tok_chargeCustomerFail');
    await ada.cancel(true);
    await ada.moveTo('2026-03-20T00:00:01Z');
    const [final] = await ada.invoices();
    assert.equal(final?.status, 'open');
    await ada.setCard('tok_chargeCustomerFail');
    await refusal(ada.subscribe(), 'INVOICE_UNPAID');
    await ada.setCard('tok_visa');
    // The new card has paid it.
    await refusal(ada.pay(final?.id ?? ''), 'INVOICE_ALREADY_PAID');
    await ada.subscribe();
  });

  it('do not block an upgrade while a renewal is being retried', async () => {
    const ada = await subscriber();
    await ada.setCard('tok_chargeCustomerFail');
    await ada.moveTo(RENEWAL);
    assert.equal((await ada.info()).subscription?.status, 'past_due');
    await refusal(ada.changePlan('plan_pro'), 'PAYMENT_FAILED');
  });

  it('can be paid at once while the invoice is open, which ends the retries', async () => {
    const ada = await subscriber();
    await ada.setCard('tok_chargeCustomerFail');
    await ada.moveTo(RENEWAL);
    const [open] = await ada.invoices();
    await refusal(ada.pay(open?.id ?? ''), 'PAYMENT_FAILED');
    await ada.setCard('tok_visa');
    assert.equal((await ada.info()).subscription?.status, 'active');
    await refusal(ada.pay(open?.id ?? ''), 'INVOICE_ALREADY_PAID');
  });

  // Covers B-11.7
  it('PAYMENT_METHOD_REQUIRED, INVOICE_NOT_PAYABLE, NOT_FOUND', async () => {
    const ada = await debtor();
    await ada.removeCard();
    await refusal(ada.pay(ada.debt.id), 'PAYMENT_METHOD_REQUIRED');
    const bob = await subscriber();
    await refusal(bob.pay(ada.debt.id), 'NOT_FOUND');
    await refusal(bob.pay('inv_nothing'), 'NOT_FOUND');
    const pool = fixture.context.openPool('billing', 1);
    await pool.query("update invoices set status = 'void', paid_at = null where account_id = $1", [
      bob.accountId,
    ]);
    await pool.end();
    await refusal(bob.pay((await bob.invoices())[0]?.id ?? ''), 'INVOICE_NOT_PAYABLE');
  });
});
