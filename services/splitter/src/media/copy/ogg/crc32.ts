/**
 * The checksum of an Ogg page (RFC 3533 6): CRC-32 of polynomial 0x04c11db7, most significant bit first, initial
 * value 0, nothing inverted. Eight bytes are taken at a time, each through a table of its own, as every byte of
 * the audio passes through here twice.
 */
const SLICES = 8;
const TABLES = createTables();

export function crc32(bytes: Uint8Array, initial = 0): number {
  const [t0, t1, t2, t3, t4, t5, t6, t7] = TABLES;
  let crc = initial;
  let at = 0;
  for (const end = bytes.length - SLICES; at <= end; at += SLICES) {
    crc ^=
      (byteAt(bytes, at) << 24) |
      (byteAt(bytes, at + 1) << 16) |
      (byteAt(bytes, at + 2) << 8) |
      byteAt(bytes, at + 3);
    crc =
      entry(t7, crc >>> 24) ^
      entry(t6, (crc >>> 16) & 0xff) ^
      entry(t5, (crc >>> 8) & 0xff) ^
      entry(t4, crc & 0xff) ^
      entry(t3, byteAt(bytes, at + 4)) ^
      entry(t2, byteAt(bytes, at + 5)) ^
      entry(t1, byteAt(bytes, at + 6)) ^
      entry(t0, byteAt(bytes, at + 7));
  }
  for (; at < bytes.length; at++) crc = (crc << 8) ^ entry(t0, (crc >>> 24) ^ byteAt(bytes, at));
  return crc >>> 0;
}

function byteAt(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0;
}

function entry(table: Int32Array, index: number): number {
  return table[index] ?? 0;
}

type Tables = readonly [
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
];

function createTables(): Tables {
  const first = Int32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte << 24;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
    return crc;
  });
  const further = (table: Int32Array): Int32Array =>
    table.map((crc) => (crc << 8) ^ entry(first, crc >>> 24));
  const second = further(first);
  const third = further(second);
  const fourth = further(third);
  const fifth = further(fourth);
  const sixth = further(fifth);
  const seventh = further(sixth);
  return [first, second, third, fourth, fifth, sixth, seventh, further(seventh)];
}
