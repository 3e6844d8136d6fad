import type { FrameMatcher } from '../frames/frame-sync.ts';

/** A header of raw AAC frames (ISO/IEC 13818-7 6.2, 14496-3 1.A.2). */
export interface AdtsFrameHeader {
  readonly sizeBytes: number;
  readonly sampleRateHz: number;
  /** Version, profile, rate and channels, which must not change within a stream. */
  readonly format: number;
  /** 0 if the frames themselves define the channels. */
  readonly channelConfiguration: number;
}

export const HEADER_BYTES = 7;
/** The length has 13 bits. */
export const MAX_FRAME_BYTES = 8191;

export const BLOCK_SAMPLES = 1024;
/** Silence on one channel, element by element (ISO/IEC 14496-3 4.4.2): a shorter frame holds no audio. */
const MIN_BLOCK_BYTES = 4;
const CRC_BYTES = 2;
const NO_CRC_FLAG = 1;
const SAMPLE_RATES_HZ = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
];
/**
 * The ID bit of the second byte; the profile, rate and channel bits of the third and fourth, without the
 * private bit.
 */
const FORMAT_MASK = 0x08fdc0;

/** For the second byte: the rest of the sync word, the version and a layer of 0. */
const SYNC_MASK = 0xfe;
const SYNC = 0xf0;

export function readFrameHeader(buffer: Buffer, at: number): AdtsFrameHeader | undefined {
  if (at + HEADER_BYTES > buffer.length || buffer[at] !== 0xff) return undefined;
  // Twelve sync bits, then version, a layer of 0, and the flag for "no checksum".
  if ((buffer.readUInt8(at + 1) & 0xf6) !== 0xf0) return undefined;
  const fields = buffer.readUIntBE(at + 1, 6);
  const format = Math.floor(fields / 2 ** 24) & FORMAT_MASK;
  const sampleRateHz = SAMPLE_RATES_HZ[(format >> 10) & 0xf];
  const low = fields % 2 ** 32;
  const sizeBytes = (low >>> 13) & 0x1fff;
  if (sampleRateHz === undefined || sizeBytes < minFrameBytes(buffer.readUInt8(at + 1))) return undefined;
  return { sizeBytes, sampleRateHz, format, channelConfiguration: (format >> 6) & 7 };
}

function minFrameBytes(secondByte: number): number {
  return HEADER_BYTES + ((secondByte & NO_CRC_FLAG) === 0 ? CRC_BYTES : 0) + MIN_BLOCK_BYTES;
}

/** Recognises frames of the same format. */
export function createFrameMatcher({ format }: AdtsFrameHeader): FrameMatcher {
  const [second = 0, third = 0, fourth = 0] = [format >> 16, (format >> 8) & 0xff, format & 0xff];
  return {
    frameBytes(window, at) {
      if (at + HEADER_BYTES > window.length || window[at] !== 0xff) return 0;
      const b3 = window[at + 3] ?? 0;
      const b1 = window[at + 1] ?? 0;
      const isLike =
        (b1 & SYNC_MASK) === (SYNC | second) &&
        ((window[at + 2] ?? 0) & (FORMAT_MASK >> 8) & 0xff) === third &&
        (b3 & FORMAT_MASK & 0xff) === fourth;
      if (!isLike) return 0;
      const sizeBytes = ((b3 & 3) << 11) | ((window[at + 4] ?? 0) << 3) | ((window[at + 5] ?? 0) >> 5);
      return sizeBytes < minFrameBytes(b1) ? 0 : sizeBytes;
    },
    frameSamples: (window, at) => (((window[at + 6] ?? 0) & 3) + 1) * BLOCK_SAMPLES,
  };
}
