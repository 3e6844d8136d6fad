/**
 * Keys and prefixes of objects in buckets of accounts. HTTP clients and servers may resolve segments of dots,
 * and the key would then differ from the signed one.
 */

/** Of S3. */
const MAX_KEY_BYTES = 1_024;

/** The reason why it cannot be the key of an object; undefined if it can. */
export function faultOfKey(key: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(key)) return 'must not contain control characters';
  if (key.split('/').some((segment) => segment === '' || segment === '.' || segment === '..'))
    return 'must be names with slashes between them, none of which is empty, . or ..';
  return Buffer.byteLength(key) > MAX_KEY_BYTES ? `must have at most ${MAX_KEY_BYTES} bytes` : undefined;
}

/** The folder with a trailing slash, which the caller may omit. */
export function toFolder(prefix: string): string {
  return prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
}

/** The reason why no keys can lie below it; undefined if they can. `''` is the whole bucket. */
export function faultOfFolder(folder: string): string | undefined {
  return folder === '' ? undefined : faultOfKey(folder.slice(0, -1));
}
