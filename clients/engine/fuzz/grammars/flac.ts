/** FLAC (RFC 9639): metadata blocks, then frames with a checksum over the header and one over all. */
import { describeComments } from './comments.ts';
import { type Anatomy, type Field, type Grammar, type Part, words } from './grammar.ts';
import { describeTag } from './id3.ts';

const MAX_BLOCKS = 40;
const MAX_FRAMES = 200;

export const FLAC: Grammar = {
  describe(source): Anatomy {
    const tag = describeTag(source, 0);
    const fields: Field[] = [...tag.fields];
    const parts: Part[] = [...tag.parts];
    let at = tag.end + 4;
    for (let block = 0, isLast = false; !isLast && block < MAX_BLOCKS && at + 4 <= source.length; block++) {
      const end = Math.min(source.length, at + 4 + source.readUIntBE(at + 1, 3));
      parts.push({ start: at, end });
      fields.push(
        { at, byteCount: 1, order: 'big' },
        { at: at + 1, byteCount: 3, order: 'big', covers: { start: at + 4, end } },
      );
      const type = source.readUInt8(at) & 0x7f;
      if (type === 0) fields.push(...describeStreamInfo(at + 4));
      if (type === 4) fields.push(...describeComments(source, at + 4).fields);
      isLast = source.readUInt8(at) >= 0x80;
      at = end;
    }
    for (const frame of framesOf(source, at)) {
      parts.push(frame);
      for (let offset = 1; offset < 7; offset++)
        fields.push({ at: frame.start + offset, byteCount: 1, order: 'big' });
    }
    return { fields: fields.filter((field) => field.at + field.byteCount <= source.length), parts };
  },
  repair(source) {
    for (const { start, end } of framesOf(source, 0)) {
      const headerBytes = headerBytesAt(source, start);
      if (start + headerBytes + 2 >= end) continue;
      source[start + headerBytes - 1] = crc8(source.subarray(start, start + headerBytes - 1));
      source.writeUInt16BE(crc16(source.subarray(start, end - 2)), end - 2);
    }
  },
  words: words(
    'fLaC',
    '\u00ff\u00f8',
    '\u00ff\u00f9',
    'TAG',
    'ID3\u0003\u0000\u0000',
    'TITLE=',
    '\u00fe\u0080\u0080\u0080\u0080\u0080\u0080',
  ),
};

function describeStreamInfo(at: number): readonly Field[] {
  const big = (offset: number, byteCount: number): Field => ({ at: at + offset, byteCount, order: 'big' });
  return [
    big(0, 2),
    big(2, 2),
    big(4, 3),
    big(7, 3),
    big(10, 1),
    big(11, 1),
    big(12, 1),
    big(13, 1),
    big(14, 4),
  ];
}

/** A frame that another sync code follows, or the end. */
function framesOf(source: Buffer, start: number): readonly Part[] {
  const syncs: number[] = [];
  for (
    let at = source.indexOf(0xff, start);
    at >= 0 && syncs.length < MAX_FRAMES;
    at = source.indexOf(0xff, at + 1)
  ) {
    if (((source[at + 1] ?? 0) & 0xfe) === 0xf8) syncs.push(at);
  }
  return syncs.map((at, index) => ({ start: at, end: syncs[index + 1] ?? source.length }));
}

/** Checksum included. */
function headerBytesAt(source: Buffer, at: number): number {
  const sizes = source[at + 2] ?? 0;
  const first = source[at + 4] ?? 0;
  const numberBytes = first < 0x80 ? 1 : Math.min(7, Math.max(1, Math.clz32(~(first << 24))));
  const blockBytes = sizes >> 4 === 6 ? 1 : sizes >> 4 === 7 ? 2 : 0;
  const rate = sizes & 0xf;
  return 4 + numberBytes + blockBytes + (rate === 12 ? 1 : rate === 13 || rate === 14 ? 2 : 0) + 1;
}

export function crc8(bytes: Uint8Array): number {
  return bytes.reduce((crc, byte) => CRC8_TABLE[crc ^ byte] ?? 0, 0);
}

export function crc16(bytes: Uint8Array): number {
  return bytes.reduce((crc, byte) => ((crc << 8) & 0xffff) ^ (CRC16_TABLE[(crc >> 8) ^ byte] ?? 0), 0);
}

const CRC8_TABLE = Uint8Array.from({ length: 256 }, (_, byte) => shiftOut(byte, 8, 0x07));
const CRC16_TABLE = Uint16Array.from({ length: 256 }, (_, byte) => shiftOut(byte << 8, 16, 0x8005));

function shiftOut(value: number, width: 8 | 16, polynomial: number): number {
  let crc = value;
  for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ ((crc >> (width - 1)) & 1 ? polynomial : 0);
  return crc & (2 ** width - 1);
}
