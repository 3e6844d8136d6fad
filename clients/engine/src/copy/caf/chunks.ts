/** Chunks of a Core Audio Format file: a type, a length of 64 bits, a body. */
interface ChunkHeader {
  readonly type: string;
  /** Negative if a recording was never finished. */
  readonly bodyBytes: number;
}

export const CHUNK_HEADER_BYTES = 12;
export const FILE_HEADER_BYTES = 8;

export function readChunkHeader(buffer: Buffer, at: number): ChunkHeader | undefined {
  if (at + CHUNK_HEADER_BYTES > buffer.length) return undefined;
  return { type: buffer.toString('latin1', at, at + 4), bodyBytes: Number(buffer.readBigInt64BE(at + 4)) };
}

export interface CafDescription {
  readonly sampleRateHz: number;
  readonly codec: string;
  /** 0: packets have different sizes. */
  readonly bytesPerPacket: number;
  /** 0: packets have different numbers of frames. */
  readonly framesPerPacket: number;
  readonly channelCount: number;
}

export const DESCRIPTION_BYTES = 32;

export function readDescription(body: Buffer): CafDescription {
  return {
    sampleRateHz: body.readDoubleBE(0),
    codec: body.toString('latin1', 8, 12),
    bytesPerPacket: body.readUInt32BE(16),
    framesPerPacket: body.readUInt32BE(20),
    channelCount: body.readUInt32BE(24),
  };
}

/** The codec of a CAF, from its first chunk: the one that can be copied, by ffmpeg's name. */
export function cafCodec(head: Buffer): string | undefined {
  const bodyAt = FILE_HEADER_BYTES + CHUNK_HEADER_BYTES;
  const description = head.subarray(bodyAt, bodyAt + DESCRIPTION_BYTES);
  if (readChunkHeader(head, FILE_HEADER_BYTES)?.type !== 'desc' || description.length < DESCRIPTION_BYTES)
    return undefined;
  return readDescription(description).codec === 'opus' ? 'opus' : undefined;
}

/** Real files have dozens. */
const MAX_INFO_PAIRS = 1_000;
const INFO_COUNT_BYTES = 4;

/** The `info` chunk: a count, then that number of names and values, each zero-terminated. */
export function readInfo(body: Buffer): readonly (readonly [name: string, value: string])[] {
  const pairs: (readonly [name: string, value: string])[] = [];
  if (body.length < INFO_COUNT_BYTES) return pairs;
  const count = Math.min(body.readUInt32BE(0), MAX_INFO_PAIRS);
  for (let at = INFO_COUNT_BYTES; pairs.length < count; ) {
    const nameEnd = body.indexOf(0, at);
    const valueEnd = nameEnd < 0 ? -1 : body.indexOf(0, nameEnd + 1);
    if (valueEnd < 0) break;
    pairs.push([body.toString('utf8', at, nameEnd), body.toString('utf8', nameEnd + 1, valueEnd)]);
    at = valueEnd + 1;
  }
  return pairs;
}
