/**
 * Moves the focus to the heading when its element is removed, as with a deleted row. Otherwise it would return to the
 * start of the document.
 */
export function keepFocus(root: HTMLElement): void {
  let focused: EventTarget | null = null;
  root.addEventListener('focusin', ({ target }) => {
    focused = target;
  });
  new MutationObserver(() => {
    if (document.activeElement !== document.body || !(focused instanceof Node) || focused.isConnected) return;
    const heading =
      root.querySelector<HTMLElement>('dialog[open] h2') ?? root.querySelector<HTMLElement>('h1');
    if (heading === null) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }).observe(root, { childList: true, subtree: true });
}
