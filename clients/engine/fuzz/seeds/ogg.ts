import { createCase } from '../engine/fuzz-case.ts';
import { pageChecksum } from '../grammars/ogg.ts';
import { ascii, FILLER_BYTES, little, noise, times } from './bytes.ts';
import { flacParts } from './flac.ts';

const CONTINUED = 1;
const FIRST = 2;
const LAST = 4;

interface PageSpec {
  readonly flags?: number;
  readonly granule: number;
  readonly serial?: number;
  readonly sequence: number;
  /** A packet that is `unfinished` goes on on the next page. */
  readonly packets: readonly Buffer[];
  readonly unfinished?: boolean;
}

function page({ flags = 0, granule, serial = 7, sequence, packets, unfinished = false }: PageSpec): Buffer {
  const lacing = packets.flatMap((packet, index) => {
    const full = times(Math.floor(packet.length / 255), () => 255);
    return unfinished && index === packets.length - 1 ? full : [...full, packet.length % 255];
  });
  const position = Buffer.alloc(8);
  position.writeBigInt64LE(BigInt(granule));
  const bytes = Buffer.concat([
    ascii('OggS\0'),
    Buffer.of(flags),
    position,
    little(4, serial, sequence, 0),
    Buffer.of(lacing.length, ...lacing),
    ...packets,
  ]);
  bytes.writeUInt32LE(pageChecksum(bytes), 22);
  return bytes;
}

const COMMENTS = Buffer.concat([
  little(4, 3),
  ascii('abc'),
  little(4, 2, 7),
  ascii('TITLE=x'),
  little(4, 7),
  ascii('TRACK=9'),
]);

export const OPUS_HEAD = Buffer.concat([
  ascii('OpusHead'),
  Buffer.of(1, 1),
  little(2, 312),
  little(4, 8_000),
  little(2, 0),
  Buffer.of(0),
]);
const OPUS_TAGS = Buffer.concat([ascii('OpusTags'), COMMENTS]);
export const OPUS_PACKET_SAMPLES = 2_880;

/** One SILK frame of 60 ms; the second byte varies the body. */
export function opusPacket(index: number): Buffer {
  return Buffer.concat([Buffer.of(3 << 3), noise(8 + (index % 4), index + 1)]);
}

function opusStream(pageCount: number, packetsPerPage: number, between: readonly Buffer[] = []): Buffer {
  const head = page({ flags: FIRST, granule: 0, sequence: 0, packets: [OPUS_HEAD] });
  const audio = times(pageCount, (index) =>
    page({
      flags: index === pageCount - 1 ? LAST : 0,
      granule: (index + 1) * packetsPerPage * OPUS_PACKET_SAMPLES - (index === pageCount - 1 ? 1_000 : 0),
      sequence: index + 2,
      packets: times(packetsPerPage, (packet) => opusPacket(index * packetsPerPage + packet)),
    }),
  );
  return Buffer.concat([head, ...between, page({ granule: 0, sequence: 1, packets: [OPUS_TAGS] }), ...audio]);
}

/** A foreign stream beside the one wanted: its pages may be repeated at will. */
const FOREIGN_HEAD = page({
  flags: FIRST,
  granule: 0,
  serial: 99,
  sequence: 0,
  packets: [ascii('fishead\0')],
});
const FOREIGN_PAGE = page({ granule: 0, serial: 99, sequence: 1, packets: [noise(980)] });
const FOREIGN_REPEAT_TIMES = Math.floor(FILLER_BYTES / FOREIGN_PAGE.length);

export function opusSeeds(): readonly Buffer[] {
  const first = page({ flags: FIRST, granule: 0, sequence: 0, packets: [OPUS_HEAD] });
  const foreignAt = first.length + FOREIGN_HEAD.length;
  const long = Buffer.concat([Buffer.of(3 << 3), noise(700)]);
  const continued = Buffer.concat([
    first,
    page({ granule: 0, sequence: 1, packets: [OPUS_TAGS] }),
    page({
      granule: OPUS_PACKET_SAMPLES,
      sequence: 2,
      packets: [opusPacket(1), long.subarray(0, 510)],
      unfinished: true,
    }),
    page({
      flags: CONTINUED | LAST,
      granule: 2 * OPUS_PACKET_SAMPLES,
      sequence: 3,
      packets: [long.subarray(510)],
    }),
  ]);
  return [
    createCase(opusStream(12, 5)),
    createCase(opusStream(30, 1)),
    createCase(continued),
    createCase(opusStream(6, 8, [FOREIGN_HEAD, FOREIGN_PAGE]), {
      repeat: { at: foreignAt, byteCount: FOREIGN_PAGE.length, times: FOREIGN_REPEAT_TIMES },
    }),
  ];
}

const VORBIS_RATE_HZ = 8_000;
const SHORT_BLOCK_BITS = 8;
const LONG_BLOCK_BITS = 11;
const LONG_BLOCK = 2 ** LONG_BLOCK_BITS;
const SHORT_BLOCK = 2 ** SHORT_BLOCK_BITS;

export const VORBIS_HEAD = Buffer.concat([
  ascii('\u0001vorbis'),
  little(4, 0),
  Buffer.of(1),
  little(4, VORBIS_RATE_HZ, 0, 0, 0),
  Buffer.of((LONG_BLOCK_BITS << 4) | SHORT_BLOCK_BITS, 1),
]);
export const VORBIS_COMMENT = Buffer.concat([ascii('\u0003vorbis'), COMMENTS, Buffer.of(1)]);

/** The smallest whole setup header: one of each part, two modes, of short and of long blocks, and the framing bit. */
export function vorbisSetup(): Buffer {
  const ONE = '000000';
  const codebook = ['00000000', bits(0x564342, 24), bits(1, 16), bits(1, 24), '00', bits(0, 5), bits(0, 4)];
  const times = [ONE, bits(0, 16)];
  const floors = [ONE, bits(1, 16), bits(0, 5), bits(0, 2), bits(0, 4)];
  const residues = [ONE, bits(0, 16 + 24 + 24 + 24), ONE, bits(0, 8), bits(0, 3 + 1)];
  const mappings = [ONE, bits(0, 16 + 1 + 1 + 2), bits(0, 8 + 8 + 8)];
  const modes = [bits(1, 6), ...[0, 1].map((isLong) => String(isLong) + bits(0, 16 + 16 + 8))];
  const all = [...codebook, ...times, ...floors, ...residues, ...mappings, ...modes, '1'].join('');
  const packed = Buffer.alloc(Math.ceil(all.length / 8));
  for (const [index, bit] of [...all].entries())
    if (bit === '1') packed[index >> 3] = (packed[index >> 3] ?? 0) | (1 << (index & 7));
  return Buffer.concat([ascii('\u0005vorbis'), packed]);
}

/** The least significant first. */
function bits(value: number, count: number): string {
  return Array.from({ length: count }, (_, bit) => Math.floor(value / 2 ** bit) % 2).join('');
}

/** Modes by packet: two long blocks for every short one. */
function isLongPacket(index: number): boolean {
  return index % 3 !== 2;
}

export function vorbisPacket(index: number): Buffer {
  return Buffer.concat([Buffer.of(isLongPacket(index) ? 2 : 0), noise(10 + (index % 7), index + 1)]);
}

function vorbisStream(pageCount: number, packetsPerPage: number, between: readonly Buffer[] = []): Buffer {
  let granule = 0;
  let previous: number | undefined;
  const audio = times(pageCount, (pageIndex) => {
    const packets = times(packetsPerPage, (packetIndex) => {
      const index = pageIndex * packetsPerPage + packetIndex;
      const block = isLongPacket(index) ? LONG_BLOCK : SHORT_BLOCK;
      if (previous !== undefined) granule += (previous + block) / 4;
      previous = block;
      return vorbisPacket(index);
    });
    const isLast = pageIndex === pageCount - 1;
    return page({
      flags: isLast ? LAST : 0,
      granule: granule - (isLast ? 100 : 0),
      sequence: pageIndex + 2,
      packets,
    });
  });
  return Buffer.concat([
    page({ flags: FIRST, granule: 0, sequence: 0, packets: [VORBIS_HEAD] }),
    ...between,
    page({ granule: 0, sequence: 1, packets: [VORBIS_COMMENT, vorbisSetup()] }),
    ...audio,
  ]);
}

export function vorbisSeeds(): readonly Buffer[] {
  const foreignAt =
    page({ flags: FIRST, granule: 0, sequence: 0, packets: [VORBIS_HEAD] }).length + FOREIGN_HEAD.length;
  return [
    createCase(vorbisStream(6, 7)),
    createCase(vorbisStream(36, 1)),
    createCase(vorbisStream(2, 1)),
    createCase(vorbisStream(4, 9, [FOREIGN_HEAD, FOREIGN_PAGE]), {
      repeat: { at: foreignAt, byteCount: FOREIGN_PAGE.length, times: FOREIGN_REPEAT_TIMES },
    }),
  ];
}

/** FLAC in Ogg (RFC 9639 10.1). */
export function oggFlacSeeds(): readonly Buffer[] {
  const { streamInfo, comments, frames } = flacParts();
  const mapping = Buffer.concat([Buffer.of(0x7f), ascii('FLAC'), Buffer.of(1, 0, 0, 1), ascii('fLaC')]);
  const stream = (framesPerPage: number): Buffer =>
    Buffer.concat([
      page({ flags: FIRST, granule: 0, sequence: 0, packets: [Buffer.concat([mapping, streamInfo])] }),
      page({ granule: 0, sequence: 1, packets: [comments] }),
      ...times(frames.length / framesPerPage, (index) =>
        page({
          flags: (index + 1) * framesPerPage === frames.length ? LAST : 0,
          granule: (index + 1) * framesPerPage * 4_096,
          sequence: index + 2,
          packets: frames.slice(index * framesPerPage, (index + 1) * framesPerPage),
        }),
      ),
    ]);
  return [createCase(stream(1)), createCase(stream(3)), createCase(stream(9))];
}

export const COMMENT_LIST = COMMENTS;
