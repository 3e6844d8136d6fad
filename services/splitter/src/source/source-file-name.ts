const FALLBACK_NAME = 'audio';

/** Leaves room for an index and another extension within the 255 bytes that file systems allow. */
const MAX_NAME_BYTES = 200;

/** Reserved file names on Windows, with any extension. */
const DEVICE_NAME = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)/i;

/**
 * The base name of a source's segments: from Content-Disposition, else the URL's last path segment, else
 * `audio`. Always a plain file name: no separators, control, formatting or reserved characters, no leading
 * dot, at most 200 bytes of UTF-8 with the extension kept.
 */
export function sourceFileName(url: string, contentDisposition?: string): string {
  return (
    toPlainName(dispositionFileName(contentDisposition ?? '')) ??
    toPlainName(decodePercents(URL.parse(url)?.pathname ?? '')) ??
    FALLBACK_NAME
  );
}

/** RFC 6266: `filename*` (RFC 8187) takes precedence over `filename`. */
function dispositionFileName(header: string): string {
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, token = ''] of header.matchAll(
    /;\s*([^\s;="]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*))/g,
  )) {
    const key = name.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, quoted?.replace(/\\(.)/g, '$1') ?? token.trim());
  }
  return decodeExtended(parameters.get('filename*') ?? '') || decodeRaw(parameters.get('filename') ?? '');
}

/** `charset'language'percent-encoded`; empty if it has another form. */
function decodeExtended(value: string): string {
  const match = /^(utf-8|iso-8859-1)'[^']*'(.*)$/i.exec(value);
  if (match === null) return '';
  const bytes = percentBytes(match[2] ?? '');
  return match[1]?.toLowerCase() === 'utf-8' ? bytes.toString('utf8') : bytes.toString('latin1');
}

/** Header bytes arrive as Latin-1. Servers often send UTF-8 instead; then they are decoded as UTF-8. */
function decodeRaw(value: string): string {
  if (!/^[\0-\xff]*$/.test(value)) return value;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

function decodePercents(text: string): string {
  return percentBytes(text).toString('utf8');
}

function percentBytes(text: string): Buffer {
  const latin1 = Buffer.from(text, 'utf8').toString('latin1');
  return Buffer.from(
    latin1.replace(/%([0-9a-f]{2})/gi, (_match, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    ),
    'latin1',
  );
}

/** Undefined if nothing remains. */
function toPlainName(text: string): string | undefined {
  const visible = text.normalize('NFC').replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\ufffd]/gu, '');
  const lastPart = visible.split(/[/\\]/).findLast((part) => /[^.\s]/.test(part)) ?? '';
  const name = trimEnds(lastPart.replace(/[<>:"|?*]/g, '').replace(/\s+/g, ' ')).replace(DEVICE_NAME, '_$&');
  return name === '' ? undefined : shorten(name);
}

function shorten(name: string): string {
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name;
  const extension = /\.[a-z0-9]{1,10}$/i.exec(name)?.[0] ?? '';
  const room = MAX_NAME_BYTES - extension.length;
  let base = '';
  let bytes = 0;
  for (const character of name) {
    bytes += Buffer.byteLength(character);
    if (bytes > room) break;
    base += character;
  }
  return trimEnds(base) + extension;
}

function trimEnds(name: string): string {
  return name.replace(/^[.\s]+|[.\s]+$/g, '');
}
