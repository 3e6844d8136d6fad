/** Core Audio Format: chunks with a four-letter name and a length of 64 bits. */
import { type Anatomy, type Field, type Grammar, type Part, words } from './grammar.ts';

const HEADER_BYTES = 12;
const TABLE_SIZES_AT = 24;
const MAX_SIZES = 60;

export const CAF: Grammar = {
  describe(source): Anatomy {
    const fields: Field[] = [];
    const parts: Part[] = [];
    for (let at = 8; at + HEADER_BYTES <= source.length && parts.length < 100; ) {
      const body = at + HEADER_BYTES;
      const size = Number(source.readBigInt64BE(at + 4));
      const end = size < 0 ? source.length : Math.min(source.length, body + size);
      parts.push({ start: at, end });
      fields.push({ at: at + 4, byteCount: 8, order: 'big', covers: { start: body, end } });
      fields.push(...describeBody(source.toString('latin1', at, at + 4), body));
      at = end;
    }
    return { fields: fields.filter((field) => field.at + field.byteCount <= source.length), parts };
  },
  repair: () => undefined,
  words: words('caff', 'desc', 'data', 'pakt', 'info', 'free', 'kuki', 'chan', 'opus', 'alac', 'aac '),
};

function describeBody(type: string, at: number): readonly Field[] {
  const big = (offset: number, byteCount: number): Field => ({ at: at + offset, byteCount, order: 'big' });
  if (type === 'desc') return [big(0, 8), ...[8, 12, 16, 20, 24, 28].map((offset) => big(offset, 4))];
  if (type !== 'pakt') return [];
  const sizes = Array.from({ length: MAX_SIZES }, (_, index) => big(TABLE_SIZES_AT + index, 1));
  return [big(0, 8), big(8, 8), big(16, 4), big(20, 4), ...sizes];
}
