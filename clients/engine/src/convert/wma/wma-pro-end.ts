/**
 * The padding that the last frame of a WMA Pro stream states. Decoders of newer ffmpeg builds remove it;
 * older ones do not read it.
 *
 * Every block begins with the number of bits that continue the previous frame. Frames follow, each preceded
 * by its length in bits, and then the beginning of a frame that continues in the next block.
 */

const WMA_PRO = 0x162;
/** The sizes of WAVEFORMATEX, which precedes the codec's own data, and of that data. */
const FORMAT_BYTES = 18;
const OWN_BYTES = 18;
const SEQUENCE_BITS = 6;
const LENGTH_FLAG = 0x40;
const GAIN_FLAG = 0x80;
const GAIN_BITS = 8;
const POSTPROCESSING_BITS = 4;

interface FrameShape {
  readonly blockBytes: number;
  readonly channelCount: number;
  readonly frameSamples: number;
  readonly maxSubframes: number;
  /** The size of a length, in bits. */
  readonly lengthBits: number;
  readonly hasGain: boolean;
}

/** Most significant first, as text. */
interface Bits {
  readonly text: string;
  at: number;
}

/** The last bytes of a stream, whose packets are blocks. */
export interface StreamTail {
  readonly bytes: Buffer;
  /** Of the whole stream. */
  readonly totalBytes: number;
}

/**
 * `format` is a WAVEFORMATEX. Returns 0 if the samples do not end with a frame, because the decoder has then
 * removed the padding, and if frames do not begin with their length.
 */
export function wmaProPadding(
  format: Buffer,
  { bytes, totalBytes }: StreamTail,
  decodedSamples: number,
): number {
  const shape = readShape(format);
  if (shape === undefined || decodedSamples % shape.frameSamples !== 0) return 0;
  if (totalBytes % shape.blockBytes !== 0) return 0;
  const frame = lastFrame(bytes.subarray(bytes.length % shape.blockBytes), shape);
  const padding = frame === undefined ? Number.NaN : readPadding({ text: frame, at: 0 }, shape);
  // If the padding is a whole frame, the samples do not show whether the decoder has removed it.
  return padding < shape.frameSamples ? padding : 0;
}

function readShape(format: Buffer): FrameShape | undefined {
  if (format.length < FORMAT_BYTES + OWN_BYTES || format.readUInt16LE(0) !== WMA_PRO) return undefined;
  const blockBytes = format.readUInt16LE(12);
  const speakers = format.readUInt32LE(FORMAT_BYTES + 2);
  const flags = format.readUInt16LE(FORMAT_BYTES + 14);
  if (blockBytes === 0 || (flags & LENGTH_FLAG) === 0) return undefined;
  return {
    blockBytes,
    channelCount: speakers === 0 ? format.readUInt16LE(2) : speakers.toString(2).replaceAll('0', '').length,
    frameSamples: 2 ** frameLengthBits(format.readUInt32LE(4), flags),
    maxSubframes: 2 ** ((flags & 0x38) >> 3),
    lengthBits: Math.floor(Math.log2(blockBytes)) + 4,
    hasGain: (flags & GAIN_FLAG) !== 0,
  };
}

const LENGTH_CHANGES = [0, 1, -1, -2] as const;

function frameLengthBits(sampleRateHz: number, flags: number): number {
  const usual = [16_000, 22_050, 48_000, 96_000].findIndex((most) => sampleRateHz <= most);
  return 9 + (usual === -1 ? 4 : usual) + (LENGTH_CHANGES[(flags & 6) >> 1] ?? 0);
}

function lastFrame(blocks: Buffer, { blockBytes, lengthBits }: FrameShape): string | undefined {
  let last: string | undefined;
  let begun: string | undefined;
  for (let start = 0; start + blockBytes <= blocks.length; start += blockBytes) {
    const text = bitsOf(blocks.subarray(start, start + blockBytes));
    const bits = { text, at: SEQUENCE_BITS };
    const continued = read(bits, lengthBits);
    if (continued > 0 && begun !== undefined) last = begun + text.slice(bits.at, bits.at + continued);
    bits.at += continued;
    for (let hasMore = true; hasMore && bits.at + lengthBits < text.length; ) {
      const length = read({ ...bits }, lengthBits);
      if (length === 0 || bits.at + length > text.length) break;
      last = text.slice(bits.at, bits.at + length);
      bits.at += length;
      hasMore = last.endsWith('1');
    }
    begun = text.slice(bits.at);
  }
  return last;
}

/** NaN if the frame ends before. */
function readPadding(frame: Bits, shape: FrameShape): number {
  const { channelCount, frameSamples, lengthBits, hasGain } = shape;
  frame.at += lengthBits;
  if (!skipSubframes(frame, shape)) return Number.NaN;
  if (channelCount > 1 && read(frame, 1) === 1 && read(frame, 1) === 1)
    frame.at += POSTPROCESSING_BITS * channelCount ** 2;
  if (hasGain) frame.at += GAIN_BITS;
  if (read(frame, 1) === 0) return 0;
  const trimBits = Math.log2(frameSamples) + 1;
  if (read(frame, 1) === 1) frame.at += trimBits;
  return read(frame, 1) === 1 ? read(frame, trimBits) : 0;
}

/** How every channel is divided. False if that makes no sense. */
function skipSubframes(frame: Bits, { channelCount, frameSamples, maxSubframes }: FrameShape): boolean {
  const leastSamples = frameSamples / maxSubframes;
  const isCommon = maxSubframes === 1 || read(frame, 1) === 1;
  const ends = new Array<number>(channelCount).fill(0);
  for (let start = 0; start < frameSamples; start = Math.min(...ends)) {
    const waiting = ends.flatMap((end, channel) => (end === start ? [channel] : []));
    const isChosen = !isCommon && waiting.length > 1 && start !== frameSamples - leastSamples;
    const contained = isChosen ? waiting.filter(() => read(frame, 1) === 1) : waiting;
    const samples =
      start === frameSamples - leastSamples
        ? leastSamples
        : subframeSamples(frame, frameSamples, maxSubframes);
    if (contained.length === 0 || !(samples >= leastSamples && start + samples <= frameSamples)) return false;
    for (const channel of contained) ends[channel] = start + samples;
  }
  return true;
}

function subframeSamples(frame: Bits, frameSamples: number, maxSubframes: number): number {
  const shiftBits = Math.floor(Math.log2(Math.max(1, Math.log2(maxSubframes)))) + 1;
  const hasWholeFlag = maxSubframes === 16 || maxSubframes === 4;
  if (!hasWholeFlag) return frameSamples / 2 ** read(frame, shiftBits);
  return read(frame, 1) === 0 ? frameSamples : frameSamples / 2 ** (1 + read(frame, shiftBits - 1));
}

function bitsOf(bytes: Buffer): string {
  return Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
}

/** NaN after the end. */
function read(bits: Bits, bitCount: number): number {
  const value = bits.text.slice(bits.at, bits.at + bitCount);
  bits.at += bitCount;
  return value.length === bitCount ? Number.parseInt(value || '0', 2) : Number.NaN;
}
