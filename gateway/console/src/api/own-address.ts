/** Links name the public address of the installation; the page follows them from where it has come from. */
export function ownAddress(link: string): string {
  const { pathname, search } = new URL(link, location.href);
  return pathname + search;
}
