/**
 * The file name in a Content-Disposition header (RFC 6266; the extended form of RFC 8187 goes first).
 * Undefined unless it is a plain name: a server does not choose in which folder we write.
 */
export function attachmentName(header: string | null): string | undefined {
  if (header === null) return undefined;
  const name = extendedName(header) ?? quotedName(header) ?? /;\s*filename=([^\s";]+)/i.exec(header)?.[1];
  const isPlain = name !== undefined && /^(?!\.)[^\p{Cc}/\\:]{1,255}$/u.test(name);
  return isPlain ? name : undefined;
}

function extendedName(header: string): string | undefined {
  const encoded = /;\s*filename\*=UTF-8'[^']*'([^\s";]+)/i.exec(header)?.[1];
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

function quotedName(header: string): string | undefined {
  return /;\s*filename="((?:[^"\\]|\\.)*)"/i.exec(header)?.[1]?.replace(/\\(.)/g, '$1');
}
