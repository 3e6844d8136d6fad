/** The console for account holders: money, keys, webhooks, their data, and closing the account. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Route } from 'playwright-core';
import { startReceiver } from '../harness/servers/receiver.ts';
import { stackOfFile } from '../harness/stack-of-file.ts';
import { inspectPage } from './inspect-page.ts';
import { openProduct } from './open-product.ts';
import { downloadFrom, goTo, signUp } from './steps.ts';
import { openVisitor } from './visitor.ts';

const JOB_TIMEOUT_MS = 60_000;

const stack = stackOfFile();
const receiver = stack.use(await startReceiver());
receiver.answerWith(410);
const env = { EGRESS_ALLOW_CIDRS: '127.0.0.0/8' };
const { product, browser, visitor, page } = await openProduct(stack, { env });
await signUp(page, 'olu@example.com');

describe('an account in a browser', () => {
  const inspect = (name: string) => inspectPage(page, name);
  const go = (name: string) => goTo(page, name);
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const panel = (name: string) => page.getByRole('region', { name });
  const amountDue = () => page.getByTestId('amount-due').innerText();

  test('a first plan: a rejected card, an accepted one, and the price before the payment', async () => {
    await go('Billing');
    await page.getByText('You are on Free').waitFor();
    await inspect('billing-free');
    await button('Upgrade to Starter').click();
    await page.getByLabel('Visa 0002').check();
    await button('Use this card').click();
    await page.getByRole('alert').getByText('PAYMENT_FAILED').waitFor();
    await page.getByLabel('Visa 4242').check();
    await inspect('billing-card');
    await button('Use this card').click();
    await page.getByRole('heading', { name: 'Subscribe to Starter' }).waitFor();
    assert.equal(await amountDue(), '$9.00');
    await button('Pay $9.00').click();
    await page.getByRole('heading', { name: 'You are on Starter' }).waitFor();
    await page.getByText('Starter plan', { exact: true }).waitFor();
  });

  test('a price that has risen since it was shown is shown again, not charged', async () => {
    const showFormerPrice = async (route: Route) => {
      const response = await route.fetch();
      const asBefore = (await response.text()).replace(/"amountDue":\d+/, '"amountDue":3000');
      await route.fulfill({ response, body: asBefore });
    };
    await page.route('**/billing.preview*', showFormerPrice, { times: 1 });
    await button('Upgrade to Pro').click();
    await button('Pay $30.00').click();
    await page.getByRole('alert').getByText('PRICE_CHANGED').waitFor();
    await button(/^Pay \$(40\.00|39\.\d\d)$/).waitFor();
    await inspect('billing-dearer');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'You are on Starter' }).waitFor();
  });

  test('an upgrade costs the amount shown before, and its invoice shows it too', async () => {
    await button('Upgrade to Pro').click();
    await page.getByText('The rest of this period on Pro instead of Starter').waitFor();
    const due = await amountDue();
    assert.match(due, /^\$(40\.00|39\.\d\d)$/);
    await inspect('billing-preview');
    await button(`Pay ${due}`).click();
    await page.getByRole('heading', { name: 'You are on Pro' }).waitFor();
    const invoices = panel('Invoices').getByRole('link', { name: /^Download INV-/ });
    await invoices.nth(1).waitFor();
    await panel('Invoices').getByText(due).first().waitFor();
    const pdf = await downloadFrom(page, () => invoices.first().click());
    assert.equal(pdf.bytes.toString('latin1', 0, 5), '%PDF-');
    await page.evaluate('scrollTo(0, 0)');
    await inspect('billing');
  });

  test('a downgrade and a cancellation take effect with the next period, and can be undone', async () => {
    await button('Move to Starter').click();
    assert.equal(await amountDue(), '$0.00');
    await page.getByRole('dialog').getByRole('button', { name: 'Move to Starter' }).click();
    await page.getByText('you move to Starter').waitFor();
    await button('Cancel the subscription').click();
    await inspect('billing-cancel');
    await button(/^End it on/).click();
    await page.getByText('and Free begins').waitFor();
    await button('Stay on Pro').click();
    await page.getByText('What was scheduled is taken back').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Stay on Pro' }).click();
    await page.getByText(/^Renewed on/).waitFor();
  });

  test("a key's name and scopes are changed", async () => {
    await go('API keys');
    await button('New key').click();
    await page.getByLabel('Name').fill('Import');
    await button('Create the key').click();
    await button('I have saved it').click();
    await button('Change Import').click();
    await page.getByLabel('Name').fill('Read-only import');
    await page.getByLabel('Split files, cancel and delete jobs').uncheck();
    await inspect('keys-change');
    await button('Change the key').click();
    await page.getByRole('heading', { name: 'Read-only import' }).waitFor();
    await page.getByText('splits:write').waitFor({ state: 'detached' });
    await button('Rotate Read-only import').click();
    await button('Rotate the key').click();
    assert.match(await page.getByTestId('secret').innerText(), /^ask_live_/);
    await button('I have saved it').click();
  });

  test('a delivery that was rejected is sent again', async () => {
    await go('Webhooks');
    await page.getByText('Nothing has been sent yet').waitFor();
    await inspect('webhooks-empty');
    const request = {
      sourceUrl: `${product.baseUrl}/samples/none.mp3`,
      splitMode: 'duration',
      segmentDuration: 60,
      webhookUrl: `${receiver.url}/hooks/audio`,
    };
    const status = await page.evaluate(async (body) => {
      const headers = { 'content-type': 'application/json', 'x-audiosplit-console': '1' };
      const response = await fetch('/console/trpc/jobs.create', { method: 'POST', headers, body });
      return response.status;
    }, JSON.stringify(request));
    assert.equal(status, 200);
    await page.reload();
    const deliveries = panel('Deliveries').getByRole('listitem').filter({ hasText: 'split.failed' });
    const last = deliveries.first();
    await last.getByText('Failed', { exact: true }).waitFor({ timeout: JOB_TIMEOUT_MS });
    await last.getByText('the last answered 410').click();
    await inspect('webhooks');
    receiver.answerWith(204);
    await last.getByRole('button', { name: /^Send again/ }).click();
    await last.getByText('Delivered', { exact: true }).waitFor();
    await last.getByText('2 attempts, the last answered 204').waitFor();
  });

  test("the account's endpoint is set, tested and removed; a delivery shows its payload", async () => {
    const endpoint = panel('Endpoint of the account');
    await endpoint.getByLabel('Address').fill('https://user:secret@example.com/');
    await button('Set the endpoint').click();
    await endpoint.getByText('must not hold a user name or password').waitFor();
    await endpoint.getByLabel('Address').fill(`${receiver.url}/hooks/all`);
    await endpoint.getByLabel('split.processing').uncheck();
    await button('Set the endpoint').click();
    await button('Send a test event').click();
    const ping = panel('Deliveries').getByRole('listitem').filter({ hasText: 'ping' }).first();
    await ping.getByText('Delivered', { exact: true }).waitFor();
    await ping.getByText('Payload').click();
    await ping.getByText('"type": "ping"').waitFor();
    await inspect('webhooks-endpoint');
    await endpoint.getByRole('button', { name: 'Remove' }).click();
    await button('Remove the endpoint').click();
    await button('Set the endpoint').waitFor();
  });

  test('the signing secret is hidden until it is shown, and is rotated', async () => {
    const secret = page.getByTestId('signing-secret');
    await button('Show').click();
    await secret.getByText(/^whsec_[^•]/).waitFor();
    const first = await secret.innerText();
    await button('Rotate the secret').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate the secret' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.notEqual(await secret.innerText(), first);
  });

  test('an export is requested, created and downloaded', async () => {
    await page.getByRole('link', { name: /^Account/ }).click();
    await page.getByText('No export yet').waitFor();
    await page.getByRole('radio', { name: 'CSV' }).check();
    await button('Export my data').click();
    await panel('Your data').getByText('Completed').waitFor({ timeout: JOB_TIMEOUT_MS });
    const link = page.getByRole('link', { name: /^Download the export/ });
    const zip = await downloadFrom(page, () => link.click());
    assert.equal(zip.bytes.toString('latin1', 0, 2), 'PK');
    await page.getByText('Your Pro subscription still runs').waitFor();
    await inspect('account');
    await button('Export my data').click();
    await page.getByText('EXPORT_TOO_FREQUENT').waitFor();
  });

  test('an account is closed only after its confirmation is typed, and is restored', async () => {
    await using other = await openVisitor(browser, product.baseUrl);
    await signUp(other.page, 'kim@example.com');
    await other.page.goto('/account');
    await other.page.getByRole('button', { name: 'Delete my account' }).click();
    const confirm = other.page.getByRole('dialog').getByRole('button', { name: 'Delete my account' });
    assert.equal(await confirm.isDisabled(), true);
    await other.page.getByLabel('Type DELETE MY ACCOUNT to confirm').fill('DELETE MY ACCOUNT');
    await inspectPage(other.page, 'account-delete');
    await other.page.keyboard.press('Enter');
    const gone = other.page.getByRole('heading', { level: 1, name: 'Your account is about to be deleted' });
    await gone.waitFor();
    await inspectPage(other.page, 'account-closed');
    await other.page.goto('/jobs');
    await gone.waitFor();
    await other.page.getByRole('button', { name: 'Restore my account' }).click();
    await other.page.getByText('No jobs yet').waitFor();
    other.assertQuiet();
  });

  test('with an external issuer there are no sign-in forms', async () => {
    await using other = await openVisitor(browser, product.baseUrl);
    await other.page.route('**/sign-in', async (route) => {
      const response = await route.fetch();
      const meta = '<meta name="audiosplit-issuer" content="https://id.example.com/"><title>';
      await route.fulfill({ response, body: (await response.text()).replace('<title>', meta) });
    });
    await other.page.goto('/sign-in');
    await other.page.getByText('https://id.example.com/').waitFor();
    assert.equal(await other.page.getByLabel('Password').count(), 0);
    await inspectPage(other.page, 'sign-in-elsewhere');
    other.assertQuiet();
  });

  test('no page reported an error or violated the content policy', () => visitor.assertQuiet());
});
