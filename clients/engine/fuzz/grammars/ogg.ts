/** Ogg pages (RFC 3533), with the header packets of Vorbis and Opus. */
import { describeComments } from './comments.ts';
import { type Anatomy, type Field, type Grammar, type Part, words } from './grammar.ts';

const HEADER_BYTES = 27;
const CRC_AT = 22;

export const OGG: Grammar = {
  describe(source): Anatomy {
    const fields: Field[] = [];
    const parts = pagesOf(source);
    for (const { start, end } of parts) {
      const lacingCount = source[start + HEADER_BYTES - 1] ?? 0;
      const little = (offset: number, byteCount: number): Field => ({
        at: start + offset,
        byteCount,
        order: 'little',
      });
      fields.push(little(4, 1), little(5, 1), little(6, 8), little(14, 4), little(18, 4), little(26, 1));
      let packetAt = start + HEADER_BYTES + lacingCount;
      const body = { start: packetAt, end };
      for (let index = 0; index < lacingCount; index++) {
        fields.push({ ...little(HEADER_BYTES + index, 1), covers: body });
        const lacing = source[start + HEADER_BYTES + index] ?? 0;
        fields.push({ at: packetAt, byteCount: 1, order: 'big' });
        packetAt += lacing;
      }
      fields.push(...describePacket(source, body.start));
    }
    return { fields: fields.filter((field) => field.at + field.byteCount <= source.length), parts };
  },
  repair(source) {
    for (const { start, end } of pagesOf(source)) {
      if (end - start < HEADER_BYTES) continue;
      source.writeUInt32LE(0, start + CRC_AT);
      source.writeUInt32LE(pageChecksum(source.subarray(start, end)), start + CRC_AT);
    }
  },
  words: words(
    'OggS',
    '\u0001vorbis',
    '\u0003vorbis',
    '\u0005vorbis',
    'OpusHead',
    'OpusTags',
    '\u00ff\u00ff',
    'TITLE=',
  ),
};

/** By the lacing table; what it does not explain belongs to the page before. */
function pagesOf(source: Buffer): readonly Part[] {
  const pages: Part[] = [];
  for (let at = source.indexOf('OggS'); at >= 0 && pages.length < 200; ) {
    const lacingCount = source[at + HEADER_BYTES - 1] ?? 0;
    const bodyAt = at + HEADER_BYTES + lacingCount;
    const bodyBytes = source.subarray(bodyAt - lacingCount, bodyAt).reduce((sum, lacing) => sum + lacing, 0);
    const end = Math.min(source.length, bodyAt + bodyBytes);
    pages.push({ start: at, end });
    at = source.indexOf(
      'OggS',
      Math.max(at + 4, source.toString('latin1', end, end + 4) === 'OggS' ? end : at + 4),
    );
  }
  return pages;
}

function describePacket(source: Buffer, at: number): readonly Field[] {
  const little = (offset: number, byteCount: number): Field => ({
    at: at + offset,
    byteCount,
    order: 'little',
  });
  if (source.toString('latin1', at, at + 8) === 'OpusHead') {
    return [little(8, 1), little(9, 1), little(10, 2), little(12, 4), little(16, 2), little(18, 1)];
  }
  if (source.toString('latin1', at, at + 8) === 'OpusTags') return describeComments(source, at + 8).fields;
  if (source.toString('latin1', at + 1, at + 7) !== 'vorbis') return [];
  if (source[at] === 1) return [little(7, 4), little(11, 1), little(12, 4), little(28, 1), little(29, 1)];
  return source[at] === 3 ? describeComments(source, at + 7).fields : [];
}

/** CRC-32, polynomial 0x04c11db7, most significant bit first, nothing inverted. */
export function pageChecksum(page: Uint8Array): number {
  let crc = 0;
  for (const byte of page) crc = (crc << 8) ^ (CRC_TABLE[(crc >>> 24) ^ byte] ?? 0);
  return crc >>> 0;
}

const CRC_TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit++) crc = crc < 0 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  return crc;
});
