/** Checks for every page, independent of its content. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { pictureFile } from './pictures.ts';
import { assertAccessible, NARROW, WIDE } from './visitor.ts';

const isShooting = process.env.CONSOLE_SCREENSHOTS === '1';
/** Only colours depend on the scheme. */
const SCHEMES = { light: 'all', dark: 'of colours' } as const;
const WINDOWS = { wide: WIDE, narrow: NARROW } as const;
/** Up to a large screen: widths at which the styles have just changed to those of a wider screen. */
const FITTING_WIDTHS = [521, 721, 761, 861, 961, 1081, 1920];
const HEIGHT = 1_080;

/**
 * Checks for findings in both colour schemes on a phone and on a desktop, and that the page is no wider than
 * any window. Takes a screenshot of each if a name is given and screenshots are enabled.
 */
export async function inspectPage(page: Page, pictureName?: string): Promise<void> {
  await page.locator('.toast-visible').waitFor({ state: 'detached' });
  const shoot = async (what: string) => {
    if (isShooting && pictureName !== undefined)
      await page.screenshot({ path: pictureFile(`${pictureName}-${what}`) });
  };
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const [width, viewport] of Object.entries(WINDOWS)) {
      await page.setViewportSize(viewport);
      await assertFits(page);
      await assertAccessible(page, SCHEMES[colorScheme]);
      await shoot(`${colorScheme}-${width}`);
    }
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  for (const width of FITTING_WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT });
    await assertFits(page);
  }
  await shoot('light-widest');
  await page.setViewportSize(WIDE);
}

/** The page, and a dialog on it, which scrolls separately. */
async function assertFits(page: Page): Promise<void> {
  const overflows = (await page.evaluate(FIND_OVERFLOWS)) as string[];
  assert.deepEqual(overflows, [], `${page.url()} is wider than a window of ${page.viewportSize()?.width} px`);
}

/** By how much the page overflows, and the innermost element that is too wide and in no scroll container. */
const FIND_OVERFLOWS = `[document.documentElement, ...document.querySelectorAll('dialog[open]')].flatMap((box) => {
  const px = box.scrollWidth - box.clientWidth;
  if (px <= 0) return [];
  const edge = box.getBoundingClientRect().left + box.clientWidth;
  const scrolls = (each) => each !== box && (getComputedStyle(each).overflowX !== 'visible' || scrolls(each.parentElement));
  const wide = [...box.querySelectorAll('*')].filter((each) =>
    each.getBoundingClientRect().right > edge && !scrolls(each.parentElement));
  return [px + ' px: ' + wide.at(-1)?.outerHTML.slice(0, 300)];
})`;
