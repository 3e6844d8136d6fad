/**
 * Writes bits, most significant first, into memory that contains only zeros and is SPARE_BYTES longer than
 * the written data: up to 25 bits are added to the 32 bits that contain their position.
 */
export interface BitWriter {
  readonly view: DataView;
  /** In bits. */
  position: number;
}

export const SPARE_BYTES = 4;

/** Writes the lowest `bitCount` bits of `value`, at most 32. */
export function writeBits(writer: BitWriter, value: number, bitCount: number): void {
  if (bitCount > 25) {
    writeBits(writer, value >> 16, bitCount - 16);
    writeBits(writer, value, 16);
  } else if (bitCount > 0) {
    const { view, position } = writer;
    const at = position >>> 3;
    const bits = (value << (32 - bitCount)) >>> (position & 7);
    view.setInt32(at, view.getInt32(at) | bits);
    writer.position = position + bitCount;
  }
}

/** Writes `count` zeros and a one. */
export function writeUnary(writer: BitWriter, count: number): void {
  writer.position += count;
  writeBits(writer, 1, 1);
}
