/** A user without a mouse: moves from stop to stop with Tab, and sees at each where the focus is. */
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';

/** More stops than any page has between two tested ones. */
const MAX_STOPS = 60;

/**
 * A ring around the element, or around its visible substitute if the element itself is invisible, like a
 * radio button.
 */
const STOP = `(() => {
  const element = document.activeElement;
  const named = element.outerHTML.slice(0, 120);
  if (element === document.body) return { named, problem: 'nothing has the focus' };
  const hasRing = [element, element.nextElementSibling].some((each) => {
    const { outlineStyle, outlineWidth } = each === null ? {} : getComputedStyle(each);
    return outlineStyle === 'solid' && parseFloat(outlineWidth) >= 2;
  });
  if (!hasRing) return { named, problem: 'shows no ring' };
  const { left, top, width, height } = element.getBoundingClientRect();
  const hit = document.elementFromPoint(left + width / 2, top + height / 2);
  const shown = element.closest('label') ?? element;
  const isSeen = hit !== null && (shown.contains(hit) || hit.contains(shown));
  return { named, problem: isSeen ? '' : 'lies below something else' };
})()`;

export function openKeyboard(page: Page) {
  let presses = 0;
  const press = async (key: string) => {
    presses += 1;
    await page.keyboard.press(key);
  };
  const focused = page.locator(':focus');
  return {
    press,
    /** The number of key presses; a typed text counts once. */
    get presses() {
      return presses;
    },
    async type(text: string) {
      presses += 1;
      await page.keyboard.type(text);
    },
    /** Moves forward or back until the element has the focus. */
    async tabTo(wanted: Locator, direction: 'Tab' | 'Shift+Tab' = 'Tab') {
      for (let stops = 0; stops < MAX_STOPS; stops += 1) {
        await press(direction);
        const { named, problem } = (await page.evaluate(STOP)) as { named: string; problem: string };
        assert.equal(problem, '', named);
        if ((await wanted.and(focused).count()) > 0) return;
      }
      assert.fail(`${wanted} is not reached within ${MAX_STOPS} stops`);
    },
    /** Waits until the element has the focus. */
    assertAt: (wanted: Locator) => wanted.and(focused).waitFor({ state: 'attached' }),
  };
}
