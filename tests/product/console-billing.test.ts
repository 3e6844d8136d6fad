/** Money in the console: a price is shown first, then charged once, and listed on an invoice. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { consoleRouter } from '@audiosplit/gateway/console/router';
import { assertTextRule, codeOf, signUp } from '../harness/installation/console.fixture.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';

describe('billing in the console', () => {
  const api = forSuite(() => startInstallation({ kind: 'scripted' }));

  test('plans are shown side by side with all their differences', async () => {
    const plans = await (await signUp(api.url)).read('billing.plans');
    const names = plans.map(({ name }: { name: string }) => name);
    assert.deepEqual(names, ['Free', 'Starter', 'Pro', 'Enterprise']);
    assert.equal(plans[0].overageMillicentsPerMinute, null);
    assert.equal(plans[2].overageMillicentsPerMinute, 1_000);
    assert.equal(plans[2].concurrentJobs, 20);
  });

  test('a subscription: the price before, a card, the limits at once, an invoice with its line', async () => {
    const browser = await signUp(api.url);
    const starter = { planId: 'plan_starter' };
    const preview = await browser.read('billing.preview', starter);
    assert.deepEqual([preview.kind, preview.amountDue], ['subscribe', 900]);
    const agreed = { ...starter, maxAmount: preview.amountDue };
    assert.equal(codeOf(await browser.mutate('billing.subscribe', agreed)), 'PAYMENT_METHOD_REQUIRED');
    const refused = await browser.mutate('billing.setPaymentMethod', { token: 'tok_chargeDeclined' });
    assert.equal(codeOf(refused), 'PAYMENT_FAILED');
    await browser.change('billing.setPaymentMethod', { token: 'tok_visa' });
    const tooLittle = { ...starter, maxAmount: preview.amountDue - 1 };
    assert.equal(codeOf(await browser.mutate('billing.subscribe', tooLittle)), 'PRICE_CHANGED');
    assert.equal(codeOf(await browser.mutate('billing.subscribe', starter)), 'INVALID_PARAMS');
    await browser.change('billing.subscribe', agreed);
    const info = await browser.read('billing.get');
    assert.deepEqual(
      [info.plan.id, info.paymentMethod.last4, info.isSandbox],
      ['plan_starter', '4242', true],
    );
    assert.equal((await browser.read('account.get')).maxFileSizeBytes, info.plan.maxFileSize);

    const { data, pagination } = await browser.read('billing.invoices', {});
    assert.equal(pagination.total, 1);
    assert.equal(data[0].amount, preview.amountDue);
    assert.equal(data[0].status, 'paid');
    assert.match(data[0].lines[0].description, /^Starter plan/);
    assert.equal(data[0].lines[0].amount, 900);
    const pdf = await (await fetch(data[0].pdfUrl)).text();
    assert.match(pdf, /^%PDF/);
  });

  test('an upgrade costs the previewed amount; a downgrade waits for the next period, and can be undone', async () => {
    const browser = await signUp(api.url);
    await browser.change('billing.setPaymentMethod', { token: 'tok_visa' });
    await browser.change('billing.subscribe', { planId: 'plan_starter', maxAmount: 900 });
    const pro = { planId: 'plan_pro' };
    const preview = await browser.read('billing.preview', pro);
    assert.deepEqual([preview.kind, preview.overageDue], ['upgrade', 0]);
    const agreed = { ...pro, maxAmount: preview.amountDue };
    const { proration } = await browser.change('billing.changePlan', agreed);
    assert.deepEqual([proration.amount, proration.description], [preview.amountDue, preview.description]);
    assert.equal(codeOf(await browser.query('billing.preview', pro)), 'PLAN_UNCHANGED');

    await browser.change('billing.changePlan', { planId: 'plan_starter', maxAmount: 0 });
    const lowered = await browser.read('billing.get');
    assert.deepEqual([lowered.plan.id, lowered.scheduledPlanId], ['plan_pro', 'plan_starter']);
    assert.equal((await browser.read('billing.preview', pro)).kind, 'resume');
    await browser.change('billing.changePlan', { ...pro, maxAmount: 0 });
    assert.equal('scheduledPlanId' in (await browser.read('billing.get')), false);
  });

  test('canceled at the end of the period, then at once; then the card can be removed', async () => {
    const browser = await signUp(api.url);
    await browser.change('billing.setPaymentMethod', { token: 'tok_mastercard' });
    await browser.change('billing.subscribe', { planId: 'plan_pro', maxAmount: 4_900 });
    assert.equal(codeOf(await browser.mutate('billing.removePaymentMethod')), 'ACTIVE_SUBSCRIPTION');
    await browser.change('billing.cancel', { reason: 'no more podcasts' });
    assert.equal((await browser.read('billing.get')).subscription.cancelAtPeriodEnd, true);
    await browser.change('billing.cancel', { immediate: true });
    const { plan, subscription } = await browser.read('billing.get');
    assert.deepEqual([plan.id, subscription], ['plan_free', null]);
    await browser.change('billing.removePaymentMethod');
    assert.equal((await browser.read('billing.get')).paymentMethod, null);
  });

  test('the spend limit is shown beside the plan, set and removed; paying a paid invoice is rejected', async () => {
    const browser = await signUp(api.url);
    assert.equal((await browser.read('billing.get')).spendLimit, null);
    assert.equal(
      codeOf(await browser.mutate('billing.setSpendLimit', { amount: 1 })),
      'NO_ACTIVE_SUBSCRIPTION',
    );
    await browser.change('billing.setPaymentMethod', { token: 'tok_visa' });
    await browser.change('billing.subscribe', { planId: 'plan_starter', maxAmount: 900 });
    const limitOf = async () => (await browser.read('billing.get')).spendLimit;
    assert.deepEqual(await limitOf(), { amount: 9_000, currency: 'usd', spent: 0 });
    await browser.change('billing.setSpendLimit', { amount: 250 });
    assert.equal((await limitOf()).amount, 250);
    await browser.change('billing.setSpendLimit', { amount: null });
    assert.equal((await limitOf()).amount, null);
    const [invoice] = (await browser.read('billing.invoices', {})).data;
    const paid = await browser.mutate('billing.payInvoice', { invoiceId: invoice.id });
    assert.equal(codeOf(paid), 'INVOICE_ALREADY_PAID');
  });

  test('every procedure rejects text that cannot be stored, with the name of its field', async () => {
    await assertTextRule(consoleRouter, await signUp(api.url));
  });
});
