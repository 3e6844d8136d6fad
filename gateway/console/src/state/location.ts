/** The address of the page. The gateway serves the page at all of them. */
import { createStore } from './store.ts';

export const path = createStore(location.pathname);
/** As `?q=talk`; empty where the address has none. */
export const query = createStore(location.search);
/** The entry of the browser's history that is shown. Links within a page, as to its content, stay in their entry. */
export const entry = createStore(entryIn(history.state) ?? newEntry());
history.replaceState({ entry: entry.get() }, '');

addEventListener('popstate', ({ state }) => {
  const reached = entryIn(state) ?? entry.get();
  history.replaceState({ entry: reached }, '');
  follow(reached);
});

addEventListener('hashchange', () => {
  history.replaceState({ entry: entry.get() }, '');
});

export function navigate(to: string): void {
  if (to === addressHere()) return;
  const reached = newEntry();
  history.pushState({ entry: reached }, '', to);
  follow(reached);
  scrollTo(0, 0);
}

/** Replaces the address without a new history entry. */
export function readdress(to: string): void {
  history.replaceState({ entry: entry.get() }, '', to);
  follow(entry.get());
}

/** Path and query. */
export function addressHere(): string {
  return location.pathname + location.search;
}

function follow(reached: number): void {
  path.set(location.pathname);
  query.set(location.search);
  entry.set(reached);
}

/** Unlike that of any other entry, also after a reload. */
function newEntry(): number {
  return performance.timeOrigin + performance.now();
}

function entryIn(state: unknown): number | undefined {
  const { entry: found } = Object(state);
  return typeof found === 'number' ? found : undefined;
}
