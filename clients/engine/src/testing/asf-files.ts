/**
 * ASF files of one WMA stream, built packet by packet: no available encoder makes frames that continue in the
 * next block.
 */

interface AsfShape {
  readonly sampleRateHz: number;
  readonly channelCount: number;
  readonly bytesPerSecond: number;
  readonly codec?: 'wmav2' | 'wmapro';
  /** As the decoder reads them; for wmav2, 1 for the exponents' coding, 2 for frames that continue. */
  readonly codecFlags: number;
  readonly packetBytes: number;
  /** Without a length, as a live stream. */
  readonly isBroadcast?: boolean;
}

const PACKET_FIELDS_BYTES = 28;
const PREROLL_MS = 3_000;
const BROADCAST_FLAG = 1;
const SEEKABLE_FLAG = 2;

/** Blocks have one length. An index follows the packets, unless the file is a broadcast. */
export function createWmaFile(blocks: readonly Buffer[], shape: AsfShape): Buffer {
  const packets = blocks.flatMap((block, index) => packetsOf(block, index, shape));
  const properties = [fileProperties(packets.length, shape), streamProperties(blocks, shape)];
  const body = Buffer.concat([u32(properties.length), Buffer.of(1, 2), ...properties]);
  const data = [Buffer.alloc(16), u64(packets.length), Buffer.of(1, 1), ...packets];
  const dataObject = object('3626b2758e66cf11a6d900aa0062ce6c', data);
  if (shape.isBroadcast === true) dataObject.writeBigUInt64LE(0n, 16);
  return Buffer.concat([
    object('3026b2758e66cf11a6d900aa0062ce6c', [body]),
    dataObject,
    ...(shape.isBroadcast === true ? [] : [object('90080033b1e5cf1189f400a0c90349cb', [Buffer.alloc(32)])]),
  ]);
}

function object(guid: string, parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(guid, 'hex'), u64(24 + body.length), body]);
}

function fileProperties(packetCount: number, { packetBytes, isBroadcast }: AsfShape): Buffer {
  const flags = isBroadcast === true ? BROADCAST_FLAG : SEEKABLE_FLAG;
  return object('a1dcab8c47a9cf118ee400c00c205365', [
    Buffer.alloc(32),
    u64(packetCount),
    Buffer.alloc(16),
    u64(PREROLL_MS),
    u32(flags),
    u32(packetBytes),
    u32(packetBytes),
    u32(0),
  ]);
}

function streamProperties([block = Buffer.alloc(0)]: readonly Buffer[], shape: AsfShape): Buffer {
  const isPro = shape.codec === 'wmapro';
  const own = Buffer.alloc(isPro ? 18 : 10);
  own.writeUInt16LE(isPro ? 16 : 0);
  own.writeUInt16LE(shape.codecFlags, isPro ? 14 : 4);
  const format = Buffer.concat([
    u16(isPro ? 0x162 : 0x161),
    u16(shape.channelCount),
    u32(shape.sampleRateHz),
    u32(shape.bytesPerSecond),
    u16(block.length),
    u16(16),
    u16(own.length),
    own,
  ]);
  return object('9107dcb7b7a9cf118ee600c00c205365', [
    Buffer.from('409e69f84d5bcf11a8fd00805f5c442b', 'hex'),
    Buffer.from('0057fb20555bcf11a8fd00805f5c442b', 'hex'),
    Buffer.alloc(8),
    u32(format.length),
    u32(0),
    u16(1),
    u32(0),
    format,
  ]);
}

function packetsOf(block: Buffer, index: number, { packetBytes }: AsfShape): readonly Buffer[] {
  const soundBytes = packetBytes - PACKET_FIELDS_BYTES;
  const packets: Buffer[] = [];
  for (let at = 0; at < block.length; at += soundBytes) {
    const sound = block.subarray(at, at + soundBytes);
    const padding = Buffer.alloc(soundBytes - sound.length);
    packets.push(
      Buffer.concat([
        Buffer.of(0x82, 0, 0, 0x10, 0x5d),
        u16(padding.length),
        u32(PREROLL_MS + index),
        u16(0),
        Buffer.of(0x81, index & 0xff),
        u32(at),
        Buffer.of(8),
        u32(block.length),
        u32(PREROLL_MS + index),
        sound,
        padding,
      ]),
    );
  }
  return packets;
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}
