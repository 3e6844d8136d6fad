/** Parses a message as far as our mails need: unfolded headers, encoded words, the encoding of the text. */
export interface ReceivedMail {
  /** By lower-case name. A repeated header has several values. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly text: string;
  /** Empty: the message has no such part. */
  readonly html: string;
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
  const body = raw.slice(end + 4);
  const [, boundary] = /boundary="([^"]+)"/.exec(headers.get('content-type')?.[0] ?? '') ?? [];
  if (boundary !== undefined) {
    // RFC 2046, 5.1: text first, HTML after it.
    const parts = body
      .split(`--${boundary}`)
      .slice(1, -1)
      .map((part) => readMail(part.replace(/^\r\n/, '')));
    return { headers, text: parts[0]?.text ?? '', html: parts[1]?.text ?? '' };
  }
  const encoding = headers.get('content-transfer-encoding')?.[0] ?? '7bit';
  return { headers, text: decodeBody(body, encoding).replaceAll('\r\n', '\n').trimEnd(), html: '' };
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
