/** The console as users have it: `npm start`, and Chromium. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stackOfFile } from '../harness/stack-of-file.ts';
import { inspectPage } from './inspect-page.ts';
import { openProduct } from './open-product.ts';
import { makeRecording } from './recording.ts';
import { assertSmallScripts, downloadFrom, goTo, PASSWORD } from './steps.ts';

const SECONDS = 1_020;
const JOB_TIMEOUT_MS = 60_000;

const recording = { name: 'interview.wav', mimeType: 'audio/wav', buffer: makeRecording(SECONDS) };

const { product, visitor, page } = await openProduct(stackOfFile());

describe('the console in a browser', () => {
  const inspect = (name: string) => inspectPage(page, name);
  const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name });
  const go = (name: string) => goTo(page, name);
  const split = async (set: () => Promise<void>) => {
    await go('Split');
    await page.getByLabel('Audio file').setInputFiles(recording);
    await set();
    await page.getByRole('button', { name: /^Split/ }).click();
    await page.getByText('Completed').waitFor({ timeout: JOB_TIMEOUT_MS });
  };

  test('the first page is fast and small', async (context) => {
    const startedMs = performance.now();
    await page.goto('/');
    await page.getByLabel('Email').waitFor();
    const elapsedMs = performance.now() - startedMs;
    const bytes = await assertSmallScripts(page);
    context.diagnostic(`${bytes} bytes of script, there after ${elapsedMs.toFixed(0)} ms`);
    await inspect('sign-up');
  });

  test('sign-up shows errors beside their fields, and continues when they are valid', async () => {
    await page.getByLabel('Email').fill('eva@example.com');
    await page.getByLabel('Password').fill('short');
    await page.getByRole('button', { name: 'Create account' }).click();
    assert.equal(await page.evaluate("document.querySelector('[name=password]').validity.valid"), false);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByLabel('Password').press('Enter');
    await heading('Split a file').waitFor();
    await inspect('split-empty');
  });

  test('a file may be dropped anywhere, also one that the browser cannot decode', async () => {
    await page.evaluate(`{
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['no audio'], 'dropped.xyz'));
      for (const type of ['dragover', 'drop']) {
        document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
      }
    }`);
    await page.getByText('dropped.xyz', { exact: true }).waitFor();
    await page.getByText('This browser cannot read the format').waitFor();
  });

  test("a file's plan shows before anything is uploaded", async () => {
    await page.getByLabel('Audio file').setInputFiles(recording);
    await page.getByText('Calculated on this device').waitFor();
    await page.getByText('17:00').waitFor();
    await page.getByLabel('Length of a segment').fill('2:00');
    await page.getByRole('button', { name: 'Split into 9 segments' }).waitFor();
    await page.getByRole('radio', { name: 'By size' }).check();
    await page.getByLabel('Largest segment, in megabytes').fill('4');
    await page.getByRole('button', { name: 'Split into 5 segments' }).waitFor();
    await page.getByRole('radio', { name: 'By length' }).check();
    await page.getByRole('img', { name: 'The recording with 8 cuts' }).waitFor();
    await inspect('split-plan');
  });

  test('from a file to segments that are played and downloaded', async () => {
    await page.getByRole('button', { name: 'Split into 9 segments' }).click();
    await heading('interview.wav').waitFor();
    await page.getByText('Completed').waitFor({ timeout: JOB_TIMEOUT_MS });
    await page.getByRole('button', { name: 'Play segment 3' }).click();
    await page.getByRole('button', { name: 'Pause segment 3' }).first().waitFor();
    await page.getByRole('region', { name: 'Player' }).getByText('from 4:00.000').waitFor();
    await inspect('job');

    const save = (name: string) => downloadFrom(page, () => page.getByRole('link', { name }).click());
    assert.equal((await save('Download segment 9')).bytes.toString('latin1', 0, 4), 'RIFF');
    const archive = await save('Download all');
    assert.deepEqual([archive.name, archive.bytes.toString('latin1', 0, 2)], ['interview.zip', 'PK']);
    await page.getByRole('button', { name: 'Close the player' }).click();
  });

  test('a list of a thousand segments renders only a few', async () => {
    await split(async () => {
      await page.getByLabel('Length of a segment').fill('1');
      await page.getByRole('button', { name: 'Split into 1,020 segments' }).waitFor();
    });
    await page.getByRole('button', { name: 'Play segment 1', exact: true }).waitFor();
    assert.ok((await page.getByRole('listitem').count()) < 80);
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await page.getByRole('button', { name: 'Play segment 1020' }).waitFor();
    assert.ok((await page.getByRole('listitem').count()) < 80);
    await inspect('job-thousand');
  });

  test('a broken link fails, shows why, and is retried', async () => {
    await go('Split');
    await page.getByLabel('or paste a link to one').fill(`${product.baseUrl}/samples/none.mp3`);
    await page.getByRole('button', { name: 'Split', exact: true }).click();
    await page.getByRole('heading', { name: 'This job has failed' }).waitFor({ timeout: JOB_TIMEOUT_MS });
    await inspect('job-failed');
    const first = page.url();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.waitForURL((url) => url.href !== first);
    await page.getByRole('heading', { name: 'This job has failed' }).waitFor({ timeout: JOB_TIMEOUT_MS });
  });

  test('the list of jobs is filtered and searched', async () => {
    await go('Jobs');
    await heading('Jobs').waitFor();
    await page.getByRole('row').nth(4).waitFor();
    await inspect('jobs');
    await page.getByRole('radio', { name: 'Failed' }).check();
    await page.getByRole('row').nth(2).waitFor();
    await page.getByRole('row').nth(3).waitFor({ state: 'detached' });
    await page.getByRole('radio', { name: 'All' }).check();
    await page.getByRole('searchbox').fill('interview');
    await page.getByRole('row').nth(3).waitFor({ state: 'detached' });
    assert.equal(await page.getByRole('link', { name: 'interview.wav' }).count(), 2);
  });

  test('a key is created, shows its secret once, is rotated and revoked', async () => {
    await go('API keys');
    await page.getByText('No keys yet').waitFor();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('Nightly import');
    await inspect('keys-new');
    await page.getByRole('button', { name: 'Create the key' }).click();
    const secret = await page.getByTestId('secret').innerText();
    assert.match(secret, /^ask_live_/);
    const use = async (key: string) =>
      (await fetch(`${product.baseUrl}/api/v1/splits`, { headers: { 'x-api-key': key } })).status;
    assert.equal(await use(secret), 200);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('heading', { name: 'Nightly import' }).waitFor();
    assert.equal(await page.getByText(secret).count(), 0);
    await inspect('keys');

    await page.getByRole('button', { name: 'Rotate Nightly import' }).click();
    await page.getByRole('button', { name: 'Rotate the key' }).click();
    const rotated = await page.getByTestId('secret').innerText();
    assert.notEqual(rotated, secret);
    assert.equal(await use(rotated), 200);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('button', { name: 'Revoke Nightly import' }).click();
    await page.getByRole('button', { name: 'Revoke the key' }).click();
    await page.getByText('No keys yet').waitFor();
  });

  test("usage shows today's minutes against the plan", async () => {
    await go('Usage');
    await page.getByText('of 60 included').waitFor();
    await inspect('usage');
  });

  test('by keyboard: a skip link, and focus on the heading of each page', async () => {
    await page.reload();
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.textContent.trim()'), 'Skip to the content');
    await go('Jobs');
    await heading('Jobs').waitFor();
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'H1');
  });

  test('the chosen colours are kept for the next visit', async () => {
    const ground = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    const light = await ground();
    await page.getByRole('button', { name: /^Colours/ }).click();
    await page.getByRole('button', { name: /^Colours: light/ }).click();
    await page.getByRole('button', { name: /^Colours: dark/ }).waitFor();
    assert.notEqual(await ground(), light);
    await page.reload();
    await heading('Jobs').waitFor();
    assert.notEqual(await ground(), light);
    await page.getByRole('button', { name: /^Colours: dark/ }).click();
    assert.equal(await ground(), light);
  });

  test('the session outlives the tab, and signing out ends it in all tabs', async () => {
    const other = await visitor.context.newPage();
    await other.goto('/usage');
    await other.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
    // Both find the access token about to expire, and renew it with the refresh token that they share.
    for (const tab of [page, other])
      await tab.evaluate("localStorage.setItem('audiosplit.session-ends', '1')");
    await Promise.all([page.reload(), other.reload()]);
    for (const tab of [page, other]) await tab.getByText('Free plan').waitFor();
    assert.ok(Number(await page.evaluate("localStorage.getItem('audiosplit.session-ends')")) > Date.now());
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    await other.close();
  });

  test('no page reported an error or violated the content policy', () => visitor.assertQuiet());
});
