/** An upload continues after a broken connection, and after a reload once the same file is chosen again. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import type { Page, Request, Route } from 'playwright-core';
import { stackOfFile } from '../harness/stack-of-file.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { openBrowser } from './chromium.ts';
import { openConnection } from './connection.ts';
import { inspectPage } from './inspect-page.ts';
import { openApi } from './open-api.ts';
import { makeRecording } from './recording.ts';
import { goTo, signUp } from './steps.ts';
import { openVisitor } from './visitor.ts';

const PART_BYTES = 8 * 1024 * 1024;
/** Uploaded in two parts. */
const recording = makeRecording(600);
const SILENCE_MS = 60_000;

const stack = stackOfFile();
const api = await openApi(stack);
const connection = stack.use(await openConnection(api.url));
const visitor = stack.use(await openVisitor(await openBrowser(stack), connection.url));
const { page, context } = visitor;
const file = join(stack.use(await temporaryFolder()).path, 'lecture.wav');
await writeFile(file, recording);
await signUp(page, 'uma@example.com');

describe('an upload that breaks off in a browser', () => {
  /** Creations, parts and ends of uploads, in order. */
  let sent: string[] = [];
  context.on('request', (request: Request) => {
    const method = request.method();
    if (request.url().includes('/jobs.createResumableUpload')) sent.push('create');
    if (!request.url().includes('/uploads/tus/') || method === 'HEAD') return;
    sent.push(method === 'PATCH' ? `from ${request.headers()['upload-offset']}` : method);
  });

  beforeEach(async () => {
    connection.mend();
    assert.ok(recording.length > PART_BYTES && recording.length < 2 * PART_BYTES);
    await context.unroute('**/uploads/tus/**');
    await goTo(page, 'Split');
    sent = [];
  });

  /** Handles the first request for the second part. */
  const onSecondPart = (handle: (route: Route) => Promise<void> | void) => {
    let isHandled = false;
    return context.route('**/uploads/tus/**', (route) => {
      const isSecond = route.request().headers()['upload-offset'] === String(PART_BYTES);
      if (isHandled || !isSecond) return route.fallback();
      isHandled = true;
      return handle(route);
    });
  };
  const begin = async (on: Page = page) => {
    await on.getByLabel('Audio file').setInputFiles(file);
    await on.getByRole('button', { name: /^Split into/ }).click();
  };
  const job = (on: Page = page) => on.getByRole('heading', { level: 1, name: 'lecture.wav' }).waitFor();
  const lost = () => page.getByText('Connection lost, trying again …', { exact: true });
  const unfinished = () => page.getByText('lecture.wav was being uploaded.');
  /** Interrupts the upload in the middle of the second part. */
  const breakByReload = async () => {
    const { promise: second, resolve } = Promise.withResolvers<Route>();
    await onSecondPart(resolve);
    await begin();
    await second;
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await unfinished().waitFor();
    sent = [];
  };

  test('an upload resumes by itself, and shows the lost connection until then', async () => {
    await onSecondPart((route) => {
      connection.cut();
      return route.continue();
    });
    await begin();
    await lost().waitFor();
    await page.getByRole('status').getByText('Connection lost, trying again').first().waitFor();
    await inspectPage(page, 'upload-lost');
    await goTo(page, 'Usage');
    const inHeader = page.getByRole('list', { name: 'Uploads' });
    await inHeader.getByText('Connection lost, trying again').waitFor();
    await inspectPage(page, 'upload-lost-elsewhere');
    connection.mend();
    await inHeader.getByRole('link', { name: 'See the job' }).click();
    await job();
    assert.deepEqual(sent, ['create', 'from 0', `from ${PART_BYTES}`, `from ${PART_BYTES}`]);
  });

  test('an upload resumes after a reload, once the same file is chosen', async () => {
    await breakByReload();
    await inspectPage(page, 'upload-unfinished');
    await begin();
    await job();
    assert.deepEqual(sent, [`from ${PART_BYTES}`]);
    await goTo(page, 'Split');
    assert.equal(await unfinished().count(), 0);
  });

  test('a file that a job already uses is uploaded again', async () => {
    await begin();
    await job();
    assert.deepEqual(sent, ['create', 'from 0', `from ${PART_BYTES}`]);
  });

  test('a discarded upload is removed from the service, and starts again', async () => {
    await breakByReload();
    const given = page.waitForResponse((response) => response.request().method() === 'DELETE');
    await page.getByRole('button', { name: 'Give up' }).click();
    assert.equal((await given).status(), 204);
    await unfinished().waitFor({ state: 'detached' });
    await begin();
    await job();
    assert.deepEqual(sent, ['DELETE', 'create', 'from 0', `from ${PART_BYTES}`]);
  });

  test('another tab starts its own upload of the file, and the running one does not show as broken', async () => {
    const { promise: second, resolve } = Promise.withResolvers<Route>();
    await onSecondPart(resolve);
    await begin();
    const held = await second;
    const other = await context.newPage();
    await other.goto('/');
    await other.getByText('Drop an audio file').waitFor();
    await begin(other);
    await job(other);
    assert.equal(await other.getByText('was being uploaded').count(), 0);
    await other.close();
    await held.continue();
    await job();
    assert.deepEqual(sent.filter((each) => each === 'create').length, 2);
  });

  test('a silent connection is retried after a minute', async () => {
    await page.clock.install();
    await page.reload();
    await onSecondPart((route) => {
      connection.hush();
      return route.continue();
    });
    await begin();
    // The browser has sent everything.
    await page.getByRole('button', { name: 'Uploading … 100 %' }).waitFor();
    await page.clock.fastForward(SILENCE_MS / 2);
    assert.equal(await lost().count(), 0);
    await page.clock.fastForward(SILENCE_MS / 2);
    await lost().waitFor();
    connection.mend();
    await job();
    assert.deepEqual(sent, ['create', 'from 0', `from ${PART_BYTES}`, `from ${PART_BYTES}`]);
  });

  test('signing out leaves no link of an upload behind', async () => {
    await breakByReload();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 2, name: 'Sign in' }).waitFor();
    assert.doesNotMatch(String(await page.evaluate('JSON.stringify(localStorage)')), /upload/i);
  });
});
