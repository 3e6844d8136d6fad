/** What the beginning of an ASF file says of its packets and of its first stream of sound, where that is WMA 1 or 2. */

export interface AsfHead {
  /** Bytes before the first packet. */
  readonly headBytes: number;
  /** All packets together; undefined where they go on to the end of the source. */
  readonly packetsBytes: number | undefined;
  readonly packetBytes: number;
  readonly playMs: number;
  readonly streamNumber: number;
  /** What the decoder takes at a time. */
  readonly blockBytes: number;
  /** Whether frames go on from one block to the next. */
  readonly hasReservoir: boolean;
}

export const OBJECT_HEADER_BYTES = 24;
/** Of the header object, in front of the objects in it. */
const HEADER_FIELDS_BYTES = 30;
/** Of the data object, in front of the packets. */
export const DATA_FIELDS_BYTES = 50;

const HEADER_OBJECT = '3026b2758e66cf11a6d900aa0062ce6c';
const DATA_OBJECT = '3626b2758e66cf11a6d900aa0062ce6c';
const FILE_PROPERTIES = 'a1dcab8c47a9cf118ee400c00c205365';
const STREAM_PROPERTIES = '9107dcb7b7a9cf118ee600c00c205365';
const AUDIO_STREAM = '409e69f84d5bcf11a8fd00805f5c442b';

const FILE_PROPERTIES_BYTES = 104;
const BROADCAST_FLAG = 1;
const TICKS_PER_MS = 10_000n;
/** Of the stream properties: where the format of the sound begins, and as far as the size of its own data. */
const FORMAT_AT = 78;
const FORMAT_BYTES = 18;
/** Where the decoder's flags lie in the format's own data, by its tag. */
const FLAGS_AT: ReadonlyMap<number, number> = new Map([
  [0x160, 2],
  [0x161, 4],
]);
const RESERVOIR_FLAG = 2;
/** ffmpeg believes no smaller data object. */
const LEAST_DATA_BYTES = 100;

/** How long the header object is; undefined where there is none. */
export function asfHeaderBytes(start: Buffer): number | undefined {
  if (start.length < OBJECT_HEADER_BYTES || guidAt(start, 0) !== HEADER_OBJECT) return undefined;
  return Number(start.readBigUInt64LE(16));
}

/** `head` is the header object and the fields of the data object. undefined where they do not tell all. */
export function readAsfHead(head: Buffer): AsfHead | undefined {
  const headerBytes = head.length - DATA_FIELDS_BYTES;
  if (headerBytes < HEADER_FIELDS_BYTES || guidAt(head, headerBytes) !== DATA_OBJECT) return undefined;
  let file: FileProperties | undefined;
  let stream: StreamProperties | undefined;
  for (let at = HEADER_FIELDS_BYTES; at + OBJECT_HEADER_BYTES <= headerBytes; ) {
    const sizeBytes = Number(head.readBigUInt64LE(at + 16));
    if (sizeBytes < OBJECT_HEADER_BYTES || at + sizeBytes > headerBytes) return undefined;
    const object = head.subarray(at, at + sizeBytes);
    const guid = guidAt(object, 0);
    if (guid === FILE_PROPERTIES) file = readFileProperties(object);
    if (guid === STREAM_PROPERTIES && isAudio(object)) stream ??= readStreamProperties(object);
    at += sizeBytes;
  }
  if (file === undefined || stream === undefined) return undefined;
  const dataBytes = Number(head.readBigUInt64LE(headerBytes + 16));
  const { isBroadcast, packetBytes, playMs } = file;
  const isStated = !isBroadcast && dataBytes >= LEAST_DATA_BYTES && Number.isSafeInteger(dataBytes);
  const packetsBytes = isStated ? dataBytes - DATA_FIELDS_BYTES : undefined;
  return { headBytes: head.length, packetsBytes, packetBytes, playMs, ...stream };
}

type FileProperties = Pick<AsfHead, 'packetBytes' | 'playMs'> & { readonly isBroadcast: boolean };

/** undefined where packets have no common length. */
function readFileProperties(object: Buffer): FileProperties | undefined {
  if (object.length < FILE_PROPERTIES_BYTES) return undefined;
  const packetBytes = object.readUInt32LE(92);
  if (object.readUInt32LE(96) !== packetBytes) return undefined;
  return {
    packetBytes,
    playMs: Number(object.readBigUInt64LE(64) / TICKS_PER_MS),
    isBroadcast: (object.readUInt32LE(88) & BROADCAST_FLAG) !== 0,
  };
}

type StreamProperties = Pick<AsfHead, 'streamNumber' | 'blockBytes' | 'hasReservoir'>;

function isAudio(object: Buffer): boolean {
  return object.length >= FORMAT_AT && guidAt(object, OBJECT_HEADER_BYTES) === AUDIO_STREAM;
}

/** Without flags where the format's own data is too short for them, as the decoder has it. */
function readStreamProperties(object: Buffer): StreamProperties | undefined {
  if (object.length < FORMAT_AT + FORMAT_BYTES) return undefined;
  const format = object.subarray(FORMAT_AT);
  const flagsAt = FLAGS_AT.get(format.readUInt16LE(0));
  if (flagsAt === undefined) return undefined;
  const own = format.subarray(FORMAT_BYTES, FORMAT_BYTES + format.readUInt16LE(16));
  const flags = own.length >= flagsAt + 2 ? own.readUInt16LE(flagsAt) : 0;
  return {
    streamNumber: object.readUInt16LE(72) & 0x7f,
    blockBytes: format.readUInt16LE(12),
    hasReservoir: (flags & RESERVOIR_FLAG) !== 0,
  };
}

function guidAt(bytes: Buffer, at: number): string {
  return bytes.toString('hex', at, at + 16);
}
