/** HTTP/1.1 byte by byte, for what no client would send. */
import { once } from 'node:events';
import { connect } from 'node:net';

export interface ExchangeOptions {
  /** The answer to HEAD has no body, whatever length it names; a refusal of what is not HTTP has one. */
  readonly isHead?: boolean;
  /** After so long without an answer the sender hangs up, as its request may be one without an end. */
  readonly patienceMs?: number;
}

/** All answers that come back until the other side closes; none where it closes without a word. */
export async function exchange(
  url: string,
  request: Buffer,
  { isHead = false, patienceMs }: ExchangeOptions = {},
): Promise<Response[]> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // What is refused before it has been read resets the connection that it is still being sent on.
  socket.on('error', () => {});
  socket.write(request);
  const hangUp = patienceMs === undefined ? undefined : setTimeout(() => socket.end(), patienceMs);
  await once(socket, 'close');
  clearTimeout(hangUp);
  return parseAnswers(Buffer.concat(chunks), isHead);
}

/** Throws an Error where the bytes are not whole answers. */
function parseAnswers(bytes: Buffer, isHead: boolean): Response[] {
  const answers: Response[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const headEnd = rest.indexOf('\r\n\r\n');
    const [statusLine = '', ...lines] = rest
      .subarray(0, Math.max(headEnd, 0))
      .toString('latin1')
      .split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(`${statusLine} `)?.[1]);
    if (headEnd < 0 || !(status >= 100)) throw new Error(`not an answer: ${rest.toString('latin1')}`);
    rest = rest.subarray(headEnd + 4);
    if (status < 200) continue;
    const headers = new Headers(lines.map((line) => splitField(line)));
    const hasNoBody = status === 204 || status === 304 || (isHead && rest.length === 0);
    const length = hasNoBody ? 0 : Number(headers.get('content-length') ?? rest.length);
    if (length > rest.length) throw new Error(`${statusLine} ends before its body does`);
    answers.push(new Response(hasNoBody ? null : rest.subarray(0, length), { status, headers }));
    rest = rest.subarray(length);
  }
  return answers;
}

function splitField(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon), line.slice(colon + 1).trim()];
}
