/** An upload in flight is not ended without asking. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { Route } from 'playwright-core';
import { stackOfFile } from '../harness/for-suite.ts';
import { inspectPage } from './inspect-page.ts';
import { openAccountPage } from './open-api.ts';
import { makeRecording } from './recording.ts';
import { goTo } from './steps.ts';

const SECONDS = 30;
const recording = { name: 'lecture.wav', mimeType: 'audio/wav', buffer: makeRecording(SECONDS) };

const { visitor, page } = await openAccountPage(stackOfFile(), 'ivo@example.com');
/** Files sent, and jobs created. */
let sent: string[] = [];
page.on('request', (request) => {
  if (request.method() === 'PUT' || request.url().endsWith('/jobs.create')) sent.push(request.url());
});

describe('uploading in a browser', () => {
  let finishUpload: () => Promise<void>;

  /** From the list of jobs to an upload that has begun, and does not end by itself. */
  beforeEach(async () => {
    await goTo(page, 'Jobs');
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
    const { promise: sending, resolve: begin } = Promise.withResolvers<Route>();
    await page.unroute('**/uploads/**');
    await page.route('**/uploads/**', (route) => begin(route));
    await goTo(page, 'Split');
    await page.getByLabel('Audio file').setInputFiles(recording);
    await page.getByRole('button', { name: 'Split', exact: false }).last().click();
    const route = await sending;
    finishUpload = () => route.continue();
    await uploading().waitFor();
  });

  const uploading = () => page.getByRole('button', { name: /^Uploading/ });
  const form = () => page.getByRole('button', { name: /^Split into/ });
  const question = () => page.getByRole('dialog', { name: 'Stop the upload?' });
  const press = (name: string) => page.getByRole('button', { name }).click();
  const jobs = () => page.getByRole('heading', { level: 1, name: 'Jobs' });
  const waits = () => page.getByText('Waiting for its turn').waitFor();
  const pathNow = () => new URL(page.url()).pathname;

  async function staysAndFinishes(): Promise<void> {
    await press('Stay here');
    await question().waitFor({ state: 'detached' });
    assert.equal(pathNow(), '/');
    await finishUpload();
    await waits();
  }

  test('a link asks first: who stays keeps the upload', async () => {
    await goTo(page, 'Jobs');
    await question().waitFor();
    await inspectPage(page, 'split-leave');
    await staysAndFinishes();
  });

  test('a link asks first: who leaves stops the upload', async () => {
    const stopped = page.waitForEvent('requestfailed', (request) => request.method() === 'PUT');
    await goTo(page, 'Jobs');
    await press('Stop and leave');
    await jobs().waitFor();
    await stopped;
    await goTo(page, 'Split');
    await page.getByRole('heading', { level: 1, name: 'Split a file' }).waitFor();
    assert.equal(await question().count(), 0);
  });

  test('Back asks as well: who stays keeps upload and address', async () => {
    await page.goBack();
    await question().waitFor();
    await staysAndFinishes();
  });

  test('Back asks as well: who leaves gets where Back leads, and Forward leads on', async () => {
    await page.goBack();
    await press('Stop and leave');
    await jobs().waitFor();
    assert.equal(pathNow(), '/jobs');
    await page.goForward();
    await page.getByRole('heading', { level: 1, name: 'Split a file' }).waitFor();
  });

  test('a link out of the console, and signing out, ask as well', async () => {
    await goTo(page, 'Docs');
    await question().waitFor();
    await press('Stay here');
    await press('Sign out');
    await question().waitFor();
    await staysAndFinishes();
  });

  test('the browser asks before a reload and before the tab is closed', async () => {
    for (const leave of [
      () => page.evaluate('setTimeout(() => location.reload())'),
      () => page.close({ runBeforeUnload: true }),
    ]) {
      const asked = page.waitForEvent('dialog');
      await leave();
      const dialog = await asked;
      assert.equal(dialog.type(), 'beforeunload');
      await dialog.dismiss();
    }
    await uploading().waitFor();
    await finishUpload();
    await waits();
  });

  test('an upload that ends while somebody is asked goes on to its job', async () => {
    await goTo(page, 'Jobs');
    await question().waitFor();
    await finishUpload();
    await waits();
    assert.equal(await question().count(), 0);
    await goTo(page, 'Usage');
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
  });

  /** From an upload that has begun to one that waits for its link. Returns what lets the link arrive. */
  async function beginAgain(): Promise<() => Promise<void>> {
    const { promise: asking, resolve: ask } = Promise.withResolvers<Route>();
    await press('Stop');
    await form().waitFor();
    await page.route('**/jobs.createUpload*', ask, { times: 1 });
    await form().click();
    const asked = await asking;
    await uploading().waitFor();
    return () => asked.continue().catch(() => undefined);
  }

  /** That neither the file is sent nor a job created, once the page has made another round trip. */
  async function assertNothingSent(): Promise<void> {
    await goTo(page, 'Usage');
    await page.getByText('of 60 included').waitFor();
    assert.deepEqual(sent, []);
  }

  test('Stop ends an upload that waits for its link: the form is back, and nothing is sent', async () => {
    const giveLink = await beginAgain();
    sent = [];
    await press('Stop');
    await form().waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    await giveLink();
    await assertNothingSent();
  });

  test('who leaves an upload that waits for its link stops it', async () => {
    const giveLink = await beginAgain();
    sent = [];
    await goTo(page, 'Jobs');
    await press('Stop and leave');
    await jobs().waitFor();
    await giveLink();
    await assertNothingSent();
  });

  test('once the file is there, leaving asks about the split that is about to begin', async () => {
    const { promise: asking, resolve: ask } = Promise.withResolvers<Route>();
    await page.route('**/jobs.create', ask, { times: 1 });
    await finishUpload();
    const asked = await asking;
    await goTo(page, 'Jobs');
    await page.getByRole('dialog', { name: 'Leave before the split has begun?' }).waitFor();
    assert.equal(await question().count(), 0);
    await press('Stay here');
    await asked.continue();
    await waits();
  });

  test('nothing complained, and the content policy had nothing to refuse', async () => {
    await finishUpload();
    await waits();
    visitor.assertQuiet();
  });
});
