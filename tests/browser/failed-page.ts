/** Shows what a visitor sees where a test fails: the page's text in the test's output, a picture in results/console. */
import { afterEach } from 'node:test';
import type { Page } from 'playwright-core';
import { pictureFile } from './pictures.ts';

/** A page that is stuck must not hide the test's own failure. */
const TIMEOUT_MS = 5_000;

const openPages = new Set<Page>();

afterEach(async (test) => {
  if (!('passed' in test) || test.passed) return;
  for (const page of openPages) await show(page, test);
});

/** Until the page is closed. */
export function showOnFailure(page: Page): void {
  openPages.add(page);
  page.once('close', () => openPages.delete(page));
}

async function show(page: Page, test: { readonly name: string; diagnostic(text: string): void }) {
  const file = pictureFile(`failed-${test.name.replaceAll(/\W+/g, '-')}`);
  try {
    const text = await page.locator('body').ariaSnapshot({ timeout: TIMEOUT_MS });
    test.diagnostic(`“${test.name}” failed at ${page.url()}, where the page was:\n${text}`);
    await page.screenshot({ path: file, timeout: TIMEOUT_MS });
    test.diagnostic(`a picture of it: ${file}`);
  } catch (error) {
    test.diagnostic(`the page at ${page.url()} could not be shown: ${error}`);
  }
}
