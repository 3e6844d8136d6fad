/** EBML (RFC 8794), down to the laces of Matroska's blocks. */
import { type Anatomy, type Grammar, type GrowingAnatomy, type Part, words } from './grammar.ts';

/**
 * EBML, Segment, Info, Tracks, TrackEntry, Tags, Tag, Targets, SimpleTag, Cluster, BlockGroup; SeekHead, Seek, Chapters,
 * EditionEntry, ChapterAtom, ChapterDisplay.
 */
const MASTERS: ReadonlySet<number> = new Set([
  ...[0x1a45dfa3, 0x18538067, 0x1549a966, 0x1654ae6b, 0xae, 0x1254c367, 0x7373, 0x63c0, 0x67c8],
  ...[0x1f43b675, 0xa0],
  ...[0x114d9b74, 0x4dbb, 0x1043a770, 0x45b9, 0xb6, 0x80],
]);
const MAX_PARTS = 300;
const MAX_BODY_FIELDS = 24;

export const EBML: Grammar = {
  describe(source): Anatomy {
    const anatomy: GrowingAnatomy = { fields: [], parts: [] };
    describeElements(source, { start: 0, end: source.length }, anatomy);
    const { fields, parts } = anatomy;
    return { fields: fields.filter((field) => field.at + field.byteCount <= source.length), parts };
  },
  repair: () => undefined,
  words: words(
    ...['\u001aE\u00df\u00a3', '\u0018S\u0080g', '\u001fC\u00b6u', '\u0016T\u00aek', '\u0012T\u00c3g'],
    ...['\u00a3\u0085\u0082', '\u00a0', '\u00a1', '\u0075\u00a2\u0088', '\u006d\u0080', '\u00ec\u0080'],
    ...[
      '\u0010C\u00a7p',
      '\u0011M\u009bt',
      '\u00b6',
      '\u0091\u0081',
      '\u0098\u0081\u0001',
      '\u0045\u0098\u0081\u0000',
    ],
    ...['A_OPUS', 'A_VORBIS', 'A_FLAC', '\u0001\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff', '\u00ff'],
  ),
};

function widthOf(first: number | undefined): number {
  return first === undefined || first === 0 ? 9 : Math.clz32(first) - 23;
}

function describeElements(source: Buffer, { start, end }: Part, anatomy: GrowingAnatomy): void {
  const { fields, parts } = anatomy;
  for (let at = start; at < end && parts.length < MAX_PARTS; ) {
    const idBytes = widthOf(source[at]);
    const sizeBytes = widthOf(source[at + idBytes]);
    const bodyAt = at + idBytes + sizeBytes;
    if (idBytes > 4 || sizeBytes > 8 || bodyAt > end) return;
    let size = source.readUInt8(at + idBytes) & (0xff >> sizeBytes);
    let isOpen = size === 0xff >> sizeBytes;
    for (let index = 1; index < sizeBytes; index++) {
      const byte = source.readUInt8(at + idBytes + index);
      isOpen &&= byte === 0xff;
      size = size * 256 + byte;
    }
    const bodyEnd = isOpen ? end : Math.min(end, bodyAt + size);
    const covers = { start: bodyAt, end: bodyEnd };
    parts.push({ start: at, end: bodyEnd });
    fields.push({ at, byteCount: idBytes, order: 'big' });
    // The width's marker is part of what is mutated.
    fields.push({ at: at + idBytes, byteCount: 1, order: 'big' });
    if (sizeBytes > 1)
      fields.push({ at: at + idBytes + 1, byteCount: Math.min(6, sizeBytes - 1), order: 'big', covers });
    if (MASTERS.has(source.readUIntBE(at, idBytes))) describeElements(source, covers, anatomy);
    else
      for (let byte = bodyAt; byte < Math.min(bodyEnd, bodyAt + MAX_BODY_FIELDS); byte++)
        fields.push({ at: byte, byteCount: 1, order: 'big' });
    at = bodyEnd;
  }
}
