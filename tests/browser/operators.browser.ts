/** The operators' console as operators use it: real services with data to show, and Chromium. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { until } from '@audiosplit/chassis/testing/until';
import { TOPICS } from '@audiosplit/proto/topics';
import { PASSWORD as API_PASSWORD } from '../harness/accounts/open-account.ts';
import { authenticatorCode } from '../harness/installation/authenticator.ts';
import {
  FAILING_GROUP,
  OPERATOR,
  OPERATOR_SECRET,
  startOperatorsFixture,
} from '../harness/operators.fixture.ts';
import { stackOfFile } from '../harness/stack-of-file.ts';
import { openBrowser } from './chromium.ts';
import { inspectPage } from './inspect-page.ts';
import { holdLease, openApi } from './open-api.ts';
import { assertSmallScripts, goTo, PASSWORD, signUp } from './steps.ts';
import { openVisitor } from './visitor.ts';

const stack = stackOfFile();
const api = await openApi(stack);
const operators = stack.use(await startOperatorsFixture(api));
const browser = await openBrowser(stack);
const { context, page } = stack.use(await openVisitor(browser, operators.url));

describe("the operators' console in a browser", () => {
  const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name });
  const go = (name: string) => goTo(page, name);
  const tile = (name: string) => page.locator('.tile').filter({ hasText: name }).locator('.tile-value');
  const showsOnTile = (name: string, value: string) =>
    until(async () => (await tile(name).innerText()) === value, `${name} shows ${value}`);

  test('a visitor without a session signs in; a wrong secret is rejected', async () => {
    const response = await page.goto('/accounts');
    const policy = response?.headers()['content-security-policy'] ?? '';
    assert.match(policy, /^default-src 'none'; script-src 'self'/);
    await heading('Operators').waitFor();
    await assertSmallScripts(page);
    await inspectPage(page, 'operators-sign-in');
    await page.getByLabel('Name').fill(OPERATOR);
    await page.getByLabel('Secret').fill('a guess');
    await page.getByLabel('Secret').press('Enter');
    await page.getByRole('alert').getByText('The name or the secret is wrong.').waitFor();
    await page.getByLabel('Secret').fill(OPERATOR_SECRET);
    await page.getByLabel('Secret').press('Enter');
    await heading('Accounts').waitFor();
    await page.getByText('No account has figures of its own').waitFor();
  });

  test('empty pages explain what they will show', async () => {
    await go('Queue');
    await page.getByText('Nothing. Every job is waiting its turn, or at work.').waitFor();
    await showsOnTile('Waiting', '0');
    await inspectPage(page, 'operators-queue-empty');
    await go('Splitters');
    await page.getByText('Nobody is at work').waitFor();
  });

  test('the queue updates while the rest of the page stays still', async () => {
    await go('Queue');
    await showsOnTile('Waiting', '0');
    const before = await tile('Waiting').boundingBox();
    const ada = await api.register();
    const grace = await api.register();
    const running = await ada.create();
    const ignored = await ada.create();
    const oldest = await ada.create();
    await ada.create();
    const [jobId = ''] = [await grace.create(), await grace.create()];
    await (await holdLease(stack, api, running, 'splitter-7c9d4-x2kqp')).report(8);
    await (await holdLease(stack, api, jobId, 'splitter-7c9d4-m8w4z')).report(62);
    const age = (column: string, job: string, minutes: number) => {
      const set = `update jobs.jobs set ${column} = now() - $2 * interval '1 minute'`;
      return api.sql.query(`${set} where id = $1`, [job, minutes]);
    };
    await age('created_at', oldest, 21);
    await age('dispatched_at', ignored, 4);
    await showsOnTile('Waiting', '4');
    await showsOnTile('Running', '2');
    await until(async () => (await tile('Standing still').innerText()) !== '0', 'one stands still');
    await page.getByText('on 2 splitters').waitFor();
    await page.getByText('On offer, and no splitter takes it').waitFor();
    assert.deepEqual(await tile('Waiting').boundingBox(), before);
    await inspectPage(page, 'operators-queue');
  });

  test('splitters show their leases', async () => {
    await go('Splitters');
    await heading('Splitters').waitFor();
    await page.getByRole('heading', { name: '2 leases' }).waitFor();
    await page.getByRole('cell', { name: '62 %' }).waitFor();
    await inspectPage(page, 'operators-splitters');
  });

  test('mails of an installation without SMTP are listed, with their links', async () => {
    await go('Mails');
    const mail = page.getByRole('button', { name: 'Verify your address for audiosplit' });
    await mail.first().press('Enter');
    const link = page.getByRole('dialog').getByRole('link');
    assert.match((await link.getAttribute('href')) ?? '', /^https:\/\/audiosplit\.example\/verify#aev_/);
    await inspectPage(page, 'operators-mail');
    await page.keyboard.press('Escape');
    await inspectPage(page, 'operators-mails');
  });

  test('dead letters are inspected, and replayed once their cause is fixed', async () => {
    await go('Dead letters');
    const look = page.getByRole('button', { name: `Look: ${FAILING_GROUP}, ${TOPICS.accounts}` });
    await look.click();
    const opened = page.getByRole('heading', { name: `${FAILING_GROUP}: 2 dead letters` });
    await opened.and(page.locator(':focus')).waitFor();
    await page.getByText('the warehouse has no table "accounts"').first().waitFor();
    await page.getByText('What it holds').first().click();
    await inspectPage(page, 'operators-dead-letters');

    operators.mendGroup();
    await page.getByRole('button', { name: 'Replay all 2' }).click();
    await page.getByRole('dialog').getByText('What fails again comes back here.').waitFor();
    await page.getByLabel('Reason').fill('the table is there now');
    await inspectPage(page, 'operators-replay');
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByText('None is left.').waitFor();
    await until(() => operators.handled.length === 2, 'the group has handled both');
    const [line] = operators.audit().filter(({ action }) => action === 'bus.replay');
    assert.deepEqual([line?.operator, line?.outcome], [OPERATOR, 'done']);
  });

  test('an account is found by its address, given other limits, and reset to its plan', async () => {
    await go('Accounts');
    await page.getByRole('searchbox').fill('ada-');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('row').nth(2).waitFor();
    await page.getByRole('row').nth(1).getByRole('link').click();
    const requests = page.getByLabel('Requests a minute');
    await requests.fill('a few');
    await page.getByText('Give a number of this unit, or nothing.').waitFor();
    await requests.fill('0');
    await page.getByLabel('Reason').first().fill('a trial of a month');
    await page.getByRole('button', { name: 'Save 1 change' }).click();
    await page.getByText('give a whole number, at least 1').waitFor();
    await requests.fill('600');
    await page.getByLabel('Minutes a month').fill('5000');
    await page.getByLabel('Price a month, in USD').fill('199');
    await page.getByLabel('Reason').first().fill('a trial of a month');
    await page.getByRole('button', { name: 'Save 3 changes' }).click();
    await page.getByRole('button', { name: 'Nothing to save' }).waitFor();
    assert.equal(await requests.inputValue(), '600');
    await inspectPage(page, 'operators-account');
    await go('Accounts');
    await page.getByText('Requests a minute: 600').waitFor();
    await inspectPage(page, 'operators-accounts');
    await page.getByRole('row').nth(1).getByRole('link').click();
    await page.getByRole('button', { name: 'Empty all' }).click();
    await page.getByLabel('Reason').first().fill('the trial is over');
    await page.getByRole('button', { name: 'Save 3 changes' }).click();
    await page.getByRole('button', { name: 'Nothing to save' }).waitFor();
    assert.equal(await requests.inputValue(), '');
  });

  test('its test clock moves forward', async () => {
    const shown = page.locator('.panel strong.number');
    const before = await shown.innerText();
    await page.getByLabel('Reason').fill('to see a renewal');
    await page.getByRole('button', { name: '31 days on' }).click();
    await until(async () => (await shown.innerText()) !== before, 'the clock has moved');
    await page.getByLabel('Move to (UTC)').fill('2020-01-01T00:00');
    const validity = "document.querySelector('[type=datetime-local]').validity.rangeUnderflow";
    assert.equal(await page.evaluate(validity), true);
  });

  test('by keyboard: a skip link, and focus on the heading of each page', async () => {
    await page.reload();
    await heading(/@example\.com$/).waitFor();
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.textContent.trim()'), 'Skip to the content');
    await go('Dead letters');
    await heading('Dead letters').waitFor();
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'H1');
  });

  test('a job is found by its id, and canceled with a reason that the audit log keeps', async () => {
    const eve = await api.register();
    await eve.subscribe('plan_starter');
    await api.fail(await eve.create());
    const jobId = await eve.create();
    await go('Accounts');
    await page.getByRole('searchbox').fill(jobId);
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('button', { name: `Cancel ${jobId}` }).waitFor();
    await inspectPage(page, 'operators-job-found');
    await page.getByRole('row').nth(1).getByRole('link').click();
    await page.getByText('SOURCE_TIMEOUT').waitFor();
    await page.getByRole('region', { name: 'Invoices' }).getByText('$9.00').waitFor();
    await page.getByRole('button', { name: `Cancel ${jobId}` }).click();
    const dialog = page.getByRole('dialog');
    assert.equal(await dialog.getByRole('button', { name: 'Cancel the job' }).isDisabled(), true);
    await dialog.getByLabel('Reason').fill('its owner asked by phone');
    await inspectPage(page, 'operators-cancel');
    await dialog.getByRole('button', { name: 'Cancel the job' }).click();
    await page.getByText('Canceled', { exact: true }).waitFor();
    await page.getByRole('cell', { name: 'its owner asked by phone' }).waitFor();
    await inspectPage(page, 'operators-account-jobs');
    await go('Audit log');
    await page.getByRole('cell', { name: 'its owner asked by phone' }).waitFor();
    assert.ok((await page.getByRole('cell', { name: OPERATOR, exact: true }).count()) > 3);
    await inspectPage(page, 'operators-audit');
  });

  test('an account is suspended and restored with a reason that its holder sees on every page', async () => {
    const holder = stack.use(await openVisitor(browser, api.url)).page;
    await signUp(holder, 'suspended@example.com');
    await go('Accounts');
    await page.getByRole('searchbox').fill('suspended@');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('row').nth(1).getByRole('link').click();
    await page.getByRole('button', { name: 'Suspend', exact: true }).click();
    const dialog = page.getByRole('dialog');
    assert.equal(await dialog.getByRole('button', { name: 'Suspend the account' }).isDisabled(), true);
    await dialog.getByLabel('Reason').fill('The card was reported stolen.');
    await dialog.getByText("Mailed to the account's holder as it stands").waitFor();
    await inspectPage(page, 'operators-suspend');
    await dialog.getByRole('button', { name: 'Suspend the account' }).click();
    await page.getByText('Suspended since').waitFor();
    await page.getByRole('cell', { name: 'accounts.suspend' }).waitFor();
    await inspectPage(page, 'operators-suspended');

    const banner = holder.getByRole('status').filter({ hasText: 'The card was reported stolen.' });
    await until(async () => {
      api.advance(1_000);
      await holder.goto('/billing');
      return (await banner.count()) === 1;
    }, 'the banner is there');
    await inspectPage(holder, 'suspended-billing');
    await goTo(holder, 'Split');
    await holder.getByLabel('or paste a link to one').fill('https://example.com/talk.mp3');
    await holder.getByRole('button', { name: 'Split', exact: true }).click();
    await holder.getByRole('alert').getByText('ACCOUNT_SUSPENDED').waitFor();
    await inspectPage(holder, 'suspended-split');

    await page.getByRole('button', { name: 'Restore', exact: true }).click();
    await dialog.getByLabel('Reason').fill('The bank has cleared it.');
    await dialog.getByRole('button', { name: 'Restore the account' }).click();
    await page.getByRole('button', { name: 'Suspend', exact: true }).waitFor();
    await page.getByRole('cell', { name: 'The bank has cleared it.' }).waitFor();
    await until(async () => {
      api.advance(1_000);
      await holder.goto('/jobs');
      await holder.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
      return (await banner.count()) === 0;
    }, 'the banner is gone');
  });

  test('an invoice is partly refunded with a reason that its holder sees', async () => {
    const holder = stack.use(await openVisitor(browser, api.url)).page;
    const email = 'refunded@example.com';
    await signUp(holder, email);
    const { accessToken } = (await api.call('POST /auth/login', {}, { email, password: PASSWORD })).body;
    const token = { authorization: `Bearer ${accessToken}` };
    await api.call('PUT /billing/payment-method', token, { token: 'tok_visa' });
    await api.call('POST /billing/subscribe', token, { planId: 'plan_starter' });
    await go('Accounts');
    await page.getByRole('searchbox').fill('refunded@');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('row').nth(1).getByRole('link').click();
    const invoices = page.getByRole('region', { name: 'Invoices' });
    await invoices.getByRole('button', { name: 'Refund' }).click();
    const dialog = page.getByRole('dialog');
    const amount = dialog.getByLabel('Amount in USD');
    assert.equal(await amount.inputValue(), '9.00');
    await dialog.getByLabel('Reason').fill('Two hours of jobs failed on our side.');
    for (const wrong of ['9.01', '0', 'all']) {
      await amount.fill(wrong);
      await dialog.getByText('Give from 0.01 to 9.00.').waitFor();
      assert.equal(await dialog.getByRole('button', { name: 'Refund', exact: true }).isDisabled(), true);
    }
    await amount.fill('2.5');
    await inspectPage(page, 'operators-refund');
    await dialog.getByRole('button', { name: 'Refund $2.50' }).click();
    await invoices.getByText('Two hours of jobs failed on our side.').waitFor();
    await page.getByRole('cell', { name: 'accounts.refund' }).waitFor();
    await inspectPage(page, 'operators-refunded');
    await invoices.getByRole('button', { name: 'Refund' }).click();
    assert.equal(await amount.inputValue(), '6.50');
    await page.keyboard.press('Escape');

    await holder.goto('/billing');
    const shown = holder.getByRole('region', { name: 'Invoices' });
    await shown.getByText('Two hours of jobs failed on our side.').waitFor();
    await shown.getByText('$2.50').waitFor();
    await inspectPage(holder, 'refunded-billing');
  });

  test('a lost second factor is turned off with a reason, after a warning', async () => {
    const holder = await api.register();
    const { body } = await holder.withToken('POST /account/second-factor', { current: API_PASSWORD });
    const code = authenticatorCode(body.secret, api.now());
    await holder.withToken('POST /account/second-factor/confirm', { code });
    await go('Accounts');
    await page.getByRole('searchbox').fill(holder.accountId);
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('row').nth(1).getByRole('link').click();
    const panel = page.getByRole('region', { name: 'Sign-in' });
    await panel.getByText('on since').waitFor();
    await panel.getByRole('button', { name: 'Turn the second factor off' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('and not somebody who has the password').waitFor();
    await dialog.getByLabel('Reason').fill('lost phone; called back on the number of the contract');
    await inspectPage(page, 'operators-second-factor');
    await dialog.getByRole('button', { name: 'Turn it off' }).click();
    await panel.getByText('off', { exact: true }).waitFor();
    await page.getByRole('cell', { name: 'accounts.turnOffSecondFactor' }).waitFor();
    await inspectPage(page, 'operators-account-sign-in');
  });

  test('while the listener is down the page keeps its data, and reports the outage', async () => {
    await go('Splitters');
    await page.getByRole('heading', { name: '2 leases' }).waitFor();
    await context.setOffline(true);
    await page.getByText('Not up to date (UNREACHABLE).').waitFor();
    assert.equal(await page.getByRole('heading', { name: '2 leases' }).count(), 1);
    await inspectPage(page, 'operators-away');
    await context.setOffline(false);
    await page.getByText('Those that hold a lease.').waitFor();
  });

  test('signing out ends the session in this browser', async () => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading('Operators').waitFor();
    await page.goto('/bus');
    await heading('Operators').waitFor();
  });
});
