const HIDDEN = '***';

/** An address without its user name, password and fragment, and with the values of its query hidden: they may be secrets. */
export function hideSecrets(address: string): string {
  const url = URL.parse(address);
  if (url === null) return HIDDEN;
  const query = url.search
    .slice(1)
    .split('&')
    .filter((part) => part !== '')
    // What has no name may be a secret itself.
    .map((part) => (part.includes('=') ? `${part.slice(0, part.indexOf('='))}=${HIDDEN}` : HIDDEN))
    .join('&');
  return `${url.protocol}//${url.host}${url.pathname}${query === '' ? '' : `?${query}`}`;
}
