/** Parses a message as far as our mails need: unfolded headers, encoded words, the encoding of the text. */
export interface ReceivedMail {
  /** By lower-case name. A repeated header has several values. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly text: string;
}

export function readMail(raw: string): ReceivedMail {
  const end = raw.indexOf('\r\n\r\n');
  const headers = new Map<string, string[]>();
  for (const line of raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')) {
    const [, name = '', value = ''] = /^([\w-]+): ?(.*)$/.exec(line) ?? [];
    const key = name.toLowerCase();
    headers.set(key, [...(headers.get(key) ?? []), decodeWords(value)]);
  }
  const encoding = headers.get('content-transfer-encoding')?.[0] ?? '7bit';
  return {
    headers,
    text: decodeBody(raw.slice(end + 4), encoding)
      .replaceAll('\r\n', '\n')
      .trimEnd(),
  };
}

/** The one value of a header. */
export function headerOf(mail: ReceivedMail, name: string): string {
  const values = mail.headers.get(name) ?? [];
  if (values.length !== 1 || values[0] === undefined) throw new Error(`${values.length} headers ${name}`);
  return values[0];
}

/** RFC 2047. */
function decodeWords(value: string): string {
  return value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?(b|q)\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(word, 'base64').toString()
        : decodeQuoted(word.replaceAll('_', ' ')),
    );
}

function decodeBody(body: string, encoding: string): string {
  switch (encoding) {
    case 'base64':
      return Buffer.from(body, 'base64').toString();
    case 'quoted-printable':
      return decodeQuoted(body.replaceAll('=\r\n', ''));
    case '7bit':
      return body;
    default:
      throw new Error(`an encoding that no test knows: ${encoding}`);
  }
}

function decodeQuoted(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString();
}
