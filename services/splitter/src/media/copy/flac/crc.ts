/** The two checksums of FLAC (RFC 9639 9.1.8 and 9.3): most significant bit first, initial value 0. */
const CRC8_TABLE = createTable(8, 0x07);
const CRC16_TABLE = createTable(16, 0x8005);

export function crc8(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) crc = CRC8_TABLE[crc ^ byte] ?? 0;
  return crc;
}

export function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) crc = ((crc << 8) & 0xffff) ^ (CRC16_TABLE[(crc >> 8) ^ byte] ?? 0);
  return crc;
}

/**
 * What a CRC-16 becomes when `byteCount` zero bytes follow. The checksum is linear: changing a message's front
 * by a difference of CRC d changes the whole's by `crc16OverZeros(d, bytes behind the front)`, so a frame's
 * checksum is put right without reading its body.
 */
export function crc16OverZeros(crc: number, byteCount: number): number {
  let shifted = crc;
  for (const [bit, factor] of ZERO_RUNS.entries()) {
    if (Math.floor(byteCount / 2 ** bit) % 2 === 1) shifted = multiply(shifted, factor);
  }
  return shifted;
}

/** x to the power of 8 * 2^i, modulo the polynomial: the effect of 2^i zero bytes. */
const ZERO_RUNS = createZeroRuns(32);

function createZeroRuns(count: number): readonly number[] {
  const runs: number[] = [];
  for (let factor = 0x100; runs.length < count; factor = multiply(factor, factor)) runs.push(factor);
  return runs;
}

function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = 15; bit >= 0; bit--) {
    product = product & 0x8000 ? ((product << 1) ^ 0x8005) & 0xffff : product << 1;
    if ((b >> bit) & 1) product ^= a;
  }
  return product;
}

function createTable(width: 8 | 16, polynomial: number): Uint16Array {
  const top = 1 << (width - 1);
  const mask = 2 ** width - 1;
  return Uint16Array.from({ length: 256 }, (_, byte) => {
    let crc = byte << (width - 8);
    for (let bit = 0; bit < 8; bit++) crc = (crc & top ? (crc << 1) ^ polynomial : crc << 1) & mask;
    return crc;
  });
}
