import { joined, latin1, noise, patched, repeated, u32le, u64le } from './bytes.ts';
import type { HostileInput, Material } from './hostile-input.ts';

/** A page of RFC 3533 section 6. */
interface Page {
  readonly flags: number;
  readonly granule: bigint;
  readonly serial: number;
  readonly sequence: number;
  readonly lacing: Uint8Array;
  readonly body: Uint8Array;
}

const CONTINUED = 1;
const BEGIN = 2;
const END = 4;

function parsePages(file: Buffer): Page[] {
  const pages: Page[] = [];
  for (let at = 0; at < file.length; ) {
    const lacing = file.subarray(at + 27, at + 27 + file.readUInt8(at + 26));
    const start = at + 27 + lacing.length;
    const end = start + lacing.reduce((sum, value) => sum + value, 0);
    pages.push({
      flags: file.readUInt8(at + 5),
      granule: file.readBigInt64LE(at + 6),
      serial: file.readUInt32LE(at + 14),
      sequence: file.readUInt32LE(at + 18),
      lacing,
      body: file.subarray(start, end),
    });
    at = end;
  }
  return pages;
}

function write(pages: readonly Page[]): Buffer {
  return joined(...pages.map(pageBytes));
}

function pageBytes({ flags, granule, serial, sequence, lacing, body }: Page): Buffer {
  const page = joined(
    'OggS\0',
    Buffer.of(flags),
    u64le(granule),
    u32le(serial, sequence, 0),
    Buffer.of(lacing.length),
    lacing,
    body,
  );
  page.writeUInt32LE(checksum(page), 22);
  return page;
}

const CHECKSUM_OF_BYTE = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) crc = crc < 0 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  return crc;
});

/** CRC-32 of generator 0x04c11db7, not reflected, from 0. */
function checksum(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) crc = (crc << 8) ^ (CHECKSUM_OF_BYTE[(crc >>> 24) ^ byte] ?? 0);
  return crc >>> 0;
}

/** A page of one packet that is complete. */
function packetPage(page: Pick<Page, 'flags' | 'granule' | 'sequence'>, packet: Uint8Array): Page {
  const full = Math.floor(packet.length / 255);
  const lacing = Buffer.alloc(full + 1, 255).fill(packet.length % 255, full);
  return { serial: 7, ...page, lacing, body: packet };
}

const ENDLESS_PAGE: Page = {
  flags: CONTINUED,
  granule: -1n,
  serial: 7,
  sequence: 1,
  lacing: Buffer.alloc(255, 255),
  body: Buffer.alloc(255 * 255, 0x55),
};

/** A real stream with a header packet in front of its others that comes 255 times on each of so many pages. */
async function flacHeaders({ audio }: Material, header: Buffer, pageCount: number): Promise<Buffer> {
  const [first, ...rest] = parsePages(await audio('flac.ogg', '-c:a', 'flac'));
  if (first === undefined) throw new Error('no page');
  const headers = {
    flags: 0,
    granule: 0n,
    serial: first.serial,
    lacing: Buffer.alloc(255, header.length),
    body: repeated(header, 255),
  };
  const pages = [first, ...Array.from({ length: pageCount }, () => headers), ...rest];
  return write(pages.map((page, sequence) => ({ ...page, sequence })));
}

type Stream = 'vorbis' | 'opus';

function of(stream: Stream, { audio }: Material): Promise<Buffer> {
  return audio(`${stream}.ogg`, '-c:a', `lib${stream}`, '-page_duration', '200000');
}

/** A real stream with its pages changed; checksums are right again afterwards. */
function changed(stream: Stream, change: (pages: Page[]) => readonly Page[]) {
  return async (material: Material) => write(change(parsePages(await of(stream, material))));
}

/** The first packet, which tells channels and rate, changed. */
function withHead(stream: Stream, offset: number, replacement: Uint8Array) {
  return changed(stream, ([head, ...rest]) =>
    head === undefined ? [] : [{ ...head, body: patched(head.body, offset, replacement) }, ...rest],
  );
}

function withGranules(stream: Stream, granule: (page: Page, index: number) => bigint) {
  return changed(stream, (pages) =>
    pages.map((page, index) => (index < 2 ? page : { ...page, granule: granule(page, index) })),
  );
}

const NO_COMMENTS = joined('OpusTags', u32le(0, 0));

function opusHead(channels: number, preSkip: number, mapping: Uint8Array): Buffer {
  return joined(
    'OpusHead\u0001',
    Buffer.of(channels, preSkip & 255, preSkip >> 8),
    u32le(48_000),
    '\0\0',
    mapping,
  );
}

/** One stereo stream for every pair, coupled; 255 speakers without a meaning (RFC 7845 section 5.1.1.3). */
const MAPPING_255 = Buffer.from([255, 255, 0, ...Array.from({ length: 255 }, (_, index) => index)]);

function opusOf(head: Buffer, comments = NO_COMMENTS): Buffer {
  const packets = Array.from({ length: 100 }, (_, index) =>
    packetPage(
      { flags: 0, granule: BigInt(960 * (index + 1)), sequence: index + 2 },
      joined('\u0004', noise(40)),
    ),
  );
  return write([
    packetPage({ flags: BEGIN, granule: 0n, sequence: 0 }, head),
    packetPage({ flags: 0, granule: 0n, sequence: 1 }, comments),
    ...packets,
  ]);
}

export const OGG_INPUTS: readonly HostileInput[] = [
  { name: 'vorbis cut off', make: async (m) => (await of('vorbis', m)).subarray(0, 50_001), ends: 3 },
  { name: 'opus cut off', make: async (m) => (await of('opus', m)).subarray(0, 30_001), ends: 2 },
  {
    name: 'vorbis, two streams chained',
    make: async (m) =>
      joined(await of('vorbis', m), await m.audio('b.ogg', '-c:a', 'libvorbis', '-ar', '48000', '-ac', '1')),
    ends: 6,
  },
  {
    name: 'vorbis and opus, chained',
    make: async (m) => joined(await of('vorbis', m), await of('opus', m)),
    ends: [3, 4],
  },
  {
    name: 'vorbis and opus, interleaved',
    make: async (m) => {
      const [a, b] = [parsePages(await of('vorbis', m)), parsePages(await of('opus', m))];
      return write(
        a.flatMap((page, index) => [
          { ...page, serial: 1 },
          ...(b[index] ? [{ ...b[index], serial: 2 }] : []),
        ]),
      );
    },
    ends: 3,
  },
  {
    name: 'vorbis of six channels',
    make: (m) => m.audio('s51.ogg', '-ac', '6', '-c:a', 'libvorbis'),
    ends: 3,
  },
  {
    name: 'flac in ogg with two million headers of a byte',
    make: (m) => flacHeaders(m, Buffer.of(1), 8_000),
    ends: [1, 3, 'UNSUPPORTED_MEDIA'],
  },
  {
    name: 'flac in ogg with a million empty headers',
    make: (m) => flacHeaders(m, Buffer.of(1, 0, 0, 0), 4_000),
    ends: [1, 3, 'UNSUPPORTED_MEDIA'],
  },
  { name: 'flac in ogg', make: (m) => m.audio('flac.ogg', '-c:a', 'flac'), ends: 3 },
  {
    name: 'vorbis whose granules run backwards',
    make: withGranules('vorbis', (_, index) => BigInt(1_000_000 - index * 1_000)),
    ends: 3,
  },
  { name: 'vorbis without granules', make: withGranules('vorbis', () => -1n), ends: 3 },
  {
    name: 'vorbis that ends in the year 200,000',
    make: withGranules('vorbis', (page) => page.granule + (1n << 62n)),
    ends: 3,
  },
  {
    name: 'opus whose granules are negative',
    make: withGranules('opus', (page) => page.granule - (1n << 62n)),
    ends: { own: 3, converted: 'UNSUPPORTED_MEDIA' },
  },
  { name: 'opus whose granules stand still', make: withGranules('opus', () => 48_000n), ends: 3 },
  {
    name: 'vorbis that lost every third page',
    make: changed('vorbis', (pages) => pages.filter((_, index) => index < 4 || index % 3 > 0)),
    ends: 3,
  },
  {
    name: 'opus with checksums that are wrong',
    make: async (m) => {
      const file = Buffer.from(await of('opus', m));
      for (let at = 30_000; at < file.length; at += 10_000) file.writeUInt8(file.readUInt8(at) ^ 0x5a, at);
      return file;
    },
    ends: 3,
  },
  {
    name: 'vorbis of 0 channels',
    make: withHead('vorbis', 11, Buffer.of(0)),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'vorbis of 255 channels',
    make: withHead('vorbis', 11, Buffer.of(255)),
    ends: 'UNSUPPORTED_MEDIA',
  },
  { name: 'vorbis at 0 Hz', make: withHead('vorbis', 12, u32le(0)), ends: 'UNSUPPORTED_MEDIA' },
  {
    name: 'vorbis at 4 GHz',
    make: withHead('vorbis', 12, u32le(0xffffffff)),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'vorbis in blocks of 1 and 32768',
    make: withHead('vorbis', 28, Buffer.of(0xf0)),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'vorbis with a codebook of 2^24 entries by 65535',
    make: changed('vorbis', (pages) =>
      pages.map((page) => {
        const at = Buffer.from(page.body).indexOf('BCV', 0, 'latin1');
        return at < 0 ? page : { ...page, body: patched(page.body, at + 3, Buffer.alloc(5, 0xff)) };
      }),
    ),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'vorbis with 4 billion comments',
    make: changed('vorbis', (pages) =>
      pages.map((page, index) =>
        index === 1
          ? {
              ...page,
              body: patched(page.body, 11 + Buffer.from(page.body).readUInt32LE(7), u32le(0xffffffff)),
            }
          : page,
      ),
    ),
    ends: 3,
  },
  {
    name: 'vorbis with a vendor of 4 GB',
    make: changed('vorbis', (pages) =>
      pages.map((page, index) =>
        index === 1 ? { ...page, body: patched(page.body, 7, u32le(0xffffffff)) } : page,
      ),
    ),
    ends: 3,
  },
  {
    name: 'opus that skips more than it holds',
    make: () => opusOf(opusHead(2, 65_535, Buffer.of(0)), NO_COMMENTS).subarray(0, 2_000),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'opus of 0 channels',
    make: () => opusOf(opusHead(0, 312, Buffer.of(0))),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'opus of 255 channels, mapped to nothing',
    make: () => opusOf(opusHead(255, 312, MAPPING_255)),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'opus with a mapping that is cut off',
    make: () => opusOf(opusHead(8, 312, Buffer.of(1, 5, 3, 0))),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'opus with 4 billion comments',
    make: () => opusOf(opusHead(2, 312, Buffer.of(0)), joined('OpusTags', u32le(0, 0xffffffff))),
    ends: 1,
  },
  {
    name: 'opus with 8 million empty comments',
    make: () => {
      const comments = joined('OpusTags', u32le(0, 8_000_000), Buffer.alloc(ENDLESS_PAGE.body.length - 16));
      const pageCount = Math.floor((4 * 8_000_000) / ENDLESS_PAGE.body.length);
      const page = { ...ENDLESS_PAGE, body: Buffer.alloc(ENDLESS_PAGE.body.length) };
      return write([
        packetPage({ flags: BEGIN, granule: 0n, sequence: 0 }, opusHead(2, 312, Buffer.of(0))),
        { ...page, flags: 0, body: comments },
        ...Array.from({ length: pageCount }, (_, index) => ({ ...page, sequence: index + 2 })),
        packetPage({ flags: CONTINUED, granule: 0n, sequence: pageCount + 2 }, Buffer.alloc(9)),
        packetPage({ flags: 0, granule: 960n, sequence: pageCount + 3 }, joined('\u0004', noise(40))),
      ]);
    },
    ends: [1, 'UNSUPPORTED_MEDIA'],
  },
  {
    name: 'ogg whose first packet never ends',
    make: () =>
      write([
        { ...ENDLESS_PAGE, flags: BEGIN, sequence: 0 },
        ...Array.from({ length: 60 }, (_, index) => ({ ...ENDLESS_PAGE, sequence: index + 1 })),
      ]),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'opus whose comments never end',
    make: () =>
      joined(
        write([
          packetPage({ flags: BEGIN, granule: 0n, sequence: 0 }, opusHead(2, 312, Buffer.of(0))),
          { ...ENDLESS_PAGE, flags: 0, body: patched(ENDLESS_PAGE.body, 0, latin1('OpusTags')) },
        ]),
        repeated(pageBytes(ENDLESS_PAGE), 100),
      ),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'vorbis with a packet that never ends',
    make: async (m) => joined(await of('vorbis', m), repeated(pageBytes(ENDLESS_PAGE), 100)),
    ends: 3,
  },
  {
    name: 'opus of pages without packets',
    make: () =>
      joined(
        write([
          packetPage({ flags: BEGIN, granule: 0n, sequence: 0 }, opusHead(2, 312, Buffer.of(0))),
          packetPage({ flags: 0, granule: 0n, sequence: 1 }, NO_COMMENTS),
        ]),
        repeated(
          pageBytes({ ...ENDLESS_PAGE, flags: 0, lacing: Buffer.alloc(0), body: Buffer.alloc(0) }),
          20_000,
        ),
      ),
    ends: 'UNSUPPORTED_MEDIA',
  },
  {
    name: 'ogg of headers that end at once',
    make: () => write([packetPage({ flags: BEGIN | END, granule: 0n, sequence: 0 }, latin1('\u0001vorbis'))]),
    ends: 'UNSUPPORTED_MEDIA',
  },
];
