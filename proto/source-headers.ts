/** Headers with which a source is asked for: what the API takes, and what the jobs service stores. */
export type SourceHeaders = Readonly<Record<string, string>>;

export const MAX_SOURCE_HEADERS = 10;
/** Names and values together. */
export const MAX_SOURCE_HEADER_BYTES = 8 * 1024;

/** A token of RFC 9110, section 5.6.2. */
export const HEADER_NAME = "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$";
/** Printable ASCII, and no space at either end. */
export const HEADER_VALUE = '^[\\u0021-\\u007e](?:[\\u0020-\\u007e]*[\\u0021-\\u007e])?$';

/** The fetch sets them itself: they say whose connection it is, how it is framed, and which part is asked for. */
const REFUSED: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
  'expect',
  'accept-encoding',
  'range',
  'if-range',
]);

/** With names in lower case. */
export function toSourceHeaders(given: SourceHeaders): SourceHeaders {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Undefined if they may be sent. Names no value. */
export function faultOfSourceHeaders(given: SourceHeaders): string | undefined {
  const entries = Object.entries(given);
  if (entries.length > MAX_SOURCE_HEADERS) return `must be at most ${MAX_SOURCE_HEADERS} headers`;
  const names = entries.map(([name]) => name.toLowerCase());
  for (const [position, [name, value]] of entries.entries()) {
    if (!new RegExp(HEADER_NAME).test(name)) return 'must have names that HTTP allows for headers';
    const lowerCase = name.toLowerCase();
    if (REFUSED.has(lowerCase)) return `must not set ${lowerCase}`;
    if (names.indexOf(lowerCase) !== position) return `must not set ${lowerCase} twice`;
    if (!new RegExp(HEADER_VALUE).test(value)) {
      return `must have a value of printable ASCII characters, without spaces around it, for ${lowerCase}`;
    }
  }
  const bytes = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  return bytes > MAX_SOURCE_HEADER_BYTES ? `must not exceed ${MAX_SOURCE_HEADER_BYTES} bytes` : undefined;
}
