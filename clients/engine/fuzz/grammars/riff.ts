/** RIFF, RF64 and BW64: chunks with a four-letter name and a length of 32 bits. */
import { type Anatomy, type Field, type Grammar, type Part, words } from './grammar.ts';

export const RIFF: Grammar = {
  describe(source): Anatomy {
    const fields: Field[] = [
      { at: 4, byteCount: 4, order: 'little', covers: { start: 8, end: source.length } },
    ];
    const parts: Part[] = [];
    for (let at = 12; at + 8 <= source.length && parts.length < 100; ) {
      const size = source.readUInt32LE(at + 4);
      const end = Math.min(source.length, at + 8 + size + (size % 2));
      parts.push({ start: at, end });
      fields.push({ at: at + 4, byteCount: 4, order: 'little', covers: { start: at + 8, end } });
      fields.push(...describeBody(source.toString('latin1', at, at + 4), at + 8));
      at = end;
    }
    return { fields: fields.filter((field) => field.at + field.byteCount <= source.length), parts };
  },
  repair: () => undefined,
  words: words(
    'RIFF',
    'RF64',
    'BW64',
    'WAVE',
    'fmt ',
    'data',
    'ds64',
    'LIST',
    'INFO',
    'id3 ',
    'JUNK',
    '\u00ff\u00ff\u00ff\u00ff',
  ),
};

function describeBody(id: string, at: number): readonly Field[] {
  const little = (offset: number, byteCount: number): Field => ({
    at: at + offset,
    byteCount,
    order: 'little',
  });
  if (id === 'fmt ') {
    return [
      little(0, 2),
      little(2, 2),
      little(4, 4),
      little(8, 4),
      little(12, 2),
      little(14, 2),
      little(16, 2),
      little(24, 2),
    ];
  }
  return id === 'ds64' ? [little(0, 8), little(8, 8), little(16, 8), little(24, 4)] : [];
}
