/** What holds for every page, whatever is on it. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { assertAccessible } from './visitor.ts';

const SHOTS = join(import.meta.dirname, '../../results/console');
const isShooting = process.env.CONSOLE_SCREENSHOTS === '1';
const SCHEMES = ['light', 'dark'] as const;
const WIDTHS = { wide: { width: 1280, height: 860 }, narrow: { width: 390, height: 844 } } as const;

/**
 * Without a finding in either colour scheme and on either width, each in a picture where a name is given and pictures
 * are wanted.
 */
export async function inspectPage(page: Page, pictureName?: string): Promise<void> {
  await page.locator('.toast-visible').waitFor({ state: 'detached' });
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const [width, viewport] of Object.entries(WIDTHS)) {
      await page.setViewportSize(viewport);
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      assert.ok(Number(overflow) <= 0, `${page.url()} is wider than a ${width} window by ${overflow} px`);
      await assertAccessible(page);
      if (isShooting && pictureName !== undefined)
        await page.screenshot({ path: join(SHOTS, `${pictureName}-${colorScheme}-${width}.png`) });
    }
  }
  await page.setViewportSize(WIDTHS.wide);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
}
