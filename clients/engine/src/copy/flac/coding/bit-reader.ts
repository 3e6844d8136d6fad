import { CopyNotPossibleError } from '../../copy-contract.ts';

/**
 * The bits of one frame, most significant first.
 *
 * The frame is copied into the reader's own memory, which ends in spare bytes: any 32 bits can be loaded at
 * once without checking for the frame's end. The end is checked after each read.
 */
export interface BitReader {
  view: DataView;
  /** In bits. */
  position: number;
  /** In bits. */
  end: number;
}

const SPARE_BYTES = 8;

export function createBitReader(): BitReader {
  return { view: new DataView(new ArrayBuffer(0)), position: 0, end: 0 };
}

/** Makes bytes [start, end) of `source` the bits to read. */
export function loadBits(reader: BitReader, source: Uint8Array, start: number, end: number): void {
  const byteCount = end - start;
  if (reader.view.byteLength < byteCount + SPARE_BYTES) {
    reader.view = new DataView(new ArrayBuffer(2 * byteCount + SPARE_BYTES));
  }
  const memory = new Uint8Array(reader.view.buffer);
  memory.set(source.subarray(start, end));
  memory.fill(0, byteCount, byteCount + SPARE_BYTES);
  reader.position = 0;
  reader.end = 8 * byteCount;
}

/** At most 25 bits, so that one load contains them at any alignment. */
export function readBits(reader: BitReader, bitCount: number): number {
  const { position } = reader;
  reader.position = position + bitCount;
  if (reader.position > reader.end) throw brokenFrame();
  if (bitCount === 0) return 0;
  return (reader.view.getInt32(position >>> 3) << (position & 7)) >>> (32 - bitCount);
}

/** A two's complement number of at most 41 bits. */
export function readSigned(reader: BitReader, bitCount: number): number {
  if (bitCount === 0) return 0;
  const lowBits = bitCount > 25 ? 16 : 0;
  const highBits = bitCount - lowBits;
  const high = (readBits(reader, highBits) << (32 - highBits)) >> (32 - highBits);
  return lowBits === 0 ? high : high * 2 ** lowBits + readBits(reader, lowBits);
}

/** Counts zeros up to the next one bit, which is consumed. */
export function readUnary(reader: BitReader): number {
  let count = 0;
  for (;;) {
    const { position } = reader;
    if (position >= reader.end) throw brokenFrame();
    const held = 32 - (position & 7);
    const zeros = Math.clz32(reader.view.getInt32(position >>> 3) << (position & 7));
    if (zeros < held) {
      reader.position = position + zeros + 1;
      if (reader.position > reader.end) throw brokenFrame();
      return count + zeros;
    }
    reader.position = position + held;
    count += held;
  }
}

export function brokenFrame(): CopyNotPossibleError {
  return new CopyNotPossibleError('a FLAC frame is damaged');
}
