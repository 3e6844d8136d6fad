/** The address of the page. The gateway serves the page at all of them. */
import { createStore } from './store.ts';

export const path = createStore(location.pathname);
/** As `?q=talk`; empty where the address has none. */
export const query = createStore(location.search);

/** Asks before a step back or forward; undefined if no question is needed. */
let ask: ((go: () => void) => void) | undefined;
/** Index of the current history entry. Comparing two of them shows in which direction a step went. */
let position = positionIn(history.state) ?? 0;
history.replaceState({ position }, '');

addEventListener('popstate', ({ state }) => {
  // An entry without a position has just been added by a link within the page.
  const reached = positionIn(state) ?? position + 1;
  const steps = reached - position;
  if (ask !== undefined && steps !== 0 && addressHere() !== path.get() + query.get()) {
    // The browser has made the step already.
    history.go(-steps);
    ask(() => history.go(steps));
    return;
  }
  position = reached;
  history.replaceState({ position }, '');
  follow();
});

addEventListener('hashchange', () => {
  if (positionIn(history.state) !== undefined) return;
  position += 1;
  history.replaceState({ position }, '');
});

export function navigate(to: string): void {
  if (to === addressHere()) return;
  position += 1;
  history.pushState({ position }, '', to);
  follow();
  scrollTo(0, 0);
}

/** Replaces the address without a new history entry. */
export function readdress(to: string): void {
  history.replaceState({ position }, '', to);
  follow();
}

/** Path and query. */
export function addressHere(): string {
  return location.pathname + location.search;
}

/** Calls `question` before each step back or forward. Returns a function that ends this. */
export function askBeforeSteps(question: (go: () => void) => void): () => void {
  ask = question;
  return () => {
    if (ask === question) ask = undefined;
  };
}

function follow(): void {
  path.set(location.pathname);
  query.set(location.search);
}

function positionIn(state: unknown): number | undefined {
  const { position: found } = Object(state);
  return typeof found === 'number' ? found : undefined;
}
