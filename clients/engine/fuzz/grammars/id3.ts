/** ID3v2 tags: a syncsafe length, frames with a name and a length. */
import { type Anatomy, type Field, type Grammar, type Part, words } from './grammar.ts';

const HEADER_BYTES = 10;

/** The tag at `at`, if there is one, and where it ends. */
export function describeTag(source: Buffer, at: number): Anatomy & { readonly end: number } {
  if (source.toString('latin1', at, at + 3) !== 'ID3') return { fields: [], parts: [], end: at };
  const size = [6, 7, 8, 9].reduce((value, offset) => value * 128 + ((source[at + offset] ?? 0) & 0x7f), 0);
  const end = Math.min(source.length, at + HEADER_BYTES + size);
  const fields: Field[] = [
    { at: at + 3, byteCount: 1, order: 'big' },
    { at: at + 5, byteCount: 1, order: 'big' },
    { at: at + 6, byteCount: 4, order: 'syncsafe', covers: { start: at + HEADER_BYTES, end } },
  ];
  const parts: Part[] = [{ start: at, end }];
  const order = source[at + 3] === 4 ? 'syncsafe' : 'big';
  for (let frameAt = at + HEADER_BYTES; frameAt + HEADER_BYTES <= end && source[frameAt] !== 0; ) {
    const frameEnd = Math.min(end, frameAt + HEADER_BYTES + source.readUInt32BE(frameAt + 4));
    parts.push({ start: frameAt, end: frameEnd });
    fields.push(
      { at: frameAt + 4, byteCount: 4, order, covers: { start: frameAt + HEADER_BYTES, end: frameEnd } },
      { at: frameAt + 8, byteCount: 2, order: 'big' },
      { at: frameAt + HEADER_BYTES, byteCount: 1, order: 'big' },
    );
    frameAt = frameEnd;
  }
  return { fields: fields.filter((field) => field.at + field.byteCount <= source.length), parts, end };
}

export const ID3: Grammar = {
  describe: (source) => describeTag(source, 0),
  repair: () => undefined,
  words: words(
    'ID3\u0003\u0000\u0000',
    'ID3\u0004\u0000\u0000',
    'TIT2',
    'TRCK',
    'APIC',
    'CHAP',
    'CTOC',
    'TXXX',
    'toc\u0000\u0003\u0001',
    '\u0001\u00ff\u00fe',
    '\u0001\u00fe\u00ff',
  ),
};
