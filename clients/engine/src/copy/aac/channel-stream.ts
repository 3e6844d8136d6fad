import { type FrameBits, readBits, readFlag, skipBits } from './aac-bits.ts';
import { skipCoefficients, skipScaleFactor } from './aac-codebooks.ts';
import type { BandWidths } from './scale-factor-bands.ts';

/** How a channel's coefficients are grouped (`ics_info`, ISO/IEC 14496-3 table 4.6). */
interface WindowLayout {
  readonly isShort: boolean;
  /** Windows in each group. */
  readonly groups: readonly number[];
  readonly maxBand: number;
}

const EIGHT_SHORT_SEQUENCE = 2;
const SHORT_WINDOWS = 8;
const ZERO_BOOK = 0;
const LAST_SPECTRAL_BOOK = 11;
const RESERVED_BOOK = 12;
const NOISE_BOOK = 13;
const FIRST_NOISE_BITS = 9;

export function readWindowLayout(bits: FrameBits): WindowLayout {
  skipBits(bits, 1);
  const isShort = readBits(bits, 2) === EIGHT_SHORT_SEQUENCE;
  skipBits(bits, 1);
  if (!isShort) {
    const maxBand = readBits(bits, 6);
    if (readFlag(bits)) throw new RangeError('prediction is not part of AAC-LC');
    return { isShort, groups: [1], maxBand };
  }
  const maxBand = readBits(bits, 4);
  const groups = [1];
  for (let window = 1; window < SHORT_WINDOWS; window++) {
    if (readFlag(bits)) groups.push((groups.pop() ?? 0) + 1);
    else groups.push(1);
  }
  return { isShort, groups, maxBand };
}

/**
 * Skips an `individual_channel_stream` of AAC-LC; `shared` is the layout common to both channels of a pair.
 */
export function skipChannelStream(
  bits: FrameBits,
  { long, short }: BandWidths,
  shared: WindowLayout | undefined,
): void {
  skipBits(bits, 8);
  const layout = shared ?? readWindowLayout(bits);
  const widths = layout.isShort ? short : long;
  if (layout.maxBand > widths.length) throw new RangeError('more bands than there are');
  const books = layout.groups.map(() => readBooks(bits, layout));
  skipScaleFactors(bits, books);
  if (readFlag(bits)) skipPulses(bits, layout);
  if (readFlag(bits)) skipNoiseShaping(bits, layout);
  if (readFlag(bits)) throw new RangeError('gain control is not part of AAC-LC');
  for (const [group, windowCount] of layout.groups.entries()) {
    for (const [band, book] of (books[group] ?? []).entries()) {
      if (book === ZERO_BOOK || book > LAST_SPECTRAL_BOOK) continue;
      skipCoefficients(bits, book, windowCount * (widths[band] ?? 0));
    }
  }
}

/** The codebook of each band of one group (`section_data`). */
function readBooks(bits: FrameBits, { isShort, maxBand }: WindowLayout): readonly number[] {
  const lengthBits = isShort ? 3 : 5;
  const continued = (1 << lengthBits) - 1;
  const books: number[] = [];
  while (books.length < maxBand) {
    const book = readBits(bits, 4);
    if (book === RESERVED_BOOK) throw new RangeError('a reserved codebook');
    let length = 0;
    let part: number;
    do {
      part = readBits(bits, lengthBits);
      length += part;
    } while (part === continued);
    if (books.length + length > maxBand) throw new RangeError('more bands than there are');
    for (; length > 0; length--) books.push(book);
  }
  return books;
}

function skipScaleFactors(bits: FrameBits, books: readonly (readonly number[])[]): void {
  let isFirstNoise = true;
  for (const book of books.flat()) {
    if (book === ZERO_BOOK) continue;
    if (book === NOISE_BOOK && isFirstNoise) {
      isFirstNoise = false;
      skipBits(bits, FIRST_NOISE_BITS);
    } else {
      skipScaleFactor(bits);
    }
  }
}

function skipPulses(bits: FrameBits, { isShort }: WindowLayout): void {
  if (isShort) throw new RangeError('pulses in short windows');
  const count = readBits(bits, 2) + 1;
  skipBits(bits, 6 + 9 * count);
}

/** `tns_data`. */
function skipNoiseShaping(bits: FrameBits, { isShort }: WindowLayout): void {
  const [countBits, lengthBits, orderBits] = isShort ? [1, 4, 3] : [2, 6, 5];
  for (let window = 0; window < (isShort ? SHORT_WINDOWS : 1); window++) {
    const filterCount = readBits(bits, countBits);
    if (filterCount === 0) continue;
    const resolutionBits = readBits(bits, 1) + 3;
    for (let filter = 0; filter < filterCount; filter++) {
      skipBits(bits, lengthBits);
      const order = readBits(bits, orderBits);
      if (order === 0) continue;
      skipBits(bits, 1);
      const compressedBits = readBits(bits, 1);
      skipBits(bits, order * (resolutionBits - compressedBits));
    }
  }
}
