/**
 * Links for sharing a file lead to a page that shows it. These rules give the address of the file at the same
 * service. They are of 2026; if a rule no longer holds, the address returns a page and the job's error says
 * so.
 */
interface SharedLinkRule {
  readonly hosts: RegExp;
  /** Undefined for other links. */
  readonly toDirect: (url: URL) => URL | undefined;
}

const RULES: readonly SharedLinkRule[] = [
  // Google Drive asks for confirmation before it returns a file too large for its virus scan; `confirm`
  // answers that.
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
  // The shares API accepts the whole link as an id.
  {
    hosts: /^(?:1drv\.ms|onedrive\.live\.com)$/,
    toDirect: (url) =>
      url.pathname === '/download'
        ? undefined
        : new URL(
            `https://api.onedrive.com/v1.0/shares/u!${Buffer.from(url.href).toString('base64url')}/root/content`,
          ),
  },
  // OneDrive for work: the first part of the path shows that a file is shared, and of which kind.
  {
    hosts: /^[\w-]+\.sharepoint\.com$/,
    toDirect: (url) => (/^\/:[a-z]:\//.test(url.pathname) ? withQuery(url, 'download', '1') : undefined),
  },
];

/** The address of the file behind a shared link; other addresses are returned unchanged. */
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
