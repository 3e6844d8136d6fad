/** The address that signing in leads to. The entry pages keep it in the query of their own address, as `to`. */
import { addressHere, path, query, readdress } from './location.ts';
import { isPage } from './page-paths.ts';

const ENTRIES: readonly string[] = ['/sign-in', '/sign-up'];

export type Entry = '/sign-in' | '/sign-up';

/** Whether an address other than the first page was opened. */
export function hasDestination(): boolean {
  return addressWanted() !== '/';
}

/** Leaves an entry page for that address, also when another tab has signed in. */
export function leaveEntry(): void {
  if (ENTRIES.includes(path.get())) readdress(addressWanted());
}

/** Always a page of the console: `to` may come from anywhere. */
function addressWanted(): string {
  if (!ENTRIES.includes(path.get())) return addressHere();
  const to = new URLSearchParams(query.get()).get('to') ?? '/';
  if (!URL.canParse(to, location.origin)) return '/';
  const { origin, pathname, search } = new URL(to, location.origin);
  const isTaken = origin === location.origin && isPage(pathname) && !ENTRIES.includes(pathname);
  return isTaken ? pathname + search : '/';
}

/** The address of an entry page that leads on to the same address. */
export function entryPath(entry: Entry): string {
  const wanted = addressWanted();
  return wanted === '/' ? entry : `${entry}?to=${encodeURIComponent(wanted)}`;
}
