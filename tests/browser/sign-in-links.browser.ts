/** The page that a mailed sign-in link opens. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stackOfFile } from '../harness/stack-of-file.ts';
import { openBrowser } from './chromium.ts';
import { inspectPage } from './inspect-page.ts';
import { openApi } from './open-api.ts';
import { openVisitor } from './visitor.ts';

const stack = stackOfFile();
const api = await openApi(stack);
const browser = await openBrowser(stack);

describe('a sign-in link in a browser', () => {
  test('a link signs in once, on a click, and opens the first page', async () => {
    const { accountId } = await api.register();
    const { token } = await api.auth.createSignInLink({ accountId });
    const open = async () => {
      const { page } = stack.use(await openVisitor(browser, api.url));
      await page.goto(`/sign-in/link#${token}`);
      const press = () => page.getByRole('button', { name: 'Sign in', exact: true }).click();
      return { page, press };
    };
    const first = await open();
    const late = await open();
    await inspectPage(first.page, 'sign-in-link');
    await first.press();
    await first.page.getByText('Free plan').waitFor();
    assert.equal(first.page.url(), `${api.url}/`, 'the token is gone from the address');

    await late.press();
    const said = await late.page.getByRole('alert').textContent();
    assert.match(said ?? '', /used before/);
    await late.page.getByRole('link', { name: 'Sign in with the password' }).click();
    await late.page.getByLabel('Email').waitFor();
  });

  test('an incomplete link is reported', async () => {
    const { page } = stack.use(await openVisitor(browser, api.url));
    await page.goto('/sign-in/link');
    await page.getByText('The link is incomplete').waitFor();
  });
});
