/** An upload continues while the user opens another page, and is not canceled without a confirmation. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { Route } from 'playwright-core';
import { stackOfFile } from '../harness/stack-of-file.ts';
import { inspectPage } from './inspect-page.ts';
import { openAccountPage } from './open-api.ts';
import { makeRecording } from './recording.ts';
import { goTo } from './steps.ts';

const SECONDS = 30;
const recording = { name: 'lecture.wav', mimeType: 'audio/wav', buffer: makeRecording(SECONDS) };

const { visitor, page } = await openAccountPage(stackOfFile(), 'ivo@example.com');
/** Uploaded files and created jobs. */
let sent: string[] = [];
page.on('request', (request) => {
  if (request.method() === 'PATCH' || request.url().endsWith('/jobs.create')) sent.push(request.url());
});

describe('uploading in a browser', () => {
  let finishUpload: () => Promise<void>;
  let breakUpload: () => Promise<void>;

  /** From the list of jobs to an upload that has begun and does not end by itself. */
  beforeEach(async () => {
    await goTo(page, 'Jobs');
    await jobs().waitFor();
    await page.unroute('**/uploads/tus/**');
    await beginUpload();
  });

  async function beginUpload(): Promise<void> {
    const { promise: sending, resolve: begin } = Promise.withResolvers<Route>();
    let isHeld = false;
    await page.route('**/uploads/tus/**', (route) => {
      if (isHeld || route.request().method() !== 'PATCH') return route.fallback();
      isHeld = true;
      return begin(route);
    });
    await goTo(page, 'Split');
    await page.getByLabel('Audio file').setInputFiles(recording);
    await form().click();
    const route = await sending;
    finishUpload = () => route.continue();
    breakUpload = () =>
      route.fulfill({
        status: 429,
        json: { error: { code: 'UPLOAD_LIMIT_REACHED', message: 'Wait until one has ended.' } },
      });
    await uploading().waitFor();
  }

  const uploading = () => page.getByRole('button', { name: /^Uploading/ });
  const form = () => page.getByRole('button', { name: /^Split into/ });
  const inHeader = () => page.getByRole('list', { name: 'Uploads' }).getByRole('listitem');
  const progress = () => page.getByRole('progressbar', { name: 'Upload of lecture.wav' });
  const question = () => page.getByRole('dialog', { name: 'Stop the upload?' });
  const press = (name: string) => page.getByRole('button', { name }).click();
  const jobs = () => page.getByRole('heading', { level: 1, name: 'Jobs' });
  const job = () => page.getByRole('heading', { level: 1, name: 'lecture.wav' });
  /** The service deletes the bytes that had arrived. */
  const removal = () => page.waitForResponse((response) => response.request().method() === 'DELETE');
  const waits = () => page.getByText('Waiting for its turn').waitFor();
  const pathNow = () => new URL(page.url()).pathname;

  async function staysAndFinishes(): Promise<void> {
    await press('Stay here');
    await question().waitFor({ state: 'detached' });
    assert.equal(pathNow(), '/');
    await finishUpload();
    await waits();
  }

  test('an upload continues while the user visits other pages, shows its progress on every page, and links to its job', async () => {
    assert.equal(await inHeader().count(), 0);
    for (const name of ['Jobs', 'Usage', 'API keys']) {
      await goTo(page, name);
      await page.getByRole('heading', { level: 1, name }).waitFor();
      await progress().waitFor();
      assert.equal(await question().count(), 0);
    }
    await inspectPage(page, 'upload-elsewhere');
    await finishUpload();
    await inHeader().getByText('The split has begun.').waitFor();
    await page.getByRole('status').getByText('The split of lecture.wav has begun.').first().waitFor();
    await inspectPage(page, 'upload-begun');
    await inHeader().getByRole('link', { name: 'See the job' }).click();
    await waits();
    await inHeader().waitFor({ state: 'detached' });
  });

  test('after a return to its form the upload shows its progress, and links to its job', async () => {
    await goTo(page, 'Usage');
    await progress().waitFor();
    await page.goBack();
    await uploading().waitFor();
    assert.equal(await inHeader().count(), 0);
    await finishUpload();
    await waits();
  });

  test('another file can be uploaded at the same time, from its own form', async () => {
    const finishFirst = finishUpload;
    await goTo(page, 'Jobs');
    await beginUpload();
    assert.equal(await progress().count(), 1);
    await goTo(page, 'Jobs');
    await progress().nth(1).waitFor();
    await finishFirst();
    await finishUpload();
    await inHeader().getByText('The split has begun.').nth(1).waitFor();
    for (const left of [1, 0]) {
      await page.getByRole('button', { name: 'Dismiss lecture.wav' }).first().click();
      await inHeader().nth(left).waitFor({ state: 'detached' });
    }
  });

  test('"Stop" in the header ends the upload, and its bytes no longer count', async () => {
    await goTo(page, 'Jobs');
    const stopped = page.waitForEvent('requestfailed', (request) => request.method() === 'PATCH');
    const givenUp = removal();
    await press('Stop the upload of lecture.wav');
    await stopped;
    assert.equal((await givenUp).status(), 204);
    await inHeader().waitFor({ state: 'detached' });
    await page.goBack();
    await form().waitFor();
  });

  test('a rejected upload is shown on the current page, and is retried on a click', async () => {
    await goTo(page, 'Jobs');
    await progress().waitFor();
    await breakUpload();
    await inHeader().getByText('Wait until one has ended.').waitFor();
    await inspectPage(page, 'upload-broken');
    await press('Try again');
    await inHeader().getByText('The split has begun.').waitFor();
    await press('Dismiss lecture.wav');
  });

  test('links out of the console and signing out require a confirmation', async () => {
    await goTo(page, 'Docs');
    await question().waitFor();
    await inspectPage(page, 'split-leave');
    await press('Stay here');
    await press('Sign out');
    await question().waitFor();
    await staysAndFinishes();
  });

  test('the browser asks for a confirmation before a reload and before the tab is closed, on every page', async () => {
    for (const leave of [
      () => page.evaluate('setTimeout(() => location.reload())'),
      () => page.close({ runBeforeUnload: true }),
    ]) {
      await goTo(page, 'Jobs');
      const asked = page.waitForEvent('dialog');
      await leave();
      const dialog = await asked;
      assert.equal(dialog.type(), 'beforeunload');
      await dialog.dismiss();
    }
    await progress().waitFor();
    await page.goBack();
    await uploading().waitFor();
    await finishUpload();
    await waits();
  });

  test('an upload that ends while the confirmation is open leads to its job', async () => {
    await goTo(page, 'Docs');
    await question().waitFor();
    await finishUpload();
    await waits();
    assert.equal(await question().count(), 0);
    await goTo(page, 'Usage');
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
  });

  test('"Stop" ends an upload that waits for its link: the form is shown again, and nothing is sent', async () => {
    const { promise: asking, resolve: ask } = Promise.withResolvers<Route>();
    await press('Stop');
    await form().waitFor();
    await page.route('**/jobs.createResumableUpload*', ask, { times: 1 });
    await form().click();
    const asked = await asking;
    await uploading().waitFor();
    sent = [];
    await press('Stop');
    await form().waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    const givenUp = removal();
    await asked.continue();
    assert.equal((await givenUp).status(), 204);
    await goTo(page, 'Usage');
    await page.getByText('of 60 included').waitFor();
    assert.deepEqual(sent, []);
  });

  test('after the upload, leaving requires a confirmation while the split is about to start', async () => {
    const { promise: asking, resolve: ask } = Promise.withResolvers<Route>();
    await page.route('**/jobs.create', ask, { times: 1 });
    await finishUpload();
    const asked = await asking;
    await goTo(page, 'Docs');
    await page.getByRole('dialog', { name: 'Leave before the split has begun?' }).waitFor();
    assert.equal(await question().count(), 0);
    await press('Stay here');
    await asked.continue();
    await waits();
  });

  test('"Back" from a job restores the form, a new visit has an empty one', async () => {
    await press('Stop');
    await form().waitFor();
    await page.getByLabel('Length of a segment').fill('0:07');
    await page.getByLabel('Format of the segments').selectOption('flac');
    await form().click();
    await job().waitFor();
    await page.goBack();
    const button = page.getByRole('button', { name: 'Split into 5 segments' });
    await button.waitFor();
    await page.getByText('lecture.wav').first().waitFor();
    assert.equal(await page.getByLabel('Length of a segment').inputValue(), '0:07');
    assert.equal(await page.getByLabel('Format of the segments').inputValue(), 'flac');
    await button.click();
    await job().waitFor();
    await goTo(page, 'Split');
    await page.getByText('Drop an audio file').waitFor();
    assert.equal(await page.getByLabel('Length of a segment').inputValue(), '5:00');
    // For the next test.
    await goTo(page, 'Jobs');
  });

  test('a form that was not submitted is kept for the next visit', async () => {
    await press('Stop');
    await page.getByLabel('Length of a segment').fill('12');
    await goTo(page, 'Usage');
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
    await goTo(page, 'Split');
    await page.getByText('lecture.wav').first().waitFor();
    assert.equal(await page.getByLabel('Length of a segment').inputValue(), '12');
    await page.getByRole('button', { name: /^Split into/ }).click();
    await job().waitFor();
  });

  test('no page reported an error or violated the content policy', async () => {
    await finishUpload();
    await waits();
    visitor.assertQuiet();
  });
});
