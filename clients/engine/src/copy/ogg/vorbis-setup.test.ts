import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CopyNotPossibleError } from '../copy-splitter.ts';
import { readVorbisSetup } from './vorbis-setup.ts';

/** A value and its width in bits. */
type Field = readonly [value: number, bits: number];

/** Packs from the least significant bit up, after the packet's type and `vorbis`. */
function packet(fields: readonly Field[]): Buffer {
  const bits = fields.flatMap(([value, count]) =>
    Array.from({ length: count }, (_, bit) => Math.floor(value / 2 ** bit) % 2),
  );
  const bytes = Buffer.alloc(Math.ceil(bits.length / 8));
  for (const [at, bit] of bits.entries()) bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (bit << (at & 7));
  return Buffer.concat([Buffer.from('\u0005vorbis', 'latin1'), bytes]);
}

/** Counts are stored minus one. */
const ONE: Field = [0, 6];
const BOOK_START: readonly Field[] = [
  [0x564342, 24],
  [2, 16],
  [4, 24],
];
const NO_LOOKUP: Field = [0, 4];

function lengths(...codewordBits: readonly number[]): readonly Field[] {
  return [[0, 1], [0, 1], ...codewordBits.map((bits): Field => [bits - 1, 5])];
}

function lookup(type: number, valueCount: number): readonly Field[] {
  const valueBits = 3;
  return [
    [type, 4],
    [0, 32],
    [0, 32],
    [valueBits - 1, 4],
    [0, 1],
    ...Array.from({ length: valueCount }, (): Field => [5, valueBits]),
  ];
}

const PARTS = {
  book: [...BOOK_START, ...lengths(2, 2, 2, 2), NO_LOOKUP],
  // Two partitions of class 0, which has one point each, and a range of 7 bits.
  floor: [
    [1, 16],
    [2, 5],
    [0, 4],
    [0, 4],
    [0, 3],
    [0, 2],
    [1, 8],
    [1, 2],
    [7, 4],
    [40, 7],
    [80, 7],
  ],
  residue: [
    [2, 16],
    [0, 24],
    [128, 24],
    [15, 24],
    [0, 6],
    [0, 8],
    [1, 3],
    [0, 1],
    [0, 8],
  ],
  // One submap, channels 0 and 1 coupled.
  mapping: [
    [0, 16],
    [0, 1],
    [1, 1],
    [0, 8],
    [0, 1],
    [1, 1],
    [0, 2],
    [0, 8],
    [0, 8],
    [0, 8],
  ],
  modes: [
    [1, 6],
    [0, 1],
    [0, 16],
    [0, 16],
    [0, 8],
    [1, 1],
    [0, 16],
    [0, 16],
    [0, 8],
  ],
  framing: [[1, 1]],
} as const satisfies Readonly<Record<string, readonly Field[]>>;

function setup(changed: Partial<Record<keyof typeof PARTS, readonly Field[]>> = {}): Buffer {
  const { book, floor, residue, mapping, modes, framing } = { ...PARTS, ...changed };
  const times: readonly Field[] = [ONE, [0, 16]];
  return packet([
    [0, 8],
    ...book,
    ...times,
    ONE,
    ...floor,
    ONE,
    ...residue,
    ONE,
    ...mapping,
    ...modes,
    ...framing,
  ]);
}

/** `fields` with another value at `index`. */
function withValue(fields: readonly Field[], index: number, value: number): readonly Field[] {
  return fields.map((field, at) => (at === index ? [value, field[1]] : field));
}

const FLOOR_0: readonly Field[] = [
  [0, 16],
  [8, 8],
  [44_100, 16],
  [128, 16],
  [6, 6],
  [100, 8],
  [0, 4],
  [0, 8],
];
const ORDERED: readonly Field[] = [
  [1, 1],
  [0, 5],
  [1, 3],
  [1, 2],
  [2, 2],
];
const SPARSE: readonly Field[] = [
  [0, 1],
  [1, 1],
  [1, 1],
  [0, 5],
  [0, 1],
  [0, 1],
  [1, 1],
  [0, 5],
];

describe('vorbis setup header', () => {
  const taken: Readonly<Record<string, Buffer>> = {
    'the plain one': setup(),
    'codewords in order of length': setup({ book: [...BOOK_START, ...ORDERED, NO_LOOKUP] }),
    'entries left out': setup({ book: [...BOOK_START, ...SPARSE, NO_LOOKUP] }),
    'values on a lattice': setup({ book: [...BOOK_START, ...lengths(1, 2, 3, 3), ...lookup(1, 2)] }),
    'values one by one': setup({ book: [...BOOK_START, ...lengths(1, 2, 3, 3), ...lookup(2, 8)] }),
    'a floor of type 0': setup({ floor: FLOOR_0 }),
  };
  for (const [name, header] of Object.entries(taken)) {
    test(`${name}: the modes are found`, () => {
      assert.deepEqual(readVorbisSetup(header, 2).hasLongBlock, [false, true]);
    });
  }

  const refused: Readonly<Record<string, Buffer>> = {
    'a codebook without its pattern': setup({ book: withValue(PARTS.book, 0, 0) }),
    'a codebook of more values than decoders hold': setup({ book: withValue(PARTS.book, 2, 0xffffff) }),
    'codewords that overfill their tree': setup({ book: [...BOOK_START, ...lengths(1, 2, 2, 2), NO_LOOKUP] }),
    'codewords that leave a gap': setup({ book: [...BOOK_START, ...lengths(2, 2, 2, 3), NO_LOOKUP] }),
    'lengths without an end': setup({
      book: [...BOOK_START, [1, 1], [0, 5], ...Array.from({ length: 40 }, (): Field => [0, 3]), NO_LOOKUP],
    }),
    'a lookup of an unknown type': setup({ book: [...BOOK_START, ...lengths(2, 2, 2, 2), [3, 4]] }),
    'a floor of an unknown type': setup({ floor: withValue(PARTS.floor, 0, 2) }),
    'a floor with a point twice': setup({ floor: withValue(PARTS.floor, 10, 40) }),
    'a floor with a missing book': setup({ floor: withValue(PARTS.floor, 6, 2) }),
    'a floor of type 0 and rate 0': setup({ floor: withValue(FLOOR_0, 2, 0) }),
    'a residue that ends before it begins': setup({ residue: withValue(PARTS.residue, 1, 129) }),
    'a residue with a missing book': setup({ residue: withValue(PARTS.residue, 8, 1) }),
    'a channel coupled with itself': setup({ mapping: withValue(PARTS.mapping, 4, 1) }),
    'a mapping with a missing floor': setup({ mapping: withValue(PARTS.mapping, 8, 1) }),
    'a mode with a missing mapping': setup({ modes: withValue(PARTS.modes, 4, 1) }),
    'no framing bit': setup({ framing: [[0, 1]] }),
    'a truncated packet': setup().subarray(0, -1),
    'an empty packet': packet([]),
  };
  for (const [name, header] of Object.entries(refused)) {
    test(`${name} is declined`, () => {
      assert.throws(() => readVorbisSetup(header, 2), CopyNotPossibleError);
    });
  }

  test('coupling is read in as many bits as the number of channels requires', () => {
    const ofSixChannels = [...PARTS.mapping.slice(0, 4), [0, 3], [5, 3], ...PARTS.mapping.slice(6)] as const;
    const header = setup({ mapping: ofSixChannels });
    assert.deepEqual(readVorbisSetup(header, 6).hasLongBlock, [false, true]);
    for (const channelCount of [1, 2, 5, 255]) {
      assert.throws(() => readVorbisSetup(header, channelCount), CopyNotPossibleError);
    }
  });
});
