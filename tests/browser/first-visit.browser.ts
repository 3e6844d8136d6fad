/** A first-time user: from `npm start` to a segment on their own disk, with and without a mouse. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { stackOfFile } from '../harness/stack-of-file.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { openKeyboard } from './keyboard.ts';
import { openProduct } from './open-product.ts';
import { makeRecording } from './recording.ts';
import { downloadFrom, PASSWORD } from './steps.ts';
import { NARROW, openVisitor, WIDE } from './visitor.ts';

const JOB_TIMEOUT_MS = 60_000;
const SECONDS = 600;

const stack = stackOfFile();
/** A recording on the user's disk. */
const file = join(stack.use(await temporaryFolder()).path, 'interview.wav');
await writeFile(file, makeRecording(SECONDS));
const openedMs = performance.now();
const { product, browser, visitor: newcomer } = await openProduct(stack);
const startMs = performance.now() - openedMs;

describe('a first visit', () => {
  test('takes two fields, a file and three clicks', async (context) => {
    const { page } = newcomer;
    const startedMs = performance.now();
    await page.goto('/');
    // Clicks of a mouse: Enter in a form triggers a click too, which has no count.
    await page.evaluate(`{
      globalThis.clicks = 0;
      addEventListener('click', (event) => { if (event.isTrusted && event.detail > 0) globalThis.clicks += 1; }, true);
    }`);
    await page.getByLabel('Email').fill('ida@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByLabel('Audio file').setInputFiles(file);
    await page.getByRole('button', { name: 'Split into 2 segments' }).click();
    await page.getByText('Completed').waitFor({ timeout: JOB_TIMEOUT_MS });
    const link = page.getByRole('link', { name: 'Download segment 1' });
    const segment = await downloadFrom(page, () => link.click());
    const seconds = (performance.now() - startedMs) / 1_000;
    assert.equal(segment.bytes.toString('latin1', 0, 4), 'RIFF');
    assert.equal(await page.evaluate('globalThis.clicks'), 3);
    const startSeconds = (startMs / 1_000).toFixed(1);
    context.diagnostic(
      `npm start and Chromium after ${startSeconds} s, the segment ${seconds.toFixed(1)} s later`,
    );
    newcomer.assertQuiet();
  });

  for (const viewport of [WIDE, NARROW]) {
    test(`works without a mouse in a window of ${viewport.width} px, and the focus is never lost`, async (context) => {
      await using visitor = await openVisitor(browser, product.baseUrl, { viewport });
      const { page } = visitor;
      const keyboard = openKeyboard(page);
      const { tabTo, press, type, assertAt } = keyboard;
      const enter = async (wanted: Locator, direction?: 'Shift+Tab') => {
        await tabTo(wanted, direction);
        await press('Enter');
      };
      const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
      const heading = (name: string) => page.getByRole('heading', { level: 1, name });
      const place = (name: string) =>
        page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link', { name });

      page.on('filechooser', (chooser) => void chooser.setFiles(file));
      await page.goto('/');
      await tabTo(page.getByLabel('Email'));
      await type(`kai-${viewport.width}@example.com`);
      await tabTo(page.getByLabel('Password'));
      await type(PASSWORD);
      await press('Enter');
      await assertAt(heading('Split a file'));

      await enter(button('Choose a file'));
      await assertAt(button('Choose another'));
      await tabTo(page.getByRole('radio', { name: 'By length' }));
      await press('ArrowRight');
      await assertAt(page.getByRole('radio', { name: 'By size' }));
      await press('ArrowLeft');
      await tabTo(page.getByLabel('Length of a segment'));
      await type('2:00');
      await tabTo(page.getByLabel('Format of the segments'));
      await press('ArrowDown');
      await press('ArrowUp');
      await tabTo(button('Split into 5 segments'));
      await press('Space');
      await assertAt(heading('interview.wav'));

      await page.getByText('Completed').waitFor({ timeout: JOB_TIMEOUT_MS });
      await assertAt(heading('interview.wav'));
      await tabTo(page.getByRole('list').getByRole('button', { name: 'Play segment 1' }));
      await press('Space');
      await page.getByRole('region', { name: 'Player' }).waitFor();
      await tabTo(page.getByRole('link', { name: 'Download segment 1' }));
      const segment = await downloadFrom(page, () => press('Enter'));
      assert.equal(segment.bytes.toString('latin1', 0, 4), 'RIFF');
      context.diagnostic(`${keyboard.presses} key presses to the first segment`);

      const position = page.getByRole('slider', { name: 'Position' });
      await tabTo(position);
      await press('End');
      await page.getByRole('region', { name: 'Player' }).getByText('Segment 2').waitFor();
      await enter(button('Close the player'));
      await assertAt(page.getByRole('list').getByRole('button', { name: 'Play segment 1' }));

      await enter(button('Delete the job'), 'Shift+Tab');
      const dialog = page.getByRole('dialog');
      await dialog.waitFor();
      await tabTo(dialog.getByRole('button', { name: 'Cancel' }));
      await press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await assertAt(button('Delete the job'));
      await press('Enter');
      await dialog.waitFor();
      // Regardless of how soon the next press comes: here when the focus returns.
      await page.evaluate(
        `addEventListener('focusin', ({ target }) => target.closest('dialog') ?? target.click(), { once: true })`,
      );
      await press('Escape');
      await page.waitForFunction(`document.querySelector('dialog:modal') !== null`);
      await dialog.waitFor();
      await enter(dialog.getByRole('button', { name: 'Delete for good' }));
      await assertAt(heading('Jobs'));

      await tabTo(page.getByRole('searchbox'));
      await type('interview');
      await page.getByText('No job matches “interview”').waitFor();
      await assertAt(page.getByRole('searchbox'));
      await enter(page.getByRole('link', { name: 'Show all jobs' }));
      await page.getByText('No jobs yet').waitFor();
      await assertAt(heading('Jobs'));

      await enter(place('API keys'), 'Shift+Tab');
      await assertAt(heading('API keys'));
      await enter(button('New key'));
      await assertAt(page.getByLabel('Name'));
      await type('Nightly import');
      await press('Enter');
      await page.getByTestId('secret').waitFor();
      await enter(button('I have saved it'));
      await page.getByRole('heading', { name: 'Nightly import' }).waitFor();
      await assertAt(button('New key'));
      await enter(button('Revoke Nightly import'));
      await dialog.waitFor();
      await enter(button('Revoke the key'));
      await page.getByText('No keys yet').waitFor();
      await assertAt(heading('API keys'));

      for (const name of ['Webhooks', 'Usage', 'Billing']) {
        await enter(place(name), 'Shift+Tab');
        await assertAt(heading(name));
      }
      await enter(page.getByRole('link', { name: 'Account' }), 'Shift+Tab');
      await assertAt(heading('Account'));

      await enter(button('Sign out'), 'Shift+Tab');
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await assertAt(heading('Long audio, cut to size.'));
      visitor.assertQuiet();
    });
  }
});
