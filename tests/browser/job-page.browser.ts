/**
 * The information and actions on a job's pages: real services, a splitter that the test plays, and Chromium.
 */
import assert from 'node:assert/strict';
import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { until } from '@audiosplit/chassis/testing/until';
import type { Route } from 'playwright-core';
import { stackOfFile } from '../harness/stack-of-file.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { inspectPage } from './inspect-page.ts';
import { holdLease, openAccountPage } from './open-api.ts';
import { goTo, splitLink } from './steps.ts';
import { openVisitor } from './visitor.ts';

const stack = stackOfFile();
const { api, browser, visitor, page } = await openAccountPage(stack, 'ada@example.com');

describe("a job's page in a browser", () => {
  const split = (url: string) => splitLink(page, url);

  test('the upload command is safe for every file name', async () => {
    await goTo(page, 'Split');
    const name = "it's'; touch taken; '{a,b}.mp3";
    const file = { name, mimeType: 'audio/mpeg', buffer: Buffer.from('x') };
    await page.getByLabel('Audio file').setInputFiles(file);
    await page.getByText('Do this with curl').click();
    const command = await page.getByRole('region', { name: 'Command' }).innerText();
    assert.ok(command.includes(` './it'\\''s'\\''; touch taken; '\\''{a,b}.mp3') &&`), command);
  });

  test('a waiting job shows its position in the queue', async () => {
    const first = await split('https://example.com/first.mp3');
    await page.getByText('the next in line').waitFor();
    const second = await split('https://example.com/second.mp3');
    await page.getByText('Waiting for its turn, 1 ahead').waitFor();
    await inspectPage(page, 'job-waiting');
    for (const jobId of [first, second]) await api.fail(jobId, { code: 'TIMED_OUT', message: 'Too long.' });
  });

  test('while the source is fetched the page shows bytes, not a percentage that does not move', async () => {
    const jobId = await split('https://example.com/far-away.mp3');
    const lease = await holdLease(stack, api, jobId, 'splitter');
    await page.getByText('Fetching …', { exact: true }).waitFor();
    await lease.reportFetched(1_250_000n);
    await page.getByText(/^Fetching … 1\.25 MB/).waitFor();
    const speed = page.getByText(/^Fetching … [\d.]+ MB of 98\.0 MB, [\d.]+ [kM]?B\/s$/);
    for (let megabytes = 2n; !(await speed.isVisible()); megabytes += 1n) {
      assert.ok(megabytes < 60n, 'the speed is shown');
      await lease.reportFetched(megabytes * 1_000_000n, 98_000_000n);
      await page.waitForTimeout(300);
    }
    await lease.reportFetched(62_300_000n, 98_000_000n);
    await page.getByText('Fetching … 62.3 MB of 98.0 MB').waitFor();
    await inspectPage(page, 'job-fetching');
    await page.reload();
    await page.getByText('Fetching … 62.3 MB of 98.0 MB').waitFor();
    await goTo(page, 'Jobs');
    const row = page.getByRole('row').filter({ hasText: jobId });
    await row.getByText('Fetching').waitFor();
    const seen = Promise.withResolvers<void>();
    const lateAnswer = async (route: Route) => {
      const response = await route.fetch();
      await seen.promise;
      await route.fulfill({ response });
    };
    await page.route(/jobs\.get/, lateAnswer, { times: 1 });
    await row.getByRole('link', { name: 'far-away.mp3' }).click();
    await lease.report(7);
    await page.getByText('Cutting … 7 %').waitFor();
    const arrival = page.waitForResponse(/jobs\.get/);
    seen.resolve();
    await arrival;
    await page.waitForTimeout(200);
    assert.equal(
      await page.getByText('Fetching').count(),
      0,
      'what was read before the event undoes nothing',
    );
    await lease.report(99);
    await page.getByText('Storing the segments …').waitFor();
    await api.finish(lease);
    await page.getByText('Completed').waitFor();
  });

  const failed = () => page.getByRole('region', { name: 'Why it failed' });
  const again = () => page.getByRole('button', { name: 'Try again' });
  const plans = () => page.getByRole('link', { name: 'See the plans' });

  test('"Try again" is offered only if it may help, on the page and in the list', async () => {
    const mayPass = {
      SOURCE_UNREACHABLE: 1,
      SOURCE_TIMEOUT: 1,
      TIMED_OUT: 1,
      INTERNAL_ERROR: 1,
      SOURCE_FORBIDDEN: 0,
      UNSUPPORTED_MEDIA: 0,
      FILE_TOO_LARGE: 0,
      SEGMENT_LIMIT_UNREACHABLE: 0,
      TOO_MANY_SEGMENTS: 0,
      QUOTA_EXCEEDED: 0,
    };
    const ofPlan = ['FILE_TOO_LARGE', 'QUOTA_EXCEEDED'];
    for (const [code, count] of Object.entries(mayPass)) {
      const jobId = await split(`https://example.com/${code}.mp3`);
      await api.fail(jobId, { code, message: `It ended with ${code}.` });
      await failed().getByText(code, { exact: true }).waitFor();
      assert.equal(await again().count(), count, code);
      assert.equal(await plans().count(), ofPlan.includes(code) ? 1 : 0, code);
    }
    await inspectPage(page);
    await plans().click();
    await page.getByRole('heading', { level: 1, name: 'Billing' }).waitFor();
    await goTo(page, 'Jobs');
    const retry = (code: string) => page.getByRole('button', { name: `Try again: ${code}.mp3` });
    await retry('TIMED_OUT').waitFor();
    for (const [code, count] of Object.entries(mayPass)) assert.equal(await retry(code).count(), count, code);
  });

  test('a canceled job is not a failure on its page, its badge, its row and in usage', async () => {
    const jobId = await split('https://example.com/regretted.mp3');
    await page.getByRole('button', { name: 'Cancel the job' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the job' }).click();
    await page.getByRole('heading', { name: 'This job was canceled' }).waitFor();
    await page.getByText('Canceled', { exact: true }).waitFor();
    assert.equal(await page.getByText(/fail/i).count(), 0);
    await inspectPage(page, 'job-canceled');
    await goTo(page, 'Jobs');
    await page.getByRole('radio', { name: 'Canceled' }).check();
    await page.getByText('1 job found').waitFor();
    const row = page.getByRole('row').filter({ hasText: 'regretted.mp3' });
    await row.getByText('Canceled', { exact: true }).waitFor();
    assert.equal(await row.getByText(/fail/i).count(), 0);
    await page.getByRole('radio', { name: 'Failed' }).check();
    await page.getByRole('row').filter({ hasText: 'INTERNAL_ERROR' }).first().waitFor();
    assert.equal(await row.count(), 0);
    await goTo(page, 'Usage');
    const canceled = page.getByRole('table', { name: 'Audio per day' }).getByRole('cell').last();
    await until(async () => {
      await page.reload();
      return (await canceled.innerText()) === '1';
    }, 'usage counts it as canceled');
    await page.goto(`/jobs/${jobId}`);
    await page.getByRole('button', { name: 'Split it after all' }).click();
    await page.getByText('Waiting for its turn').waitFor();
  });

  test('retrying a job whose link needed headers requires their values', async () => {
    await goTo(page, 'Split');
    await page.getByLabel('or paste a link to one').fill('https://example.com/private.mp3');
    await page.getByText('The link needs credentials').click();
    await page.getByLabel('Headers for the source').fill('Authorization: Bearer my-token\nX-Team: audio');
    await page.getByRole('button', { name: 'Split', exact: true }).click();
    await page.getByText('Waiting for its turn').waitFor();
    const jobId = new URL(page.url()).pathname.split('/').pop() ?? '';
    await api.fail(jobId);
    await again().click();
    const dialog = page.getByRole('dialog', { name: 'Enter the headers again' });
    const go = dialog.getByRole('button', { name: 'Try again' });
    await dialog.getByLabel('authorization').fill('Bearer my-token');
    assert.equal(await go.isDisabled(), true);
    await inspectPage(page, 'job-headers-again');
    await dialog.getByLabel('x-team').fill('audio');
    await go.click();
    await page.getByText('Waiting for its turn').waitFor();
    const secondId = new URL(page.url()).pathname.split('/').pop() ?? '';
    const claim = { jobId: secondId, workerId: 'splitter', sendsSourceHeaders: true };
    const { fence, sourceHeaders } = await api.leases.claimJob(claim);
    assert.deepEqual(sourceHeaders, { authorization: 'Bearer my-token', 'x-team': 'audio' });
    const error = { code: 'UNSUPPORTED_MEDIA', message: 'It is no audio.' };
    await api.leases.failJob({ jobId: secondId, fence, error, retryable: false });

    await goTo(page, 'Jobs');
    await page.getByRole('button', { name: 'Try again: private.mp3' }).click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.goto(`/jobs/${jobId}`);
    await page.getByRole('button', { name: 'Other settings' }).click();
    assert.equal(await page.getByLabel('Headers for the source').inputValue(), 'authorization: \nx-team: ');
    await page.getByText('Enter a name and a value on each line').waitFor();
    await page.getByLabel('Headers for the source').fill('');
  });

  test('an unknown page and an unknown job show a page with a way back, and return 404', async () => {
    const statusAt = async (path: string) => (await page.goto(path))?.status();
    assert.equal(await statusAt('/jobs/job_none'), 404);
    await page.getByRole('heading', { name: 'There is no such job' }).waitFor();
    assert.equal(await again().count(), 0);
    await page.getByRole('link', { name: 'See your jobs' }).click();
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
    assert.equal(await statusAt('/jobbs'), 404);
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    await inspectPage(page);
    await page.getByRole('main').getByRole('link', { name: 'Split a file' }).click();
    await page.getByRole('heading', { level: 1, name: 'Split a file' }).waitFor();
  });

  test('wrong addresses have pages for visitors who are not signed in, too', async () => {
    const stranger = stack.use(await openVisitor(browser, api.url));
    assert.equal((await stranger.page.goto('/jobbs'))?.status(), 404);
    await stranger.page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    await inspectPage(stranger.page, 'not-found');
    await stranger.page.getByRole('link', { name: 'To the start' }).click();
    await stranger.page.getByRole('heading', { name: 'Create your account' }).waitFor();
    stranger.assertQuiet();
  });

  test('a file that is too large for the plan links to the plans, with readable sizes', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'long.wav');
    await writeFile(path, '');
    await truncate(path, 110e6);
    await goTo(page, 'Split');
    await page.getByLabel('Audio file').setInputFiles(path);
    const refusal = page.getByRole('alert').filter({ hasText: 'FILE_TOO_LARGE' });
    await refusal.getByText('Your plan allows files of up to 105 MB; this one has 110 MB.').waitFor();
    await refusal.getByRole('link', { name: 'See the plans' }).click();
    await page.getByRole('heading', { level: 1, name: 'Billing' }).waitFor();
  });

  test(`"Other settings" splits a source again, starting with the job's settings`, async () => {
    const jobId = await split('https://example.com/panel.mp3?token=secret');
    await api.fail(jobId, { code: 'TIMED_OUT', message: 'Too long.' });
    await page.getByRole('button', { name: 'Other settings' }).click();
    await page.getByRole('heading', { level: 1, name: 'Split a file' }).waitFor();
    const link = page.getByLabel('or paste a link to one');
    assert.equal(await link.inputValue(), 'https://example.com/panel.mp3?token=secret');
    const length = page.getByLabel('Length of a segment');
    assert.equal(await length.inputValue(), '5:00');
    await length.fill('1m30s');
    await page.getByRole('button', { name: 'Split', exact: true }).click();
    await page.getByText('every 1 min 30 s').waitFor();
    const again = new URL(page.url()).pathname.split('/').pop() ?? '';
    await api.fail(again, { code: 'TIMED_OUT', message: 'Too long.' });
  });

  test("rows of segments are exact: each ends where the next begins, the last at the source's end", async () => {
    const jobId = await split('https://example.com/lecture.mp3');
    // Together with the 90.6 s of the previous job, everything that the Free plan includes.
    await api.finish(await api.claim(jobId), { cutMs: 124_120, endMs: 3_509_400 });
    await page.getByText('Completed').waitFor();
    const times = await page.locator('.segment-time').allInnerTexts();
    assert.deepEqual(times, ['0:00.000 – 2:04.120', '2:04.120 – 58:29.400']);
    assert.deepEqual(await page.locator('.segment-length').allInnerTexts(), ['2:04.120', '56:25.280']);
    await page.getByText('58:29.400 ·').waitFor();
    await inspectPage(page);
  });

  test('without remaining minutes the error links to the plans, and offers no retry', async () => {
    await goTo(page, 'Split');
    await page.getByLabel('or paste a link to one').fill('https://example.com/more.mp3');
    await page.getByRole('button', { name: 'Split', exact: true }).click();
    const refusal = page.getByRole('alert').filter({ hasText: 'QUOTA_EXCEEDED' });
    await refusal.getByRole('link', { name: 'See the plans' }).waitFor();
    assert.equal(await again().count(), 0);
    await inspectPage(page);
  });

  test('no page reported an error or violated the content policy', () => visitor.assertQuiet());
});
