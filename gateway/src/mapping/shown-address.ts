import { isBucketAddress } from '@audiosplit/proto/bucket-address';

const HIDDEN = '***';

/**
 * An address without user name, password and fragment, and with the values of its query hidden, because they
 * may be secrets.
 */
export function hideSecrets(address: string): string {
  // A key is shown as it is; it has no query.
  if (isBucketAddress(address)) return address;
  const url = URL.parse(address);
  if (url === null) return HIDDEN;
  const query = url.search
    .slice(1)
    .split('&')
    .filter((part) => part !== '')
    // A part without a name may itself be a secret.
    .map((part) => (part.includes('=') ? `${part.slice(0, part.indexOf('='))}=${HIDDEN}` : HIDDEN))
    .join('&');
  return `${url.protocol}//${url.host}${url.pathname}${query === '' ? '' : `?${query}`}`;
}
