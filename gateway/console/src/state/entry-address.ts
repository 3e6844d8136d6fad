/** The address to open after sign-in. Entry pages keep it in their own query, as `to`. */
import { addressHere, path, query, readdress } from './location.ts';
import { isPage } from './page-paths.ts';

const ENTRIES: readonly string[] = ['/sign-in', '/sign-in/link', '/sign-up'];

export type Entry = '/sign-in' | '/sign-up';

/** Whether there is an address to open after sign-in. */
export function hasDestination(): boolean {
  return addressWanted() !== '/';
}

/** Opens that address, also after a sign-in in another tab. */
export function leaveEntry(): void {
  if (ENTRIES.includes(path.get())) readdress(addressWanted());
}

/** Always a page of the console: `to` is untrusted. */
function addressWanted(): string {
  if (!ENTRIES.includes(path.get())) return addressHere();
  const to = new URLSearchParams(query.get()).get('to') ?? '/';
  if (!URL.canParse(to, location.origin)) return '/';
  const { origin, pathname, search } = new URL(to, location.origin);
  const isTaken = origin === location.origin && isPage(pathname) && !ENTRIES.includes(pathname);
  return isTaken ? pathname + search : '/';
}

/** The address of an entry page with the same `to`. */
export function entryPath(entry: Entry): string {
  const wanted = addressWanted();
  return wanted === '/' ? entry : `${entry}?to=${encodeURIComponent(wanted)}`;
}
