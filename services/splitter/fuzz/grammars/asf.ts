/** ASF: objects with a name of 16 bytes and a length of 64 bits, those of the header within another. */
import type { Anatomy, Field, Grammar, Part } from './grammar.ts';

const OBJECT_HEADER_BYTES = 24;
const HEADER_FIELDS_BYTES = 30;
const MAX_OBJECTS = 100;

const HEADER = Buffer.from('3026b2758e66cf11a6d900aa0062ce6c', 'hex');
const DATA = Buffer.from('3626b2758e66cf11a6d900aa0062ce6c', 'hex');
const FILE_PROPERTIES = Buffer.from('a1dcab8c47a9cf118ee400c00c205365', 'hex');
const STREAM_PROPERTIES = Buffer.from('9107dcb7b7a9cf118ee600c00c205365', 'hex');

export const ASF: Grammar = {
  describe(source): Anatomy {
    const fields: Field[] = [];
    const parts: Part[] = [];
    for (let at = 0; at + OBJECT_HEADER_BYTES <= source.length && parts.length < MAX_OBJECTS; ) {
      const end = Math.min(source.length, at + Number(source.readBigUInt64LE(at + 16)));
      parts.push({ start: at, end });
      fields.push(little(at + 16, 8), ...describeBody(source.subarray(at, at + 16), at));
      const isHeader = HEADER.equals(source.subarray(at, at + 16));
      at = isHeader ? at + HEADER_FIELDS_BYTES : Math.max(at + OBJECT_HEADER_BYTES, end);
    }
    return { fields: fields.filter((field) => field.at + field.byteCount <= source.length), parts };
  },
  repair: () => undefined,
  words: [HEADER, DATA, FILE_PROPERTIES, STREAM_PROPERTIES, Buffer.of(0x82, 0, 0), Buffer.of(0x61, 1)],
};

function little(at: number, byteCount: number): Field {
  return { at, byteCount, order: 'little' };
}

function describeBody(name: Buffer, at: number): readonly Field[] {
  if (name.equals(FILE_PROPERTIES))
    return [
      little(at + 64, 8),
      little(at + 80, 8),
      little(at + 88, 4),
      little(at + 92, 4),
      little(at + 96, 4),
    ];
  if (name.equals(STREAM_PROPERTIES))
    return [
      little(at + 72, 2),
      little(at + 78, 2),
      little(at + 90, 2),
      little(at + 94, 2),
      little(at + 100, 2),
    ];
  // Of the first packet: how wide its fields are, how long its padding is, how many payloads it has.
  return name.equals(DATA) ? [3, 4, 5, 6, 13].map((offset) => little(at + 50 + offset, 1)) : [];
}
