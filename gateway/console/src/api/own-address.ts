/** Links use the installation's public address. The page replaces it by its own origin. */
export function ownAddress(link: string): string {
  const { pathname, search } = new URL(link, location.href);
  return pathname + search;
}
