/** The main paths through the console in Firefox: `npm start`, and a first-time visitor. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startInstallation } from '../harness/installation/start-installation.ts';
import { stackOfFile } from '../harness/stack-of-file.ts';
import { openConnection } from './connection.ts';
import { openFirefox } from './firefox.ts';
import { makeRecording } from './recording.ts';
import { downloadFrom, goTo, PASSWORD, signUp } from './steps.ts';
import { assertAccessible, NARROW, openVisitor, WIDE } from './visitor.ts';

const EMAIL = 'fox@example.com';
const PART_BYTES = 8 * 1024 * 1024;
const JOB_TIMEOUT_MS = 60_000;
/** Uploaded in two parts. */
const recording = { name: 'interview.wav', mimeType: 'audio/wav', buffer: makeRecording(600) };

const stack = stackOfFile();
const product = stack.use(await startInstallation({ kind: 'as-a-user' }));
const connection = stack.use(await openConnection(product.baseUrl));
const visitor = stack.use(await openVisitor(await openFirefox(stack), connection.url));
const { page } = visitor;

describe('the console in Firefox', () => {
  const heading = (name: string) => page.getByRole('heading', { level: 1, name });
  const button = (name: string) => page.getByRole('button', { name });

  test('from signing up to a segment on the disk', async () => {
    await signUp(page, EMAIL);
    await page.getByLabel('Audio file').setInputFiles(recording);
    await page.getByText('Calculated on this device').waitFor();
    await page.getByLabel('Length of a segment').fill('2:00');
    await page.getByRole('img', { name: 'The recording with 4 cuts' }).waitFor();
    await button('Split into 5 segments').click();
    await heading('interview.wav').waitFor();
    await page.getByText('Completed').waitFor({ timeout: JOB_TIMEOUT_MS });
    await button('Play segment 3').click();
    await page.getByRole('region', { name: 'Player' }).getByText('from 4:00.000').waitFor();
    const save = (name: string) => downloadFrom(page, () => page.getByRole('link', { name }).click());
    assert.equal((await save('Download segment 5')).bytes.toString('latin1', 0, 4), 'RIFF');
    const archive = await save('Download all');
    assert.deepEqual([archive.name, archive.bytes.toString('latin1', 0, 2)], ['interview.zip', 'PK']);
    await button('Close the player').click();
  });

  test('an upload resumes by itself after the connection breaks', async () => {
    await goTo(page, 'Split');
    const offsets: (string | undefined)[] = [];
    await page.route('**/uploads/tus/**', async (route) => {
      const offset = route.request().headers()['upload-offset'];
      if (route.request().method() === 'PATCH') offsets.push(offset);
      if (offsets.length === 2 && offset === String(PART_BYTES)) connection.cut();
      await route.continue();
    });
    await page.getByLabel('Audio file').setInputFiles(recording);
    await page.getByRole('button', { name: /^Split into/ }).click();
    await page.getByText('Connection lost, trying again …', { exact: true }).waitFor();
    connection.mend();
    await page.getByText('Completed').waitFor({ timeout: JOB_TIMEOUT_MS });
    assert.deepEqual(offsets, ['0', String(PART_BYTES), String(PART_BYTES)]);
    await page.unroute('**/uploads/tus/**');
  });

  test('jobs are searched, and a key is created and revoked', async () => {
    await goTo(page, 'Jobs');
    await page.getByRole('searchbox').fill('interview');
    await page.getByRole('link', { name: 'interview.wav' }).nth(1).waitFor();
    await goTo(page, 'API keys');
    await button('New key').click();
    await page.getByLabel('Name').fill('Nightly import');
    await button('Create the key').click();
    const secret = await page.getByTestId('secret').innerText();
    const headers = { 'x-api-key': secret };
    assert.equal((await fetch(`${product.baseUrl}/api/v1/splits`, { headers })).status, 200);
    await button('I have saved it').click();
    await button('Revoke Nightly import').click();
    await button('Revoke the key').click();
    await page.getByText('No keys yet').waitFor();
  });

  test('a plan is paid by card', async () => {
    await goTo(page, 'Billing');
    await heading('Billing').waitFor();
    await button('Upgrade to Starter').click();
    await page.getByLabel('Visa 4242').check();
    await button('Use this card').click();
    await button('Pay $9.00').click();
    await page.getByRole('heading', { name: 'You are on Starter' }).waitFor();
  });

  test('every page is accessible, and fits a phone and a large screen', async () => {
    for (const name of ['Jobs', 'API keys', 'Webhooks', 'Usage', 'Billing']) {
      await goTo(page, name);
      await heading(name).waitFor();
      for (const viewport of [NARROW, { width: 1920, height: 1080 }, WIDE]) {
        await page.setViewportSize(viewport);
        assert.ok(
          Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth')) <= 0,
          name,
        );
      }
      await assertAccessible(page);
    }
  });

  test('after signing out, a returning user is offered to sign in', async () => {
    await button('Sign out').click();
    await page.getByRole('heading', { level: 2, name: 'Sign in' }).waitFor();
    await page.getByLabel('Email').fill(EMAIL);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByLabel('Password').press('Enter');
    await heading('Split a file').waitFor();
  });

  test('no page reported an error or violated the content policy', () => visitor.assertQuiet());
});
