import { crc8 } from './coding/crc.ts';

/** A FLAC frame header (RFC 9639 9.1). */
export interface FlacFrameHeader {
  readonly headerBytes: number;
  readonly blockSamples: number;
  /** Counts frames, or samples if block sizes vary. */
  readonly codedNumber: number;
  readonly codedNumberBytes: number;
  readonly hasVariableBlocks: boolean;
  readonly channelCount: number;
  /** How two channels are coded (RFC 9639 9.1.3). */
  readonly channelCode: number;
  /** undefined: as in STREAMINFO. */
  readonly sampleRateHz: number | undefined;
  readonly rateCode: number;
  /** The bytes of an uncommon rate, after the coded number. */
  readonly rateField: number;
  readonly bitDepthCode: number;
  /** undefined: as in STREAMINFO. */
  readonly bitsPerSample: number | undefined;
}

export const MAX_HEADER_BYTES = 16;
/** Of the coded number. */
export const CODED_NUMBER_AT = 4;

const SAMPLE_RATES_HZ = [
  undefined,
  ...[88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000],
];
const RATE_IN_KHZ = 12;
const RATE_IN_HZ = 13;
const RATE_IN_TENS_OF_HZ = 14;
const RATE_FORBIDDEN = 15;
const MAX_CHANNEL_CODE = 10;
const BIT_DEPTHS = [undefined, 8, 12, undefined, 16, 20, 24, 32];
const DEPTH_RESERVED = 3;
/** One more is forbidden (RFC 9639 9.1.1), because STREAMINFO could not state it. */
const MAX_BLOCK_SAMPLES = 65_535;

/** Reads the header at `at`; undefined unless it is complete and its checksum is correct. */
export function readFrameHeader(buffer: Buffer, at: number): FlacFrameHeader | undefined {
  const sync = buffer[at + 1] ?? 0;
  const sizes = buffer[at + 2] ?? 0;
  const layout = buffer[at + 3] ?? 0;
  if (buffer[at] !== 0xff || (sync & 0xfe) !== 0xf8) return undefined;
  const blockCode = sizes >> 4;
  const rateCode = sizes & 0xf;
  const channelCode = layout >> 4;
  const bitDepthCode = (layout >> 1) & 7;
  if (
    blockCode === 0 ||
    rateCode === RATE_FORBIDDEN ||
    channelCode > MAX_CHANNEL_CODE ||
    (layout & 1) !== 0 ||
    bitDepthCode === DEPTH_RESERVED
  ) {
    return undefined;
  }
  const number = readCodedNumber(buffer, at + CODED_NUMBER_AT);
  if (number === undefined) return undefined;
  let end = at + CODED_NUMBER_AT + number.byteCount;
  const blockFieldBytes = blockCode === 6 ? 1 : blockCode === 7 ? 2 : 0;
  const rateFieldBytes = rateFieldBytesOf(rateCode);
  if (end + blockFieldBytes + rateFieldBytes >= buffer.length) return undefined;
  const blockField = blockFieldBytes === 0 ? 0 : buffer.readUIntBE(end, blockFieldBytes);
  end += blockFieldBytes;
  const rateField = rateFieldBytes === 0 ? 0 : buffer.readUIntBE(end, rateFieldBytes);
  end += rateFieldBytes;
  const blockSamples = readBlockSamples(blockCode, blockField);
  if (crc8(buffer, at, end) !== buffer[end] || blockSamples > MAX_BLOCK_SAMPLES) return undefined;
  return {
    headerBytes: end + 1 - at,
    blockSamples,
    codedNumber: number.value,
    codedNumberBytes: number.byteCount,
    hasVariableBlocks: (sync & 1) === 1,
    channelCount: channelCode < 8 ? channelCode + 1 : 2,
    channelCode,
    sampleRateHz: readSampleRate(rateCode, rateField),
    rateCode,
    rateField,
    bitDepthCode,
    bitsPerSample: BIT_DEPTHS[bitDepthCode],
  };
}

/** What a block's header states, besides the format that all headers of a stream share. */
export interface BlockTitle {
  readonly isVariable: boolean;
  readonly codedNumber: number;
  readonly blockSamples: number;
  readonly channelCode: number;
}

/**
 * Writes a header with its checksum, in the format of another header of the stream; returns where it ends.
 */
export function writeFrameHeader(
  target: Buffer,
  at: number,
  { rateCode, rateField, bitDepthCode }: FlacFrameHeader,
  { isVariable, codedNumber, blockSamples, channelCode }: BlockTitle,
): number {
  const blockFieldBytes = blockSamples <= 256 ? 1 : 2;
  target[at] = 0xff;
  target[at + 1] = isVariable ? 0xf9 : 0xf8;
  target[at + 2] = ((5 + blockFieldBytes) << 4) | rateCode;
  target[at + 3] = (channelCode << 4) | (bitDepthCode << 1);
  let end = writeCodedNumber(target, at + CODED_NUMBER_AT, codedNumber);
  end = target.writeUIntBE(blockSamples - 1, end, blockFieldBytes);
  const rateFieldBytes = rateFieldBytesOf(rateCode);
  if (rateFieldBytes > 0) end = target.writeUIntBE(rateField, end, rateFieldBytes);
  target[end] = crc8(target, at, end);
  return end + 1;
}

/** The number of bytes that `writeCodedNumber` writes. */
export function codedNumberBytesOf(value: number): number {
  if (value < 0x80) return 1;
  let byteCount = 2;
  while (byteCount < 7 && value >= 2 ** (5 * byteCount + 1)) byteCount += 1;
  return byteCount;
}

/** UTF-8 extended to 36 bits; returns where it ends. */
export function writeCodedNumber(target: Buffer, at: number, value: number): number {
  const byteCount = codedNumberBytesOf(value);
  let rest = value;
  for (let index = byteCount - 1; index > 0; index--) {
    target[at + index] = 0x80 | (rest % 64);
    rest = Math.floor(rest / 64);
  }
  target[at] = byteCount === 1 ? rest : ((0xff00 >> byteCount) & 0xff) | rest;
  return at + byteCount;
}

function rateFieldBytesOf(rateCode: number): number {
  if (rateCode < RATE_IN_KHZ) return 0;
  return rateCode === RATE_IN_KHZ ? 1 : 2;
}

function readCodedNumber(buffer: Buffer, at: number): { value: number; byteCount: number } | undefined {
  const first = buffer[at] ?? 0xff;
  if (first < 0x80) return { value: first, byteCount: 1 };
  const byteCount = Math.clz32(~(first << 24));
  if (byteCount < 2 || byteCount > 7) return undefined;
  let value = first & (0x7f >> byteCount);
  for (let index = 1; index < byteCount; index++) {
    const byte = buffer[at + index] ?? 0;
    if ((byte & 0xc0) !== 0x80) return undefined;
    value = value * 64 + (byte & 0x3f);
  }
  return { value, byteCount };
}

function readBlockSamples(code: number, field: number): number {
  if (code === 1) return 192;
  if (code <= 5) return 144 << code;
  if (code <= 7) return field + 1;
  return 1 << code;
}

function readSampleRate(code: number, field: number): number | undefined {
  if (code === RATE_IN_KHZ) return field * 1000;
  if (code === RATE_IN_HZ) return field;
  if (code === RATE_IN_TENS_OF_HZ) return field * 10;
  return SAMPLE_RATES_HZ[code];
}
