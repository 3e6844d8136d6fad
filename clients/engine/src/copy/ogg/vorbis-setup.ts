import { CopyNotPossibleError } from '../copy-contract.ts';

/**
 * The setup header of a Vorbis I stream (specification 4.2.4), read as a decoder reads it.
 *
 * Splitting needs only the modes, but they are at the end, after codebooks, floors, residues and mappings
 * whose lengths are known only by reading them. A header that decoders would refuse is refused here too,
 * because no decoder could open segments that repeat it.
 */
interface VorbisSetup {
  /** For each mode: whether its packets have the long window. */
  readonly hasLongBlock: readonly boolean[];
}

/** Reads `count` bits, 32 at most. */
type ReadBits = (count: number) => number;

const TYPE_BITS = 7 * 8;
const CODEBOOK_SYNC = 0x564342;
const MAX_CODEWORD_BITS = 32;
/** As in libvorbis: a book with more values is an attack. */
const MAX_BOOK_BITS = 24;
const MAX_FLOOR_POINTS = 65;

/**
 * Throws CopyNotPossibleError if it contradicts itself or the identification header, or decoders would refuse
 * it.
 */
export function readVorbisSetup(packet: Buffer, channelCount: number): VorbisSetup {
  const read = bitReader(packet);
  const books = countOf(read, 8);
  for (let book = 0; book < books; book++) readCodebook(read);
  for (let left = countOf(read, 6); left > 0; left--) demand(read(16) === 0);
  const floors = countOf(read, 6);
  for (let floor = 0; floor < floors; floor++) readFloor(read, books);
  const residues = countOf(read, 6);
  for (let residue = 0; residue < residues; residue++) readResidue(read, books);
  const mappings = countOf(read, 6);
  for (let mapping = 0; mapping < mappings; mapping++) readMapping(read, { channelCount, floors, residues });
  const modes = countOf(read, 6);
  const hasLongBlock: boolean[] = [];
  while (hasLongBlock.length < modes) {
    hasLongBlock.push(read(1) === 1);
    demand(read(16) === 0 && read(16) === 0 && read(8) < mappings);
  }
  demand(read(1) === 1);
  return { hasLongBlock };
}

/** Section 3.2.1. */
function readCodebook(read: ReadBits): void {
  demand(read(24) === CODEBOOK_SYNC);
  const dimensions = read(16);
  const entries = read(24);
  demand(bitLength(dimensions) + bitLength(entries) <= MAX_BOOK_BITS);
  if (read(1) === 1) readOrderedLengths(read, entries);
  else readLengths(read, entries);
  const lookupType = read(4);
  demand(lookupType <= 2);
  if (lookupType === 0) return;
  read(32);
  read(32);
  const valueBits = read(4) + 1;
  read(1);
  demand(dimensions > 0);
  const values = lookupType === 1 ? largestRoot(entries, dimensions) : entries * dimensions;
  for (let left = values; left > 0; left--) read(valueBits);
}

function readLengths(read: ReadBits, entries: number): void {
  const isSparse = read(1) === 1;
  let used = 0;
  let share = 0;
  for (let entry = 0; entry < entries; entry++) {
    if (isSparse && read(1) === 0) continue;
    used += 1;
    share += 2 ** -(read(5) + 1);
  }
  demandWholeTree(used, share);
}

function readOrderedLengths(read: ReadBits, entries: number): void {
  let share = 0;
  let length = read(5) + 1;
  for (let entry = 0; entry < entries; length++) {
    demand(length <= MAX_CODEWORD_BITS);
    const count = read(bitLength(entries - entry));
    entry += count;
    demand(entry <= entries);
    share += count * 2 ** -length;
  }
  demandWholeTree(entries, share);
}

/**
 * Codewords must fill their tree, except in a book of one entry. Sums of such powers of two are exact up to
 * 1.
 */
function demandWholeTree(used: number, share: number): void {
  demand(used <= 1 || share === 1);
}

function readFloor(read: ReadBits, books: number): void {
  const type = read(16);
  demand(type <= 1);
  if (type === 0) readFloor0(read, books);
  else readFloor1(read, books);
}

/** Section 6.2.1: order, rate and bark map size, which are divisors; amplitudes; books. */
function readFloor0(read: ReadBits, books: number): void {
  demand(read(8) > 0 && read(16) > 0 && read(16) > 0);
  read(6);
  read(8);
  for (let left = countOf(read, 4); left > 0; left--) demand(read(8) < books);
}

/** Section 7.2.2. */
function readFloor1(read: ReadBits, books: number): void {
  const partitionClasses = Array.from({ length: read(5) }, () => read(4));
  const classDimensions: number[] = [];
  for (let left = Math.max(-1, ...partitionClasses) + 1; left > 0; left--) {
    classDimensions.push(countOf(read, 3));
    const subclassBits = read(2);
    if (subclassBits > 0) demand(read(8) < books);
    // 0 means no book.
    for (let subclass = 0; subclass < 1 << subclassBits; subclass++) demand(read(8) <= books);
  }
  read(2);
  const rangeBits = read(4);
  const points = [0, 2 ** rangeBits];
  for (const partitionClass of partitionClasses) {
    for (let left = classDimensions[partitionClass] ?? 0; left > 0; left--) points.push(read(rangeBits));
  }
  demand(points.length <= MAX_FLOOR_POINTS && new Set(points).size === points.length);
}

/** Section 8.6.1. */
function readResidue(read: ReadBits, books: number): void {
  demand(read(16) <= 2);
  const begin = read(24);
  const end = read(24);
  demand(begin <= end);
  read(24);
  const classifications = countOf(read, 6);
  demand(read(8) < books);
  const stageFlags: number[] = [];
  while (stageFlags.length < classifications) {
    const low = read(3);
    stageFlags.push(low | (read(1) === 1 ? read(5) << 3 : 0));
  }
  for (const flags of stageFlags) {
    for (let left = flags; left > 0; left >>= 1) if ((left & 1) === 1) demand(read(8) < books);
  }
}

interface MappingBounds {
  readonly channelCount: number;
  readonly floors: number;
  readonly residues: number;
}

/** Section 4.2.4, step "mappings". */
function readMapping(read: ReadBits, { channelCount, floors, residues }: MappingBounds): void {
  demand(read(16) === 0);
  const submaps = read(1) === 1 ? countOf(read, 4) : 1;
  const channelBits = bitLength(channelCount - 1);
  for (let left = read(1) === 1 ? countOf(read, 8) : 0; left > 0; left--) {
    const magnitude = read(channelBits);
    const angle = read(channelBits);
    demand(magnitude !== angle && magnitude < channelCount && angle < channelCount);
  }
  demand(read(2) === 0);
  if (submaps > 1) {
    for (let left = channelCount; left > 0; left--) demand(read(4) < submaps);
  }
  for (let left = submaps; left > 0; left--) {
    read(8);
    demand(read(8) < floors && read(8) < residues);
  }
}

/** Counts are stored minus one. */
function countOf(read: ReadBits, bits: number): number {
  return read(bits) + 1;
}

/** `ilog` of section 9.2.1: the number of bits of a number. */
function bitLength(value: number): number {
  return 32 - Math.clz32(value);
}

/** The largest number whose `power`-th power is at most `limit` (section 9.2.3). */
function largestRoot(limit: number, power: number): number {
  const near = Math.round(limit ** (1 / power));
  return near ** power > limit ? near - 1 : near;
}

/** Vorbis packs bits from the least significant up. */
function bitReader(packet: Buffer): ReadBits {
  let at = TYPE_BITS;
  const read: ReadBits = (count) => {
    if (count > 16) return read(16) + read(count - 16) * 2 ** 16;
    demand(at + count <= packet.length * 8);
    const byte = at >> 3;
    const bits = (packet[byte] ?? 0) | ((packet[byte + 1] ?? 0) << 8) | ((packet[byte + 2] ?? 0) << 16);
    const value = (bits >> (at & 7)) & ((1 << count) - 1);
    at += count;
    return value;
  };
  return read;
}

function demand(isRight: boolean): void {
  if (!isRight) throw new CopyNotPossibleError('the Vorbis setup header makes no sense');
}
