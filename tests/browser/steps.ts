/** Actions that users take on many pages, and assertions for all pages. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';

export const PASSWORD = 'correct horse battery';
const MAX_SCRIPT_BYTES = 80_000;

export async function signUp(page: Page, email: string): Promise<void> {
  await page.goto('/sign-up');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { level: 1, name: 'Split a file' }).waitFor();
}

export async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link', { name }).click();
}

/** Resolves with the job's id. */
export async function splitLink(page: Page, url: string): Promise<string> {
  await goTo(page, 'Split');
  await page.getByLabel('or paste a link to one').fill(url);
  await page.getByRole('button', { name: 'Split', exact: true }).click();
  await page.getByText('Waiting for its turn').waitFor();
  return new URL(page.url()).pathname.split('/').pop() ?? '';
}

/** Returns the file that the browser saves as a result of the action. */
export async function downloadFrom(page: Page, act: () => Promise<void>) {
  const [download] = await Promise.all([page.waitForEvent('download'), act()]);
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

/** Returns the received bytes of script, compressed; throws if a first visit loads more than allowed. */
export async function assertSmallScripts(page: Page): Promise<number> {
  const bytes = Number(
    await page.evaluate(
      "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).reduce((sum, each) => sum + each.encodedBodySize, 0)",
    ),
  );
  assert.ok(bytes > 0 && bytes <= MAX_SCRIPT_BYTES, `${bytes} bytes of script`);
  return bytes;
}
