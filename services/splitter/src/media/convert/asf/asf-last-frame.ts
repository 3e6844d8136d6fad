/**
 * WMA 1 or 2 in ASF for a decoder that cannot be flushed: a silent frame follows the last one.
 *
 * Frames overlap: a decoder gives one when it has the next, so it holds the last one back. Newer ffmpeg builds flush it
 * at the end, with nothing added; the build of 2018 never gives it. A silent frame adds nothing either, so the samples
 * are the same.
 *
 * Where frames continue in the next block, the last block may end with the beginning of a frame that is missing, and
 * the silent one would be taken for the rest of it. The decoder stores blocks in which no frame begins as such
 * beginnings, until they exceed its buffer and it drops them all.
 */
import {
  type AsfHead,
  asfHeaderBytes,
  DATA_FIELDS_BYTES,
  OBJECT_HEADER_BYTES,
  readAsfHead,
} from './asf-head.ts';
import { createSilentPacket, PACKET_FIELDS_BYTES, withWholePayloads } from './asf-packet.ts';

/** More than any header with a picture in it. */
const MAX_HEAD_BYTES = 16 * 1024 * 1024;
/** More than any has. */
const MAX_PACKET_BYTES = 64 * 1024;
/** Several times what any known source needs. */
const MAX_ADDED_BYTES = 1024 * 1024;
/** The decoder's buffer, and what ffmpeg counts for each byte that is stored (it takes bits for bytes there). */
const BUFFER_BYTES = 32_768;
const COUNT_PER_STORED_BYTE = 8;
/** The first byte of a block whose frames may continue: how many begin in it, in the lower four bits. */
const NO_FRAME = 0;
/** With nothing stored, the decoder takes one of the two for a frame that continues and leaves it out. */
const ONE_WHOLE_FRAME = 2;

/** The same bytes where they are not understood. */
export async function* withSilentFrame(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]();
  try {
    const { start, head } = await takeHead(chunks);
    const added = head === undefined ? [] : silentPackets(head);
    if (head === undefined || added.length === 0) yield start;
    else yield* lengthened(start, chunks, head, added);
    for (let chunk = await nextOf(chunks); chunk !== undefined; chunk = await nextOf(chunks)) yield chunk;
  } finally {
    await chunks.return?.();
  }
}

/**
 * All packets and the added ones, then what came with the last. Of a packet that breaks off, the whole payloads are kept.
 */
async function* lengthened(
  start: Buffer,
  chunks: AsyncIterator<Uint8Array>,
  head: AsfHead,
  added: readonly Buffer[],
): AsyncGenerator<Uint8Array> {
  const { headBytes, packetBytes, packetsBytes = Number.POSITIVE_INFINITY } = head;
  yield withMorePackets(start.subarray(0, headBytes), head, added.length);
  let waiting = start.subarray(headBytes);
  for (let left = packetsBytes; ; ) {
    const there = Math.min(waiting.length, left);
    const whole = there - (there % packetBytes);
    if (whole > 0) yield waiting.subarray(0, whole);
    waiting = waiting.subarray(whole);
    left -= whole;
    if (left === 0) break;
    const chunk = await nextOf(chunks);
    if (chunk !== undefined) {
      waiting = Buffer.concat([waiting, chunk]);
      continue;
    }
    const last = waiting.length > 0 ? withWholePayloads(waiting, packetBytes) : undefined;
    if (last !== undefined) yield last;
    waiting = Buffer.alloc(0);
    break;
  }
  yield* added;
  if (waiting.length > 0) yield waiting;
}

/** As many bytes as the head has, and what came with them. */
async function takeHead(
  chunks: AsyncIterator<Uint8Array>,
): Promise<{ readonly start: Buffer; readonly head: AsfHead | undefined }> {
  const first = await atLeast(chunks, Buffer.alloc(0), OBJECT_HEADER_BYTES);
  const headBytes = (asfHeaderBytes(first) ?? Number.POSITIVE_INFINITY) + DATA_FIELDS_BYTES;
  if (headBytes > MAX_HEAD_BYTES) return { start: first, head: undefined };
  const start = await atLeast(chunks, first, headBytes);
  return { start, head: start.length < headBytes ? undefined : readAsfHead(start.subarray(0, headBytes)) };
}

/** Fewer only where the source ends. */
async function atLeast(chunks: AsyncIterator<Uint8Array>, taken: Buffer, byteCount: number): Promise<Buffer> {
  const parts: Uint8Array[] = [taken];
  for (let length = taken.length; length < byteCount; ) {
    const chunk = await nextOf(chunks);
    if (chunk === undefined) break;
    parts.push(chunk);
    length += chunk.length;
  }
  return Buffer.concat(parts);
}

async function nextOf(chunks: AsyncIterator<Uint8Array>): Promise<Uint8Array | undefined> {
  const next = await chunks.next();
  return next.done === true ? undefined : next.value;
}

/** None where they would be too many, or do not fit behind the others. */
function silentPackets(head: AsfHead): readonly Buffer[] {
  const { packetBytes, packetsBytes = 0, blockBytes, hasReservoir } = head;
  if (packetBytes <= PACKET_FIELDS_BYTES || packetBytes > MAX_PACKET_BYTES) return [];
  if (packetsBytes % packetBytes !== 0 || blockBytes === 0) return [];
  const countPerBlock = COUNT_PER_STORED_BYTE * (blockBytes - 1);
  const droppingCount = hasReservoir ? Math.ceil(BUFFER_BYTES / countPerBlock) + 1 : 0;
  const packetsPerBlock = Math.ceil(blockBytes / (packetBytes - PACKET_FIELDS_BYTES));
  if ((droppingCount + 1) * packetsPerBlock * packetBytes > MAX_ADDED_BYTES) return [];
  const dropping = Array.from({ length: droppingCount }, () => packetsOf(head, NO_FRAME));
  return [...dropping, packetsOf(head, hasReservoir ? ONE_WHOLE_FRAME : 0)].flat();
}

/** A block that is silent behind its first byte. */
function packetsOf(head: AsfHead, firstByte: number): readonly Buffer[] {
  const soundBytes = head.packetBytes - PACKET_FIELDS_BYTES;
  const packets: Buffer[] = [];
  for (let at = 0; at < head.blockBytes; at += soundBytes) {
    const packet = createSilentPacket(head, at, Math.min(soundBytes, head.blockBytes - at));
    if (at === 0) packet.writeUInt8(firstByte, PACKET_FIELDS_BYTES);
    packets.push(packet);
  }
  return packets;
}

function withMorePackets(head: Buffer, { packetsBytes, packetBytes }: AsfHead, addedCount: number): Buffer {
  if (packetsBytes === undefined) return head;
  const longer = Buffer.from(head);
  const data = longer.length - DATA_FIELDS_BYTES;
  longer.writeBigUInt64LE(BigInt(DATA_FIELDS_BYTES + packetsBytes + addedCount * packetBytes), data + 16);
  return longer;
}
