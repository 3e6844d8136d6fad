/** What the pages of a job tell a person, and what they offer: real services, a splitter that the test plays, and Chromium. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { Api } from '../test/api.fixture.ts';
import { launchChromium } from './chromium.ts';
import { inspectPage } from './inspect-page.ts';
import { openApi } from './open-api.ts';
import { goTo, signUp } from './steps.ts';
import { openVisitor, type Visitor } from './visitor.ts';

describe("a job's page in a browser", () => {
  const stack = new AsyncDisposableStack();
  let api: Api;
  let visitor: Visitor;
  let page: Page;

  before(async () => {
    api = await openApi(stack);
    const browser = stack.adopt(await launchChromium(process.env), (each) => each.close());
    visitor = stack.use(await openVisitor(browser, api.url));
    page = visitor.page;
    await signUp(page, 'ada@example.com');
  });
  after(() => stack.disposeAsync());

  async function split(url: string): Promise<string> {
    await goTo(page, 'Split');
    await page.getByLabel('or paste a link to one').fill(url);
    await page.getByRole('button', { name: 'Split', exact: true }).click();
    await page.getByText('Waiting for its turn').waitFor();
    return new URL(page.url()).pathname.split('/').pop() ?? '';
  }

  test('the command that uploads a file is safe whatever its name is', async () => {
    await goTo(page, 'Split');
    const name = "it's'; touch taken; '{a,b}.mp3";
    await page
      .getByLabel('Audio file')
      .setInputFiles({ name, mimeType: 'audio/mpeg', buffer: Buffer.from('x') });
    await page.getByText('Do this with curl').click();
    const command = await page.getByRole('region', { name: 'Command' }).innerText();
    assert.ok(command.includes(`-g -T './it'\\''s'\\''; touch taken; '\\''{a,b}.mp3'`), command);
  });

  test('rows of segments are exact: each ends where the next begins, the last where the source does', async () => {
    const jobId = await split('https://example.com/lecture.mp3');
    await api.finish(await api.claim(jobId), { cutMs: 124_120, endMs: 4_186_480 });
    await page.getByText('Completed').waitFor();
    const times = await page.locator('.segment-time').allInnerTexts();
    assert.deepEqual(times, ['0:00.000 – 2:04.120', '2:04.120 – 1:09:46.480']);
    assert.deepEqual(await page.locator('.segment-length').allInnerTexts(), ['2:04.120', '1:07:42.360']);
    await page.getByText('1:09:46.480 ·').waitFor();
    await inspectPage(page);
  });

  test('nothing complained, and the content policy had nothing to refuse', () => visitor.assertQuiet());
});
