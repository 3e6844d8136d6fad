/** A session that ends while the user works, and addresses opened without a session. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { DAY_MS } from '../harness/installation/scripted.ts';
import { stackOfFile } from '../harness/stack-of-file.ts';
import { openBrowser } from './chromium.ts';
import { inspectPage } from './inspect-page.ts';
import { openApi } from './open-api.ts';
import { downloadFrom, goTo, PASSWORD, signUp } from './steps.ts';
import { openVisitor, type Visitor } from './visitor.ts';

/** Longer than the lifetime of an unused session. */
const LONG_AWAY_MS = 31 * DAY_MS;

const stack = stackOfFile();
const api = await openApi(stack);
const browser = await openBrowser(stack);

describe('sessions in a browser', () => {
  let visitor: Visitor;
  let page: Page;
  let email: string;
  let people = 0;
  beforeEach(async () => {
    visitor = stack.use(await openVisitor(browser, api.url));
    page = visitor.page;
    people += 1;
    email = `person-${people}@example.com`;
    await signUp(page, email);
    await page.getByText('Free plan').waitFor();
  });

  const heading = (name: string) => page.getByRole('heading', { level: 1, name });
  const ended = (on = page) => on.getByRole('dialog', { name: 'Your session has ended' });
  const link = () => page.getByLabel('or paste a link to one');
  const addressNow = () => page.url().replace(api.url, '');
  const enter = async (on = page) => {
    await on.getByLabel('Password').fill(PASSWORD);
    await on.getByRole('button', { name: 'Sign in', exact: true }).click();
  };
  const signOut = async () => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 2, name: 'Sign in' }).waitFor();
  };
  const createJob = async () => {
    await link().fill('https://example.com/talk.mp3');
    await page.getByRole('button', { name: 'Split', exact: true }).click();
    await page.getByText('Waiting for its turn').waitFor();
    return new URL(page.url()).pathname;
  };

  test('an archive is downloaded also after the access token has expired', async () => {
    const job = await createJob();
    await api.complete(job.split('/').pop() ?? '');
    await page.getByRole('button', { name: 'Play segment 2' }).waitFor();
    await visitor.context.clearCookies({ name: 'audiosplit_access' });
    await expireHere();
    const link = page.getByRole('link', { name: 'Download all' });
    const archive = await downloadFrom(page, () => link.click());
    assert.equal(archive.bytes.toString('latin1', 0, 2), 'PK');
  });

  test('a form sent after the end of the session is submitted once the user has signed in again in place', async () => {
    await link().fill('https://example.com/episode.mp3');
    await page.getByLabel('Length of a segment').fill('7:30');
    api.advance(LONG_AWAY_MS);
    await page.getByRole('button', { name: 'Split', exact: true }).click();
    await ended().getByText(email).waitFor();
    assert.equal(await link().inputValue(), 'https://example.com/episode.mp3');
    await inspectPage(page, 'session-ended');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.getByLabel('Password').fill('something else');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await ended().getByRole('alert').waitFor();
    await enter();
    await page.getByText('Waiting for its turn').waitFor();
    await page.getByText('every 7 min 30 s').waitFor();
    visitor.assertQuiet();
  });

  test('an address opened after the end of the session is shown once the user has signed in', async () => {
    api.advance(LONG_AWAY_MS);
    await page.goto('/jobs?status=failed');
    await ended().waitFor();
    await page.getByLabel('Email').fill(email);
    await enter();
    await ended().waitFor({ state: 'detached' });
    await heading('Jobs').waitFor();
    assert.equal(addressNow(), '/jobs?status=failed');
    assert.equal(await page.getByRole('radio', { name: 'Failed' }).isChecked(), true);
  });

  test('signing in in one tab continues all tabs', async () => {
    const other = await visitor.context.newPage();
    await other.goto('/keys');
    await other.getByText('No keys yet').waitFor();
    api.advance(LONG_AWAY_MS);
    await goTo(page, 'Usage');
    await ended().waitFor();
    await goTo(other, 'Webhooks');
    await ended(other).waitFor();
    await enter(other);
    for (const tab of [page, other]) await ended(tab).waitFor({ state: 'detached' });
    await page.getByText('of 60 included').waitFor();
  });

  test('another account sees nothing of the previous one', async () => {
    const job = await createJob();
    const stranger = await newStranger();
    api.advance(LONG_AWAY_MS);
    await page.goto(job);
    await ended().waitFor();
    await page.getByLabel('Email').fill(stranger);
    await enter();
    await page.getByText('There is no such job').waitFor();
    assert.equal(await page.getByText('talk.mp3').count(), 0);
  });

  let keysAskedFor: number;
  /** Fills the form of a new key, runs `prepare`, and sends the form. */
  const askForKey = async (prepare: () => Promise<unknown>) => {
    await goTo(page, 'API keys');
    await page.getByText('No keys yet').waitFor();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('made by mistake');
    await prepare();
    keysAskedFor = 0;
    page.on('request', (request) => {
      if (request.url().includes('keys.create')) keysAskedFor += 1;
    });
    await page.getByRole('button', { name: 'Create the key' }).click();
  };
  const expireHere = () => page.evaluate("localStorage.setItem('audiosplit.session-ends', '1')");
  const newStranger = async () => {
    await using stranger = await openVisitor(browser, api.url);
    const address = `stranger-${people}@example.com`;
    await signUp(stranger.page, address);
    return address;
  };
  const changeAccount = async (tab: Page, address: string) => {
    await tab.getByRole('button', { name: 'Sign out' }).click();
    await tab.getByLabel('Email').fill(address);
    await enter(tab);
    await tab.getByText('Free plan').waitFor();
  };
  /** The key was requested `attempts` times, always before the account changed. */
  const assertNoKeys = async (attempts: number) => {
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByText('No keys yet').waitFor();
    assert.equal(keysAskedFor, attempts);
    await page.reload();
    await page.getByText('No keys yet').waitFor();
  };

  test('a call that waits for its user to sign in is not sent for another account of another tab', async () => {
    const stranger = await newStranger();
    await askForKey(async () => {
      api.advance(LONG_AWAY_MS);
      await expireHere();
    });
    await ended().waitFor();
    const other = await visitor.context.newPage();
    await other.goto('/');
    await ended(other).waitFor();
    await other.getByLabel('Email').fill(stranger);
    await enter(other);
    await other.getByText('Free plan').waitFor();
    await assertNoKeys(0);
    visitor.assertQuiet();
  });

  test('a call that waits for the renewal of its session is not sent for another account', async () => {
    const stranger = await newStranger();
    const other = await visitor.context.newPage();
    await other.goto('/');
    await other.evaluate(
      "void navigator.locks.request('audiosplit.session', () => new Promise((done) => { window.endTurn = done; }))",
    );
    await askForKey(expireHere);
    await changeAccount(other, stranger);
    await other.evaluate('endTurn()');
    // The page's own request for the lock is before this one.
    await page.evaluate("navigator.locks.request('audiosplit.session', () => {})");
    await assertNoKeys(0);
    visitor.assertQuiet();
  });

  test('a failed call is not sent again for another account', async () => {
    const stranger = await newStranger();
    const other = await visitor.context.newPage();
    await other.goto('/');
    await page.clock.install();
    const { promise: asking, resolve: ask } = Promise.withResolvers<Route>();
    await page.route('**/keys.create*', ask, { times: 1 });
    await askForKey(async () => {});
    const first = await asking;
    await changeAccount(other, stranger);
    await first.abort();
    await page.clock.fastForward(10_000);
    await assertNoKeys(1);
  });

  test('choosing another account leads to sign-in', async () => {
    api.advance(LONG_AWAY_MS);
    await goTo(page, 'Usage');
    await page.getByRole('button', { name: 'Use another account' }).click();
    await page.getByRole('heading', { level: 2, name: 'Sign in' }).waitFor();
    assert.equal(addressNow(), '/sign-in');
  });

  test('an address opened while signed out is shown after signing in', async () => {
    const job = await createJob();
    await signOut();
    const newcomer = stack.use(await openVisitor(browser, api.url));
    for (const [tab, isKnown] of [
      [page, true],
      [newcomer.page, false],
    ] as const) {
      await tab.goto(job);
      await tab.getByRole('heading', { level: 2, name: 'Sign in' }).waitFor();
      await tab.getByText('Sign in to see this page.').waitFor();
      if (!isKnown) await inspectPage(tab, 'sign-in-for-page');
      // Through the other form, and through a reload.
      await tab.getByRole('link', { name: 'Create an account' }).click();
      await tab.reload();
      await tab.getByRole('link', { name: 'Sign in' }).click();
      await tab.getByLabel('Email').fill(email);
      await enter(tab);
      await tab.getByRole('heading', { level: 1, name: 'talk.mp3' }).waitFor();
      assert.equal(new URL(tab.url()).pathname + new URL(tab.url()).search, job);
    }
  });

  test('a tab that waits at sign-in continues when another one signs in', async () => {
    await signOut();
    const other = await visitor.context.newPage();
    await other.goto('/sign-in?to=/usage');
    await other.getByRole('heading', { level: 2, name: 'Sign in' }).waitFor();
    await page.getByLabel('Email').fill(email);
    await enter();
    await other.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
  });

  test('signing in redirects to pages of the console only', async () => {
    const job = await createJob();
    await signOut();
    await page.goto(`/sign-in?to=${encodeURIComponent(`${job}?from=mail`)}`);
    await page.getByLabel('Email').fill(email);
    await enter();
    await heading('talk.mp3').waitFor();
    assert.equal(addressNow(), `${job}?from=mail`);
    await signOut();
    const others = [
      '//example.com/x',
      '/.//example.com',
      'https://example.com/x',
      '/\t/example.com',
      'http://[',
    ];
    for (const to of [...others, '/docs', '/sign-in']) {
      await page.goto(`/sign-in?to=${encodeURIComponent(to)}`);
      await page.getByLabel('Email').fill(email);
      await enter();
      await heading('Split a file').waitFor();
      assert.equal(addressNow(), '/');
      await signOut();
    }
  });

  test('returning visitors see sign-in, new ones sign-up', async () => {
    await signOut();
    await page.goto('/');
    await page.getByRole('heading', { level: 2, name: 'Sign in' }).waitFor();
    const newcomer = stack.use(await openVisitor(browser, api.url));
    await newcomer.page.goto('/');
    await newcomer.page.getByRole('heading', { level: 2, name: 'Create your account' }).waitFor();
  });

  test('an unreachable server does not end the session', async () => {
    await page.route('**/session.renew', (route) => route.abort());
    await visitor.context.clearCookies({ name: 'audiosplit_access' });
    await goTo(page, 'Usage');
    await page.getByText('The service cannot be reached').first().waitFor();
    assert.equal(await ended().count(), 0);
    await page.unroute('**/session.renew');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('of 60 included').waitFor();
  });
});
