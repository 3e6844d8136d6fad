/**
 * The Huffman codebooks of AAC (ISO/IEC 14496-3 4.A.1), as far as they are needed to skip codes.
 *
 * In each book the codes, ordered by length, are consecutive numbers, so the number of codes of each length
 * defines them. The value of a code does not matter here, only how many bits follow it.
 */
import { type FrameBits, readBits, readFlag, skipBits } from './aac-bits.ts';

interface Codebook {
  /** The number of codes of one bit, of two bits and so on. */
  readonly counts: readonly number[];
}

interface SpectralCodebook extends Codebook {
  /** Coefficients that one code stands for. */
  readonly valueCount: 2 | 4;
  /** One base-36 digit per code, in order: the number of sign bits plus five times the number of escapes. */
  readonly behind?: string;
}

const SCALE_FACTORS: Codebook = {
  counts: [1, 0, 1, 3, 2, 4, 3, 5, 4, 6, 6, 6, 5, 8, 4, 7, 3, 7, 46],
};

/** Books 1 to 11. */
const SPECTRAL: readonly SpectralCodebook[] = [
  { valueCount: 4, counts: [1, 0, 0, 0, 8, 0, 24, 0, 24, 8, 16] },
  { valueCount: 4, counts: [0, 0, 1, 1, 7, 24, 15, 19, 14] },
  {
    valueCount: 4,
    counts: [1, 0, 0, 4, 2, 6, 3, 5, 15, 15, 8, 9, 3, 3, 5, 2],
    behind: '011112222232343311223232331221224334323244332333223243344233333344442233434443233',
  },
  {
    valueCount: 4,
    counts: [0, 0, 0, 10, 6, 0, 9, 21, 8, 14, 11, 2],
    behind: '433331202222121144443333333333332222222222221111444444333333333433344422222243333',
  },
  { valueCount: 2, counts: [1, 0, 0, 4, 4, 0, 4, 12, 12, 12, 18, 10, 4] },
  { valueCount: 2, counts: [0, 0, 0, 9, 0, 16, 13, 8, 23, 8, 4] },
  {
    valueCount: 2,
    counts: [1, 0, 2, 1, 0, 4, 5, 10, 14, 15, 8, 4],
    behind: '0112221122211222222221122212122222222211222222222222112222222222',
  },
  {
    valueCount: 2,
    counts: [0, 0, 1, 5, 7, 10, 14, 15, 8, 4],
    behind: '2212120112222222221122222222221212222222121222222222221212222112',
  },
  {
    valueCount: 2,
    counts: [1, 0, 2, 1, 0, 4, 3, 8, 11, 20, 31, 38, 32, 14, 4],
    behind:
      '0112221122211222222221122222221212222222212222222212221222212222112222222222222122212' +
      '222222222222222222212212222222122222222222222212212222122222222222222222222222222222',
  },
  {
    valueCount: 2,
    counts: [0, 0, 0, 3, 8, 14, 17, 25, 31, 41, 22, 8],
    behind:
      '2222112222211222202211222222222222121222222222222121222222222222222222122222122222222' +
      '222222222121222222212222221222222222222222221212122222222222222212122212221222222122',
  },
  {
    valueCount: 2,
    counts: [0, 0, 0, 2, 6, 7, 16, 59, 55, 95, 43, 6],
    behind:
      '02c1122222212122222221122222222222222277777271217277772222277227772272777272277222177' +
      '2222127722727222222272212222221222222222222221222222222226222222621222222222222222222' +
      '2222222222221222222222222222222122222222222222222222222222211222222222222222222222222' +
      '2212212122212222211222212212112112',
  },
];

/** More would make a coefficient larger than 13 bits. */
const MAX_ESCAPE_ONES = 8;
const BASE_ESCAPE_BITS = 4;

export function skipScaleFactor(bits: FrameBits): void {
  readCode(bits, SCALE_FACTORS);
}

/** Skips `coefficientCount` coefficients coded with book `number`. */
export function skipCoefficients(bits: FrameBits, number: number, coefficientCount: number): void {
  const book = SPECTRAL[number - 1];
  if (book === undefined) throw new RangeError('no such codebook');
  for (let left = coefficientCount; left > 0; left -= book.valueCount) {
    const code = readCode(bits, book);
    const behind = Number.parseInt(book.behind?.[code] ?? '0', 36);
    skipBits(bits, behind % 5);
    for (let escapes = Math.floor(behind / 5); escapes > 0; escapes--) skipEscape(bits);
  }
}

function skipEscape(bits: FrameBits): void {
  let ones = 0;
  while (readFlag(bits)) {
    ones += 1;
    if (ones > MAX_ESCAPE_ONES) throw new RangeError('a coefficient is too large');
  }
  skipBits(bits, ones + BASE_ESCAPE_BITS);
}

/** The index in the book of the next code. */
function readCode(bits: FrameBits, { counts }: Codebook): number {
  let code = 0;
  let firstOfLength = 0;
  let indexOfFirst = 0;
  for (const count of counts) {
    code = 2 * code + readBits(bits, 1);
    firstOfLength *= 2;
    if (code - firstOfLength < count) return indexOfFirst + code - firstOfLength;
    indexOfFirst += count;
    firstOfLength += count;
  }
  throw new RangeError('no such code');
}
