/** The bits of one frame, most significant first. Reading past the end throws a RangeError. */
export interface FrameBits {
  readonly bytes: Uint8Array;
  /** In bits. */
  position: number;
}

/** At most 25 bits. */
export function readBits(bits: FrameBits, bitCount: number): number {
  const { bytes, position } = bits;
  skipBits(bits, bitCount);
  let value = 0;
  for (let at = position >>> 3; 8 * at < position + bitCount; at++) value = (value << 8) | (bytes[at] ?? 0);
  return (value >>> (-(position + bitCount) & 7)) & ((1 << bitCount) - 1);
}

export function readFlag(bits: FrameBits): boolean {
  return readBits(bits, 1) === 1;
}

export function skipBits(bits: FrameBits, bitCount: number): void {
  bits.position += bitCount;
  if (bits.position > 8 * bits.bytes.length) throw new RangeError('an AAC frame is cut short');
}

export function skipToByte(bits: FrameBits): void {
  skipBits(bits, -bits.position & 7);
}
