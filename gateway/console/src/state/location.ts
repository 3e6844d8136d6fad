/** Where the page is. Addresses are those that the gateway serves the page at. */
import { createStore } from './store.ts';

export const path = createStore(location.pathname);

addEventListener('popstate', () => path.set(location.pathname));

export function navigate(to: string): void {
  if (to === location.pathname) return;
  history.pushState(null, '', to);
  path.set(to);
  scrollTo(0, 0);
}
