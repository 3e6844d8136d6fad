/**
 * The checksum of an Ogg page (RFC 3533 6): CRC-32 of polynomial 0x04c11db7, most significant bit first,
 * initial value 0, not inverted. zlib's CRC-32 has the same polynomial but processes the bits of each byte in
 * the opposite order: reversing them first costs as much as this loop, which processes sixteen bytes at a
 * time, each with a table of its own.
 */
import { createCrcOverZeros } from '../crc-over-zeros.ts';

const POLYNOMIAL = 0x04c11db7;
const SLICES = 16;
const TABLES = createTables();

export function crc32(bytes: Uint8Array, initial = 0): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let crc = initial;
  let at = 0;
  for (const end = bytes.byteLength - SLICES; at <= end; at += SLICES) {
    const first = crc ^ view.getInt32(at);
    const second = view.getInt32(at + 4);
    const third = view.getInt32(at + 8);
    const fourth = view.getInt32(at + 12);
    crc =
      entry(15, first >>> 24) ^
      entry(14, (first >>> 16) & 0xff) ^
      entry(13, (first >>> 8) & 0xff) ^
      entry(12, first & 0xff) ^
      entry(11, second >>> 24) ^
      entry(10, (second >>> 16) & 0xff) ^
      entry(9, (second >>> 8) & 0xff) ^
      entry(8, second & 0xff) ^
      entry(7, third >>> 24) ^
      entry(6, (third >>> 16) & 0xff) ^
      entry(5, (third >>> 8) & 0xff) ^
      entry(4, third & 0xff) ^
      entry(3, fourth >>> 24) ^
      entry(2, (fourth >>> 16) & 0xff) ^
      entry(1, (fourth >>> 8) & 0xff) ^
      entry(0, fourth & 0xff);
  }
  for (; at < bytes.byteLength; at++) crc = (crc << 8) ^ entry(0, (crc >>> 24) ^ view.getUint8(at));
  return crc >>> 0;
}

/**
 * The value of a CRC-32 after `byteCount` zero bytes. The checksum is linear: changing the front of a message
 * by a difference of CRC d changes the whole by `crc32OverZeros(d, bytes after the front)`, so a page's
 * checksum can be corrected without reading its body.
 */
export function crc32OverZeros(crc: number, byteCount: number): number {
  return overZeros(crc, byteCount) >>> 0;
}

const overZeros = createCrcOverZeros(multiply);

/**
 * Bit by bit from the top, without branches: the bits are as good as random, and mispredicted branches are
 * expensive.
 */
function multiply(a: number, b: number): number {
  let product = 0;
  for (let count = 0, bits = b; count < 32; count++, bits <<= 1) {
    product = (product << 1) ^ ((product >> 31) & POLYNOMIAL) ^ ((bits >> 31) & a);
  }
  return product;
}

/** The effect on the checksum of a byte with `slice` bytes after it. */
function entry(slice: number, byte: number): number {
  return TABLES[slice * 256 + byte] ?? 0;
}

function createTables(): Int32Array {
  const tables = new Int32Array(SLICES * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte << 24;
    for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ ((crc >> 31) & POLYNOMIAL);
    tables[byte] = crc;
  }
  for (let at = 256; at < tables.length; at++) {
    const shorter = tables[at - 256] ?? 0;
    tables[at] = (shorter << 8) ^ (tables[shorter >>> 24] ?? 0);
  }
  return tables;
}
