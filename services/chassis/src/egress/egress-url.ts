import { EgressError } from './egress.ts';

/** The parts of a URL that one hop needs. */
export interface EgressTarget {
  readonly url: URL;
  /** An address without brackets, or a name without the trailing dot; it is resolved and sent as SNI. */
  readonly hostname: string;
  readonly port: number;
  readonly isTls: boolean;
}

/** https://fetch.spec.whatwg.org/#port-blocking: ports whose protocols would misread an HTTP request. */
const BLOCKED_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** `base` is the URL that sent the redirect. Throws EgressError `invalid-url`. */
export function parseEgressUrl(text: string, base?: URL): EgressTarget {
  const url = URL.parse(text, base);
  if (url === null) throw new EgressError('invalid-url', 'The URL cannot be parsed.');
  const isTls = url.protocol === 'https:';
  if (!isTls && url.protocol !== 'http:') {
    throw new EgressError('invalid-url', `The scheme ${url.protocol.slice(0, -1)} is not http or https.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new EgressError('invalid-url', 'The URL carries credentials.');
  }
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port);
  if (BLOCKED_PORTS.has(port)) {
    throw new EgressError('invalid-url', `Port ${port} belongs to another protocol than HTTP.`);
  }
  const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  if (hostname === '') throw new EgressError('invalid-url', 'The URL has no host.');
  return { url, hostname, port, isTls };
}
