import { CopyNotPossibleError } from '../copy-contract.ts';

/**
 * The `pakt` chunk: the ends of the packets, and which of their frames are not audible. A frame is one sample
 * of all channels.
 */
export interface PacketTable {
  readonly packetCount: number;
  /** The frames between priming and remainder. */
  readonly validFrames: number;
  readonly primingFrames: number;
  readonly remainderFrames: number;
  /** In order. Throws CopyNotPossibleError if the table ends before the packets do. */
  sizes(): Generator<number>;
}

const HEADER_BYTES = 24;
const MAX_SIZE_BYTES = 5;

export function readPacketTable(body: Buffer): PacketTable {
  if (body.length < HEADER_BYTES) throw new CopyNotPossibleError('CAF: the packet table is cut short');
  const packetCount = Number(body.readBigInt64BE(0));
  // Each entry takes at least one byte of the table.
  if (packetCount <= 0 || packetCount > body.length - HEADER_BYTES)
    throw new CopyNotPossibleError('CAF: the packet table is cut short');
  return {
    packetCount,
    validFrames: Number(body.readBigInt64BE(8)),
    primingFrames: body.readInt32BE(16),
    remainderFrames: body.readInt32BE(20),
    sizes: () => readSizes(body, packetCount),
  };
}

/** Seven bits per byte; the highest bit is set in all but the last. */
function* readSizes(body: Buffer, packetCount: number): Generator<number> {
  let at = HEADER_BYTES;
  for (let packet = 0; packet < packetCount; packet++) {
    let size = 0;
    for (let byte = 0x80, count = 0; byte >= 0x80; at++, count++) {
      const next = body[at];
      if (next === undefined || count === MAX_SIZE_BYTES)
        throw new CopyNotPossibleError('CAF: the packet table is cut short');
      byte = next;
      size = size * 128 + (byte & 0x7f);
    }
    yield size;
  }
}
