/** Sends raw HTTP/1.1, for requests that no client would send. */
import { connect } from 'node:net';

export interface ExchangeOptions {
  /** A response to HEAD has no body, whatever its length header says; an error for input that is not HTTP has one. */
  readonly isHead?: boolean;
  /** Closes the connection after this time without a response, as the request may never end. */
  readonly patienceMs?: number;
}

/** All responses until the server closes the connection. */
export async function exchange(
  url: string,
  request: Buffer,
  { isHead = false, patienceMs }: ExchangeOptions = {},
): Promise<Response[]> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // A request refused early resets the connection while it is still being sent.
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(request);
  const hangUp = patienceMs === undefined ? undefined : setTimeout(() => socket.end(), patienceMs);
  await closed;
  clearTimeout(hangUp);
  return parseAnswers(Buffer.concat(chunks), isHead);
}

/** Throws if the bytes are not complete responses. */
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
