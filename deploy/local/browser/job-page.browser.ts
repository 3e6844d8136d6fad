/** What the pages of a job tell a person, and what they offer: real services, a splitter that the test plays, and Chromium. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { Api } from '../test/api.fixture.ts';
import { launchChromium } from './chromium.ts';
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

  test('nothing complained, and the content policy had nothing to refuse', () => visitor.assertQuiet());
});
