/**
 * Silence as Monkey's Audio: its frames contain only the flags that indicate silence, because no encoder is
 * available.
 */
const HEADER_BYTES = 52 + 24;
const EXTRA_HIGH = 4_000;
/** Of version 3.99 at that level. */
const FRAME_SAMPLES = 73_728 * 4;
/** Both channels are nothing but zeros. */
const SILENT_FRAME = 3;

export interface ApeSpec {
  readonly sampleRateHz: number;
  readonly channelCount: 1 | 2;
  readonly bits: 16 | 24;
  /** At most one frame of 294,912. */
  readonly sampleCount: number;
}

/** Monkey's Audio 3.99: a descriptor, a header, a seek table and the frame, as numbers of 32 bits in it. */
export function createSilentApe({ sampleRateHz, channelCount, bits, sampleCount }: ApeSpec): Buffer {
  const seekTable = uint32(HEADER_BYTES + 4);
  // A checksum whose top bit says that flags follow.
  const frame = Buffer.concat([uint32(0x8000_0000), uint32(SILENT_FRAME), Buffer.alloc(16)]);
  const descriptor = Buffer.concat([
    Buffer.from('MAC '),
    uint16(3_990, 0),
    ...[52, 24, seekTable.length, 0, frame.length, 0, 0].map(uint32),
    Buffer.alloc(16),
  ]);
  const header = Buffer.concat([
    uint16(EXTRA_HIGH, 0),
    ...[FRAME_SAMPLES, sampleCount, 1].map(uint32),
    uint16(bits, channelCount),
    uint32(sampleRateHz),
  ]);
  return Buffer.concat([descriptor, header, seekTable, frame]);
}

function uint16(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt16LE(value, 2 * index);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
