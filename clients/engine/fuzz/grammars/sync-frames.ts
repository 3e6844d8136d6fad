/** MPEG audio and ADTS: frames known by their sync bits alone, with tags in front, between and behind. */
import { type Anatomy, type Field, type Grammar, type Part, words } from './grammar.ts';
import { describeTag } from './id3.ts';

const MAX_PARTS = 200;
/** Headers and what stands behind them: side information, ADTS checksums. */
const HEADER_FIELD_BYTES = 9;
const XING_NUMBERS = 4;
const LAME_DELAY_OFFSET = 120 + 21;

export const SYNC_FRAMES: Grammar = {
  describe(source): Anatomy {
    const tag = describeTag(source, 0);
    const fields: Field[] = [...tag.fields];
    const parts: Part[] = [...tag.parts];
    let start = tag.end;
    for (const at of syncsOf(source, tag.end)) {
      if (at > start) parts.push({ start, end: at });
      start = at;
      for (let offset = 1; offset < HEADER_FIELD_BYTES; offset++)
        fields.push({ at: at + offset, byteCount: 1, order: 'big' });
    }
    if (start < source.length) parts.push({ start, end: source.length });
    fields.push(...describeInfo(source), ...describeApe(source));
    return {
      fields: fields.filter((field) => field.at >= 0 && field.at + field.byteCount <= source.length),
      parts,
    };
  },
  repair: () => undefined,
  words: words(
    ...[
      'Xing',
      'Info',
      'LAME3.100',
      'Lavf',
      'VBRI',
      'TAG',
      'ID3\u0003\u0000\u0000',
      'APETAGEX',
      'LYRICSBEGIN',
      'LYRICS200',
    ],
    ...['\u00ff\u00fb\u0010\u00c0', '\u00ff\u00e3\u0018\u00c0', '\u00ff\u00f1\u0070\u0040', '\u00ff\u00ff'],
  ),
};

function syncsOf(source: Buffer, start: number): readonly number[] {
  const syncs: number[] = [];
  for (
    let at = source.indexOf(0xff, start);
    at >= 0 && syncs.length < MAX_PARTS;
    at = source.indexOf(0xff, at + 2)
  ) {
    if ((source[at + 1] ?? 0) >= 0xe0) syncs.push(at);
  }
  return syncs;
}

/** Flags, frames, bytes; then behind the seek table and the quality LAME's delay and padding. */
function describeInfo(source: Buffer): readonly Field[] {
  const at = ['Xing', 'Info'].map((magic) => source.indexOf(magic, 0, 'latin1')).find((found) => found >= 0);
  if (at === undefined) return [];
  const numbers = Array.from(
    { length: XING_NUMBERS },
    (_, index): Field => ({ at: at + 4 * index, byteCount: 4, order: 'big' }),
  );
  return [...numbers, { at: at + LAME_DELAY_OFFSET, byteCount: 3, order: 'big' }];
}

function describeApe(source: Buffer): readonly Field[] {
  const at = source.indexOf('APETAGEX');
  if (at < 0) return [];
  return [8, 12, 16, 20].map((offset): Field => ({ at: at + offset, byteCount: 4, order: 'little' }));
}
