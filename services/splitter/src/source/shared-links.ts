/**
 * Links under which people share a file lead to a page that shows it. The file itself has another address at the same
 * service, which these rules give. They are of 2026; a rule that no longer holds gives a page, and the job says so.
 */
interface SharedLinkRule {
  readonly hosts: RegExp;
  /** Undefined for a link of another kind. */
  readonly toDirect: (url: URL) => URL | undefined;
}

const RULES: readonly SharedLinkRule[] = [
  // Google Drive asks before it gives a file that is too large for its virus scan; `confirm` is the answer.
  {
    hosts: /^(?:drive|docs)\.google\.com$/,
    toDirect(url) {
      const id = /^\/(?:u\/\d+\/)?file\/d\/([\w-]+)/.exec(url.pathname)?.[1] ?? idOfQuery(url);
      if (id === undefined) return undefined;
      const direct = new URL('https://drive.usercontent.google.com/download?export=download&confirm=t');
      direct.searchParams.set('id', id);
      const resourceKey = url.searchParams.get('resourcekey');
      if (resourceKey !== null) direct.searchParams.set('resourcekey', resourceKey);
      return direct;
    },
  },
  {
    hosts: /^(?:www\.)?dropbox\.com$/,
    toDirect: (url) => (/^\/(?:s|scl\/fi)\//.test(url.pathname) ? withQuery(url, 'dl', '1') : undefined),
  },
  // The shares API takes the whole link as its id.
  {
    hosts: /^(?:1drv\.ms|onedrive\.live\.com)$/,
    toDirect: (url) =>
      url.pathname === '/download'
        ? undefined
        : new URL(
            `https://api.onedrive.com/v1.0/shares/u!${Buffer.from(url.href).toString('base64url')}/root/content`,
          ),
  },
  // OneDrive for work: the first part of the path says what kind of file is shared, and that it is.
  {
    hosts: /^[\w-]+\.sharepoint\.com$/,
    toDirect: (url) => (/^\/:[a-z]:\//.test(url.pathname) ? withQuery(url, 'download', '1') : undefined),
  },
];

/** The address of the file behind a shared link; any other address as it is. */
export function toDirectLink(address: string): string {
  const url = URL.parse(address);
  if (url === null) return address;
  const rule = RULES.find(({ hosts }) => hosts.test(url.hostname));
  return rule?.toDirect(url)?.href ?? address;
}

function idOfQuery({ pathname, searchParams }: URL): string | undefined {
  const id = /^\/(?:u\/\d+\/)?(?:open|uc)$/.test(pathname) ? searchParams.get('id') : null;
  return id !== null && /^[\w-]+$/.test(id) ? id : undefined;
}

function withQuery(url: URL, name: string, value: string): URL {
  const changed = new URL(url);
  changed.searchParams.set(name, value);
  return changed;
}
