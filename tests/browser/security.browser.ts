/** How account holders see and change their sign-in: password, address, sessions, and the links in mails. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { until } from '@audiosplit/chassis/testing/until';
import type { Page } from 'playwright-core';
import { authenticatorCode } from '../harness/installation/authenticator.ts';
import { tokenMailedBy } from '../harness/installation/mailed-links.ts';
import { stackOfFile } from '../harness/stack-of-file.ts';
import { openBrowser } from './chromium.ts';
import { inspectPage } from './inspect-page.ts';
import { openApi } from './open-api.ts';
import { signUp } from './steps.ts';
import { openVisitor } from './visitor.ts';

const stack = stackOfFile();
const api = await openApi(stack, { env: { REQUIRE_VERIFIED_EMAIL: 'true' } });
const browser = await openBrowser(stack);

const PASSWORD = 'correct horse battery';
const NEW_PASSWORD = 'a new battery, a new horse';

async function visit(): Promise<Page> {
  return stack.use(await openVisitor(browser, api.url)).page;
}

const tokenAfter = (path: string, work: () => Promise<unknown>) =>
  tokenMailedBy(join(api.folder, 'mail'), path, work);

const panelOf = (page: Page, title: string) =>
  page.locator('section.panel', { has: page.getByRole('heading', { name: title, exact: true }) });

describe('security, in a browser', () => {
  test('a new account must verify its address before it splits', async () => {
    const page = await visit();
    const token = await tokenAfter('/verify', () => signUp(page, 'new@example.com'));
    await page.getByText('Verify your address to split files.').waitFor();
    await inspectPage(page, 'verify-notice');
    await page.goto(`/verify#${token}`);
    await page.getByRole('heading', { name: 'Verify your address' }).waitFor();
    await inspectPage(page, 'verify');
    await page.getByRole('button', { name: 'Verify the address' }).press('Enter');
    await page.getByRole('heading', { name: 'Your address is verified' }).waitFor();
    await page.getByRole('link', { name: 'Split a file' }).click();
    await page.getByText('Free plan').waitFor();
    assert.equal(await page.getByText('Verify your address to split files.').count(), 0);
    await page.goto(`/verify#${token}`);
    await page.getByRole('button', { name: 'Verify the address' }).click();
    await page.getByRole('alert').getByText('used before').waitFor();
    await page.goto('about:blank');
    await page.goto('/verify');
    await page.getByText('The link is incomplete').waitFor();
  });

  test('a forgotten password is reset by a link, by keyboard', async () => {
    const email = 'forgetful@example.com';
    const signedIn = await visit();
    await signUp(signedIn, email);
    const page = await visit();
    await page.goto('/sign-in');
    await page.getByRole('link', { name: 'Forgot your password?' }).press('Enter');
    await page.getByLabel('Email').waitFor();
    await inspectPage(page, 'forgot-password');
    const token = await tokenAfter('/password/reset', async () => {
      await page.getByLabel('Email').fill(email);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
    });
    await inspectPage(page, 'forgot-password-sent');
    await page.goto(`/password/reset#${token}`);
    await page.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD);
    await inspectPage(page, 'reset-password');
    await page.getByLabel('New password', { exact: true }).press('Enter');
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(NEW_PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText('Free plan').waitFor();
    await signedIn.goto('/jobs');
    await signedIn.getByRole('heading', { name: 'Your session has ended' }).waitFor();
  });

  test('password, address and sessions are changed on one page', async () => {
    const email = 'changing@example.com';
    const elsewhere = await visit();
    await signUp(elsewhere, email);
    const page = await visit();
    await page.goto('/sign-in');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText('Free plan').waitFor();
    await page.goto('/account');
    await page.getByRole('link', { name: 'Password, address and sessions' }).click();
    const sessions = panelOf(page, 'Where you are signed in');
    await sessions.getByText('This one').waitFor();
    assert.equal(await sessions.getByRole('listitem').count(), 2);
    await inspectPage(page, 'security');

    const ofPassword = panelOf(page, 'Password');
    await ofPassword.getByLabel('Current password').fill('a wrong password');
    await ofPassword.getByLabel('New password').fill(NEW_PASSWORD);
    await ofPassword.getByRole('button', { name: 'Change the password' }).click();
    await ofPassword.getByText('not the password of the account').waitFor();
    await ofPassword.getByLabel('Current password').fill(PASSWORD);
    await ofPassword.getByRole('button', { name: 'Change the password' }).click();
    await until(
      async () => (await sessions.getByRole('listitem').count()) === 1,
      'the other session has ended',
    );

    const ofEmail = panelOf(page, 'Email');
    const token = await tokenAfter('/verify', async () => {
      await ofEmail.getByLabel('New address').fill('changed@example.com');
      await ofEmail.getByLabel('Password').fill(NEW_PASSWORD);
      await ofEmail.getByRole('button', { name: 'Change the address' }).click();
      await ofEmail.getByText('once you open the link').waitFor();
    });
    await inspectPage(page, 'security-pending');
    await page.goto(`/verify#${token}`);
    await page.getByRole('button', { name: 'Verify the address' }).click();
    await page.getByRole('heading', { name: 'Your address is verified' }).waitFor();
    await page.goto('/account/security');
    await ofEmail.getByText('changed@example.com').waitFor();

    await elsewhere.goto('/jobs');
    await elsewhere.getByRole('heading', { name: 'Your session has ended' }).waitFor();
  });

  test('a second factor is turned on, required at sign-in, replaced by a recovery code, and turned off', async () => {
    const email = 'protected@example.com';
    const page = await visit();
    await signUp(page, email);
    await page.goto('/account/security');
    const panel = panelOf(page, 'Second factor');
    await panel.getByRole('button', { name: 'Turn it on' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await dialog.getByRole('img', { name: 'QR code of the secret' }).waitFor();
    await inspectPage(page, 'second-factor');
    const secret = (await dialog.locator('.secret code').textContent()) ?? '';
    // The service's clock does not run.
    const behind = new Date(api.now().getTime() - 300_000);
    await dialog.getByRole('textbox', { name: 'Code' }).fill(authenticatorCode(secret, behind));
    await page.keyboard.press('Enter');
    await dialog
      .getByText('is of a clock that is about 5 min behind; set the clock of the device by the network.')
      .waitFor();
    assert.equal(await dialog.getByText('network..').count(), 0);
    await dialog.getByRole('textbox', { name: 'Code' }).fill(authenticatorCode(secret, api.now()));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
    await inspectPage(page, 'recovery-codes');
    const codes = await page.locator('.recovery-codes code').allTextContents();
    assert.equal(codes.length, 10);
    await page.getByRole('button', { name: 'I have saved them' }).click();
    await panel.getByText('10 recovery codes left').waitFor();

    const other = await visit();
    await other.goto('/sign-in');
    await other.getByLabel('Email').fill(email);
    await other.getByLabel('Password').fill(PASSWORD);
    await other.keyboard.press('Enter');
    await other.getByRole('textbox', { name: 'Code' }).waitFor();
    await inspectPage(other, 'sign-in-code');
    await other.getByRole('textbox', { name: 'Code' }).fill('000000');
    await other.keyboard.press('Enter');
    await other.getByText('The code is wrong').waitFor();
    await other.getByRole('textbox', { name: 'Code' }).fill(codes[0] ?? '');
    await other.keyboard.press('Enter');
    await other.getByText('Free plan').waitFor();

    await page.goto('/account/security');
    await panel.getByText('9 recovery codes left').waitFor();
    await panel.getByRole('button', { name: 'Turn it off' }).click();
    await dialog.getByLabel('Password').fill(PASSWORD);
    await dialog.getByRole('textbox', { name: 'Code' }).fill(codes[0] ?? '');
    await dialog.getByRole('button', { name: 'Turn it off' }).click();
    await dialog.getByText(/was used before/).waitFor();
    await dialog.getByRole('textbox', { name: 'Code' }).fill(codes[1] ?? '');
    await dialog.getByRole('button', { name: 'Turn it off' }).click();
    await panel.getByText('Off. With it').waitFor();
  });
});
