/** The browser of a suite, and a look at what it shows. */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { assertAccessible } from './visitor.ts';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--autoplay-policy=no-user-gesture-required',
];
const SHOTS = join(import.meta.dirname, '../../../docs/console');
const isShooting = process.env.CONSOLE_SCREENSHOTS === '1';

const SCHEMES = ['light', 'dark'] as const;
const WIDTHS = { wide: { width: 1280, height: 860 }, narrow: { width: 390, height: 844 } } as const;

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env.CHROMIUM_PATH ?? 'chromium', args: FLAGS });
}

/** Without a finding in either colour scheme and on either width, and a picture of each where one is wanted. */
export async function inspect(page: Page, name: string): Promise<void> {
  if (isShooting) await mkdir(SHOTS, { recursive: true });
  await page.locator('.toast-visible').waitFor({ state: 'detached' });
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const [width, viewport] of Object.entries(WIDTHS)) {
      await page.setViewportSize(viewport);
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      assert.ok(Number(overflow) <= 0, `${name} is wider than a ${width} window by ${overflow} px`);
      await assertAccessible(page);
      if (isShooting) await page.screenshot({ path: join(SHOTS, `${name}-${colorScheme}-${width}.png`) });
    }
  }
  await page.setViewportSize(WIDTHS.wide);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
}
