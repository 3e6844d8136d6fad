/** Where somebody goes on who has signed in: to what they came for, which the entry pages keep in their own address. */
import { addressHere, path, query, readdress } from './location.ts';

const ENTRIES: readonly string[] = ['/sign-in', '/sign-up'];

export type Entry = '/sign-in' | '/sign-up';

/** Whether somebody has come for more than the first page. */
export function isOnItsWay(): boolean {
  return addressWanted() !== '/';
}

/** Leads there from an entry page, in whichever tab somebody has signed in. */
export function leaveEntry(): void {
  if (ENTRIES.includes(path.get())) readdress(addressWanted());
}

/** Never one of another site. */
function addressWanted(): string {
  if (!ENTRIES.includes(path.get())) return addressHere();
  const to = new URLSearchParams(query.get()).get('to') ?? '/';
  if (!URL.canParse(to, location.origin)) return '/';
  const { origin, pathname, search } = new URL(to, location.origin);
  return origin === location.origin ? pathname + search : '/';
}

/** Of an entry page that leads on to the same. */
export function entryPath(entry: Entry): string {
  const wanted = addressWanted();
  return wanted === '/' ? entry : `${entry}?to=${encodeURIComponent(wanted)}`;
}
