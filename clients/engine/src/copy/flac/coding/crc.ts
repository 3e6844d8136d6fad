/**
 * The two checksums of FLAC (RFC 9639 9.1.8 and 9.3): most significant bit first, initial value 0.
 *
 * CRC-16 processes four bytes at a time: table n holds the effect of a byte on the checksum when n more bytes
 * follow.
 */
import { createCrcOverZeros } from '../../crc-over-zeros.ts';

const CRC8_TABLE = createTable(8, 0x07);
const CRC16_TABLE = createTable(16, 0x8005);
const CRC16_TABLE_1 = overOneZero(CRC16_TABLE);
const CRC16_TABLE_2 = overOneZero(CRC16_TABLE_1);
const CRC16_TABLE_3 = overOneZero(CRC16_TABLE_2);

export function crc8(bytes: Uint8Array, start = 0, end = bytes.length): number {
  let crc = 0;
  for (let at = start; at < end; at++) crc = CRC8_TABLE[crc ^ (bytes[at] ?? 0)] ?? 0;
  return crc;
}

export function crc16(bytes: Uint8Array, start = 0, end = bytes.length): number {
  let crc = 0;
  let at = start;
  for (; at + 4 <= end; at += 4) {
    crc =
      (CRC16_TABLE_3[(crc >> 8) ^ (bytes[at] ?? 0)] ?? 0) ^
      (CRC16_TABLE_2[(crc & 0xff) ^ (bytes[at + 1] ?? 0)] ?? 0) ^
      (CRC16_TABLE_1[bytes[at + 2] ?? 0] ?? 0) ^
      (CRC16_TABLE[bytes[at + 3] ?? 0] ?? 0);
  }
  for (; at < end; at++) crc = ((crc << 8) & 0xffff) ^ (CRC16_TABLE[(crc >> 8) ^ (bytes[at] ?? 0)] ?? 0);
  return crc;
}

/**
 * The value of a CRC-16 after `byteCount` zero bytes. The checksum is linear: changing the front of a message
 * by a difference of CRC d changes the whole by `crc16OverZeros(d, bytes after the front)`, so a frame's
 * checksum can be corrected without reading its body.
 */
export const crc16OverZeros = createCrcOverZeros(multiply);

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

function overOneZero(table: Uint16Array): Uint16Array {
  return table.map((crc) => (crc << 8) ^ (CRC16_TABLE[crc >> 8] ?? 0));
}
