/**
 * Links that carry their own permission: method, path, parameters and expiry, signed by one HMAC-SHA-256.
 *
 * The signature covers a JSON text of the method, the decoded path and all parameters sorted by name and
 * value. So a link stays valid if it is re-encoded (`%20` or `+`, another order), fields cannot run into one
 * another, and a parameter cannot be added, dropped or repeated. The host is not signed: a link works through
 * every address of the installation. A link for GET also serves HEAD.
 *
 * Failure modes: the holder of a link may use it until it expires, and a single link cannot be revoked.
 * Removing the secret's value that signed them invalidates all its links at once.
 */
import { isSignatureOf, signText } from './secret-values.ts';

export type LinkMethod = 'GET' | 'PUT' | 'PATCH';

export interface LinkTarget {
  readonly method: LinkMethod;
  /** Decoded, with a leading `/`. */
  readonly path: string;
  /** Any names except `expires` and `signature`. */
  readonly params?: Readonly<Record<string, string>>;
}

export type LinkVerdict =
  | { readonly status: 'valid'; readonly path: string; readonly params: Readonly<Record<string, string>> }
  | { readonly status: 'expired' }
  | { readonly status: 'forged' };

/** `/path?…&expires=<Unix seconds>&signature=<base64url>`, to be appended to a scheme and host. */
export function signLink(target: LinkTarget, expiresAt: Date, secret: string): string {
  const query = new URLSearchParams(target.params);
  query.set('expires', String(Math.floor(expiresAt.getTime() / 1000)));
  const signed = textOf(target.method, target.path, [...query]);
  const signature = signText(signed, secret).toString('base64url');
  query.set('signature', signature);
  return `${target.path.split('/').map(encodeURIComponent).join('/')}?${query}`;
}

/** Accepts a whole URL, or its path and query. A link that is both altered and expired counts as forged. */
export function verifyLink(method: LinkMethod, link: string, now: Date, secret: string): LinkVerdict {
  const url = URL.parse(link, 'http://link.invalid');
  const path = url === null ? undefined : decodePath(url.pathname);
  if (url === null || path === undefined) return { status: 'forged' };

  const entries = [...url.searchParams];
  const [given, ...furtherSignatures] = url.searchParams.getAll('signature');
  if (given === undefined || furtherSignatures.length > 0) return { status: 'forged' };
  const signed = entries.filter(([name]) => name !== 'signature');
  const signature = Buffer.from(given, 'base64url');
  if (!isSignatureOf(textOf(method, path, signed), signature, secret)) return { status: 'forged' };

  const { expires, ...params } = Object.fromEntries(signed);
  return Number(expires) * 1000 > now.getTime() ? { status: 'valid', path, params } : { status: 'expired' };
}

function textOf(method: string, path: string, entries: readonly [string, string][]): string {
  const sorted = entries.toSorted((a, b) => compare(a[0], b[0]) || compare(a[1], b[1]));
  return JSON.stringify([method, path, sorted]);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Undefined if its escapes are invalid. */
export function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
