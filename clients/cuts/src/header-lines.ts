/** Headers for a source as users write them: `Name: value`, as with curl's -H. */

export type HeaderLines =
  | { readonly kind: 'headers'; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: 'malformed' }
  /** `name`: as the second line writes it. */
  | { readonly kind: 'repeated'; readonly name: string };

/** The service decides which headers may be set. A refusal contains no value, because it may be a secret. */
export function readHeaderLines(lines: readonly string[]): HeaderLines {
  const headers = new Map<string, readonly [name: string, value: string]>();
  for (const line of lines) {
    const [, name, value = ''] = /^([\w!#$%&'*+.^`|~-]+):(.*)$/.exec(line) ?? [];
    if (name === undefined || value.trim() === '') return { kind: 'malformed' };
    if (headers.has(name.toLowerCase())) return { kind: 'repeated', name };
    headers.set(name.toLowerCase(), [name, value.trim()]);
  }
  return { kind: 'headers', headers: Object.fromEntries(headers.values()) };
}
