/** ISO base media boxes (ISO/IEC 14496-12 4.2), down to the 32-bit numbers of their tables. */
import { type Anatomy, type Grammar, type GrowingAnatomy, type Part, words } from './grammar.ts';

const CONTAINERS: ReadonlySet<string> = new Set([
  ...['moov', 'trak', 'mdia', 'minf', 'stbl', 'edts', 'udta', 'ilst', 'dinf', '----', 'covr', '\u00a9nam'],
  ...['meta', 'stsd', 'mp4a', 'tref'],
]);
/** Fields in front of the first child. */
const PREAMBLE_BYTES: Readonly<Record<string, number>> = { meta: 4, stsd: 8, mp4a: 28 };
const MAX_NUMBERS = 48;
const MAX_DEPTH = 12;

export const MP4: Grammar = {
  describe(source): Anatomy {
    const anatomy: GrowingAnatomy = { fields: [], parts: [] };
    describeBoxes(source, { start: 0, end: source.length, depth: 0 }, anatomy);
    const { fields, parts } = anatomy;
    return { fields: fields.filter((field) => field.at + field.byteCount <= source.length), parts };
  },
  repair: () => undefined,
  words: words(
    ...[
      'ftyp',
      'moov',
      'mdat',
      'free',
      'moof',
      'mvex',
      'trak',
      'mdia',
      'soun',
      'vide',
      'stsd',
      'mp4a',
      'esds',
    ],
    ...[
      'elst',
      'stsz',
      'stts',
      'stsc',
      'stco',
      'co64',
      '----',
      'iTunSMPB',
      'data',
      'covr',
      'tref',
      'chap',
      'text',
      'chpl',
      '\u0000\u0000\u0000\u0001',
    ],
  ),
};

interface BoxLevel extends Part {
  readonly depth: number;
}

function describeBoxes(source: Buffer, { start, end, depth }: BoxLevel, anatomy: GrowingAnatomy): void {
  const { fields, parts } = anatomy;
  for (let at = start; at + 8 <= end; ) {
    const size = source.readUInt32BE(at);
    const isWide = size === 1 && at + 16 <= end;
    const headerBytes = isWide ? 16 : 8;
    const claimed = isWide ? Number(source.readBigUInt64BE(at + 8)) : size;
    const boxEnd = claimed < headerBytes ? end : Math.min(end, at + claimed);
    const covers = { start: at + headerBytes, end: boxEnd };
    parts.push({ start: at, end: boxEnd });
    fields.push(
      isWide
        ? { at: at + 8, byteCount: 8, order: 'big', covers }
        : { at, byteCount: 4, order: 'big', covers },
    );
    const type = source.toString('latin1', at + 4, at + 8);
    const bodyAt = at + headerBytes + (PREAMBLE_BYTES[type] ?? 0);
    if (CONTAINERS.has(type) && depth < MAX_DEPTH)
      describeBoxes(source, { start: bodyAt, end: boxEnd, depth: depth + 1 }, anatomy);
    else if (type !== 'mdat' && type !== 'free') describeNumbers(covers, anatomy);
    at = boxEnd;
  }
}

/** Version and flags, then numbers; descriptors count in single bytes. */
function describeNumbers({ start, end }: Part, { fields, parts }: GrowingAnatomy): void {
  fields.push({ at: start, byteCount: 1, order: 'big' });
  for (let at = start, left = MAX_NUMBERS; at + 4 <= end && left > 0; at += 4, left--) {
    fields.push({ at, byteCount: 4, order: 'big' });
    parts.push({ start: at, end: at + 4 });
  }
  if (end - start < 64) {
    for (let at = start; at < end; at++) fields.push({ at, byteCount: 1, order: 'big' });
  }
}
