/** Money as account holders see it: remaining amounts, maximum costs, and debts. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { until } from '@audiosplit/chassis/testing/until';
import { aSplit, DAY_MS } from '../harness/installation/scripted.ts';
import { stackOfFile } from '../harness/stack-of-file.ts';
import { inspectPage } from './inspect-page.ts';
import { openAccountPage } from './open-api.ts';
import { goTo, PASSWORD } from './steps.ts';

const EMAIL = 'ana@example.com';
const MINUTE_MS = 60_000;
/** After the last attempt to charge. */
const GIVEN_UP_DAYS = 50;

const stack = stackOfFile();
const { api, visitor, page } = await openAccountPage(stack, EMAIL, { clock: 'system' });

describe('money in a browser', () => {
  const inspect = (name: string) => inspectPage(page, name);
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const panel = (name: string) => page.getByRole('region', { name });
  const notice = (text: string | RegExp) => page.getByRole('status').filter({ hasText: text });
  const refusal = (code: string) => page.getByRole('alert').getByText(code);

  async function call(target: string, body?: unknown) {
    const credentials = { email: EMAIL, password: PASSWORD };
    const { accessToken } = (await api.call('POST /auth/login', {}, credentials)).body;
    const answer = await api.call(target, { authorization: `Bearer ${accessToken}` }, body);
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    return answer.body;
  }

  const minutesProcessed = async () => (await call('GET /billing/usage')).usage.minutesProcessed;

  async function splitMinutes(minutes: number): Promise<void> {
    const before = await minutesProcessed();
    const { key } = await call('POST /api-keys', { name: `${minutes} minutes` });
    const { id: jobId } = (await api.call('POST /splits', { 'x-api-key': key }, aSplit)).body;
    const { fence } = await api.leases.claimJob({ jobId, workerId: 'splitter' });
    const endMs = minutes * MINUTE_MS;
    await api.leases.reserveMinutes({ jobId, fence, neededMs: BigInt(endMs) });
    await api.finish({ jobId, fence }, { cutMs: MINUTE_MS, endMs });
    await until(async () => (await minutesProcessed()) === before + minutes, 'the minutes are counted');
  }

  async function useCard(label: string): Promise<void> {
    await button(/^(Add a card|Use another card)$/).click();
    await page.getByLabel(label).check();
    await button('Use this card').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }

  test('a notice shows when minutes run low, and when they are used up', async () => {
    await splitMinutes(50);
    await goTo(page, 'Usage');
    await notice('50 of 60 included minutes are used').waitFor();
    await splitMinutes(10);
    await page.reload();
    await notice('All 60 minutes are used. New jobs are refused').waitFor();
    await inspect('usage-all-used');
    await page.getByRole('link', { name: 'See the plans' }).click();
    await page.getByRole('heading', { name: 'You are on Free' }).waitFor();
    assert.equal(await panel('Spend limit').count(), 0);
  });

  test('the spend limit is ten times the price until it is changed or removed', async () => {
    await button('Upgrade to Starter').click();
    await button('Use this card').click();
    await button('Pay $9.00').click();
    const limit = page.getByTestId('spend-limit');
    await limit.getByText('$90.00').waitFor();
    await page.getByLabel('Amount in USD').fill('ten');
    await button('Set the limit').click();
    await page.getByText('Give an amount such as 90 or 90.50.').waitFor();
    await page.getByLabel('Amount in USD').fill('2.50');
    await button('Set the limit').click();
    await limit.getByText('$2.50').waitFor();
    assert.equal((await call('GET /billing/spend-limit')).amount, 250);
    await page.getByLabel('No limit').check();
    await button('Set the limit').click();
    await limit.getByText('None').waitFor();
    assert.equal((await call('GET /billing/spend-limit')).amount, null);
    await page.getByLabel('Stop at an amount').check();
    await page.getByLabel('Amount in USD').fill('1');
    await button('Set the limit').click();
    await limit.getByText('$1.00').waitFor();
    await inspect('billing-spend-limit');
  });

  test('a notice shows the spending, and an error at the limit links to it', async () => {
    await splitMinutes(500 + 40);
    await page.reload();
    await notice('All 500 included minutes are used.').waitFor();
    await notice('$0.80 of your spend limit of $1.00').waitFor();
    await splitMinutes(10);
    await page.reload();
    await notice('Your spend limit of $1.00 is reached.').waitFor();
    await page.evaluate('scrollTo(0, 0)');
    await inspect('billing-limit-reached');
    await goTo(page, 'Split');
    await page.getByLabel('or paste a link to one').fill(aSplit.sourceUrl);
    await button('Split').click();
    await refusal('SPEND_LIMIT_REACHED').waitFor();
    await page.getByRole('link', { name: 'Open Billing' }).click();
    await page.getByTestId('spend-limit').waitFor();
  });

  test('an uncollectible invoice is paid with a working card', async () => {
    await useCard('Visa 0341');
    const { now } = await call('PUT /sandbox/clock', { now: new Date(Date.now() + DAY_MS).toISOString() });
    await call('PUT /sandbox/clock', {
      now: new Date(Date.parse(now) + GIVEN_UP_DAYS * DAY_MS).toISOString(),
    });
    await page.reload();
    await panel('Invoices').getByText('Not collected').waitFor();
    const pay = panel('Invoices').getByRole('button', { name: /^Pay INV-/ });
    await pay.click();
    await button(/^Pay \$/).click();
    await refusal('PAYMENT_FAILED').waitFor();
    await page.getByText('Put another card on file under Payment method, then pay again.').waitFor();
    await inspect('billing-pay-refused');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await useCard('Visa 4242');
    await pay.click();
    await inspect('billing-pay');
    await button(/^Pay \$/).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await panel('Invoices').getByText('Not collected').waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'You are on Starter' }).waitFor();
    // The period that begins with it is charged in the background: the next test begins once that is over.
    const isPaid = ({ status }: { status: string }) => status === 'paid';
    const allPaid = async () => (await call('GET /billing/invoices')).data.every(isPaid);
    await until(allPaid, 'the new period is paid');
  });

  test('an invoice names the company and its tax id, and earlier ones do not', async () => {
    await page.getByLabel('Company').fill('Löwe & Töchter GmbH');
    await page.getByLabel('Tax id').fill('DE123456789');
    await panel('Billed to').getByRole('button', { name: 'Save' }).click();
    const named = panel('Invoices').getByText('billed to Löwe & Töchter GmbH, DE123456789');
    await button('Upgrade to Pro').click();
    await button(/^Pay \$/).click();
    await page.getByRole('heading', { name: 'You are on Pro' }).waitFor();
    await named.waitFor();
    assert.equal(await named.count(), 1);
    await panel('Billed to').scrollIntoViewIfNeeded();
    await inspect('billing-profile');
  });

  test('no page reported an error', () => visitor.assertQuiet());
});
