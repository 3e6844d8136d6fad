import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, isIPv6, type Socket } from 'node:net';

/** The responses of a name server, and how they can be wrong. */
export interface DnsAnswer {
  readonly records?: readonly DnsRecord[];
  /** RFC 1035 section 4.1.1: 2 is SERVFAIL, 3 NXDOMAIN, 5 REFUSED. */
  readonly responseCode?: number;
  readonly isTruncated?: boolean;
  /** Added to the query's id. */
  readonly idOffset?: number;
  /** Instead of the requested name. */
  readonly echoedName?: string;
  /** Instead of a message. */
  readonly rawBytes?: Uint8Array;
}

export type DnsRecord = { readonly name: string; readonly ttlSeconds?: number } & (
  | { readonly address: string }
  | { readonly cname: string }
);

export interface DnsQuestion {
  readonly name: string;
  readonly type: 'A' | 'AAAA';
  readonly transport: 'udp' | 'tcp';
}

interface DnsServer extends AsyncDisposable {
  /** `127.0.0.1:<port>`, for UDP and TCP. */
  readonly address: string;
  /** All queries so far, oldest first. */
  readonly questions: readonly DnsQuestion[];
}

const RECORD_TYPES = { A: 1, CNAME: 5, AAAA: 28 } as const;
const INTERNET = 1;
const RESPONSE = 0x8180;
const TRUNCATED = 0x0200;

/** A name server on loopback that responds with `answer`; for undefined it does not respond. */
export async function startDnsServer(
  answer: (question: DnsQuestion) => DnsAnswer | undefined,
): Promise<DnsServer> {
  const questions: DnsQuestion[] = [];
  const reply = (query: Buffer, transport: DnsQuestion['transport']): Buffer | undefined => {
    const question = { ...readQuestion(query), transport };
    questions.push(question);
    const said = answer(question);
    return (
      said && (said.rawBytes === undefined ? writeAnswer(query, question, said) : Buffer.from(said.rawBytes))
    );
  };

  const tcp = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => undefined);
    let received: Buffer = Buffer.alloc(0);
    socket.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const end = 2 + received.readUInt16BE(0);
        const message = reply(received.subarray(2, end), 'tcp');
        received = received.subarray(end);
        if (message !== undefined) socket.write(Buffer.concat([uint16(message.length), message]));
      }
    });
  }).listen(0, '127.0.0.1');
  const open = new Set<Socket>();
  await once(tcp, 'listening');
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket('udp4', (query, { port: clientPort, address }) => {
    const message = reply(query, 'udp');
    if (message !== undefined) udp.send(message, clientPort, address);
  }).bind(port, '127.0.0.1');
  await once(udp, 'listening');
  return {
    address: `127.0.0.1:${port}`,
    questions,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      udp.close();
      tcp.close();
      await once(tcp, 'close');
    },
  };
}

function readQuestion(query: Buffer): { readonly name: string; readonly type: 'A' | 'AAAA' } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const isV6 = query.readUInt16BE(at + 1) === RECORD_TYPES.AAAA;
  // Resolvers vary the case of a question to make forged answers harder.
  return { name: labels.join('.').toLowerCase(), type: isV6 ? 'AAAA' : 'A' };
}

function writeAnswer(query: Buffer, question: DnsQuestion, said: DnsAnswer): Buffer {
  const records = said.records ?? [];
  const flags = RESPONSE | (said.isTruncated === true ? TRUNCATED : 0) | (said.responseCode ?? 0);
  const id = (query.readUInt16BE(0) + (said.idOffset ?? 0)) & 0xffff;
  const asked = query.subarray(12, query.indexOf(0, 12) + 5);
  const echoed =
    said.echoedName === undefined
      ? asked
      : Buffer.concat([writeName(said.echoedName), uint16(RECORD_TYPES[question.type], INTERNET)]);
  return Buffer.concat([uint16(id, flags, 1, records.length, 0, 0), echoed, ...records.map(writeRecord)]);
}

function writeRecord(record: DnsRecord): Buffer {
  const [type, data] =
    'cname' in record ? [RECORD_TYPES.CNAME, writeName(record.cname)] : addressData(record.address);
  const ttl = Buffer.alloc(4);
  ttl.writeUInt32BE(record.ttlSeconds ?? 0);
  return Buffer.concat([writeName(record.name), uint16(type, INTERNET), ttl, uint16(data.length), data]);
}

function addressData(address: string): readonly [type: number, data: Buffer] {
  if (!isIPv6(address)) return [RECORD_TYPES.A, Buffer.from(address.split('.').map(Number))];
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string) =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const [first, last] = [groups(head), groups(tail)];
  return [RECORD_TYPES.AAAA, uint16(...first, ...Array(8 - first.length - last.length).fill(0), ...last)];
}

function writeName(name: string): Buffer {
  const labels = name
    .split('.')
    .map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1'));
  return Buffer.concat([...labels, Buffer.of(0)]);
}

function uint16(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, 2 * index);
  return bytes;
}
