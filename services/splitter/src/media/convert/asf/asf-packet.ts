/** Packets of an ASF file (ASF specification 01.20.06, section 5.2). */
import type { AsfHead } from './asf-head.ts';

/** Of the packets written here, all that is no sound. */
export const PACKET_FIELDS_BYTES = 28;

const ERROR_CORRECTION_FLAG = 0x80;
const SEVERAL_PAYLOADS_FLAG = 1;
const PAYLOAD_COUNT_BITS = 0x3f;
const TIMES_BYTES = 6;
/** How wide a field is, by the two bits that say so. */
const FIELD_BYTES = [0, 1, 2, 4] as const;
const UINT32_MAX = 0xffff_ffff;

/** With zeros of one block, `byteCount` of them from `at` on. */
export function createSilentPacket(
  { packetBytes, streamNumber, blockBytes, playMs }: AsfHead,
  at: number,
  byteCount: number,
): Buffer {
  const packet = Buffer.alloc(packetBytes);
  const timeMs = Math.min(playMs, UINT32_MAX);
  // Error correction; then: one payload, its padding counted in 16 bits, and how wide its own fields are.
  packet.set([ERROR_CORRECTION_FLAG | 2, 0, 0, 0x10, 0x5d]);
  packet.writeUInt16LE(packetBytes - PACKET_FIELDS_BYTES - byteCount, 5);
  packet.writeUInt32LE(timeMs, 7);
  packet.writeUInt8(0x80 | streamNumber, 13);
  packet.writeUInt32LE(at, 15);
  packet.writeUInt8(8, 19);
  packet.writeUInt32LE(blockBytes, 20);
  packet.writeUInt32LE(timeMs, 24);
  return packet;
}

/** What is whole in the beginning of a packet, as a packet of the common length; undefined where nothing is. */
export function withWholePayloads(beginning: Buffer, packetBytes: number): Buffer | undefined {
  /** 0 where the field is not all there. */
  const read = (at: number, width: number): number =>
    width === 0 || at + width > beginning.length ? 0 : beginning.readUIntLE(at, width);
  const first = read(0, 1);
  const flagsAt = (first & ERROR_CORRECTION_FLAG) === 0 ? 0 : 1 + (first & 0x0f);
  const flags = read(flagsAt, 1);
  if ((flags & SEVERAL_PAYLOADS_FLAG) === 0) return undefined;
  const widths = read(flagsAt + 1, 1);
  const countAt =
    flagsAt + 2 + fieldBytes(flags >> 5) + fieldBytes(flags >> 1) + fieldBytes(flags >> 3) + TIMES_BYTES;
  const counted = read(countAt, 1);
  let wholeCount = 0;
  let at = countAt + 1;
  for (let left = counted & PAYLOAD_COUNT_BITS; left > 0; left -= 1) {
    at += 1 + fieldBytes(widths >> 4) + fieldBytes(widths >> 2);
    for (const width of [fieldBytes(widths), fieldBytes(counted >> 6)]) at += width + read(at, width);
    if (at > beginning.length) break;
    wholeCount += 1;
  }
  if (wholeCount === 0) return undefined;
  const packet = Buffer.alloc(packetBytes);
  beginning.copy(packet);
  packet.writeUInt8((counted & ~PAYLOAD_COUNT_BITS) | wholeCount, countAt);
  return packet;
}

function fieldBytes(twoBits: number): number {
  return FIELD_BYTES[twoBits & 3] ?? 0;
}
