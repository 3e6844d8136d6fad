/** Where the page is. Addresses are those that the gateway serves the page at. */
import { createStore } from './store.ts';

export const path = createStore(location.pathname);
/** As `?q=talk`; empty where the address has none. */
export const query = createStore(location.search);

addEventListener('popstate', follow);

export function navigate(to: string): void {
  if (to === location.pathname + location.search) return;
  history.pushState(null, '', to);
  follow();
  scrollTo(0, 0);
}

/** For what is still the same place, and no step of the way back. */
export function readdress(to: string): void {
  history.replaceState(null, '', to);
  follow();
}

function follow(): void {
  path.set(location.pathname);
  query.set(location.search);
}
