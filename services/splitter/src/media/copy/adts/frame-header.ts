/** A header of raw AAC frames (ISO/IEC 13818-7 6.2, 14496-3 1.A.2). */
export interface AdtsFrameHeader {
  readonly sizeBytes: number;
  readonly sampleRateHz: number;
  readonly sampleCount: number;
  /** Version, profile, rate and channels: what must not change within a stream. */
  readonly format: number;
}

export const HEADER_BYTES = 7;
/** The length has 13 bits. */
export const MAX_FRAME_BYTES = 8191;

const BLOCK_SAMPLES = 1024;
const SAMPLE_RATES_HZ = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
];
/** ID bit of the second byte; profile, rate and channel bits of the third and fourth, the private bit left out. */
const FORMAT_MASK = 0x08fdc0;

export function readFrameHeader(buffer: Buffer, at: number): AdtsFrameHeader | undefined {
  if (at + HEADER_BYTES > buffer.length || buffer[at] !== 0xff) return undefined;
  // Twelve sync bits, then version, a layer of 0, and the flag for "no checksum".
  if ((buffer.readUInt8(at + 1) & 0xf6) !== 0xf0) return undefined;
  const fields = buffer.readUIntBE(at + 1, 6);
  const format = Math.floor(fields / 2 ** 24) & FORMAT_MASK;
  const sampleRateHz = SAMPLE_RATES_HZ[(format >> 10) & 0xf];
  const low = fields % 2 ** 32;
  const sizeBytes = (low >>> 13) & 0x1fff;
  if (sampleRateHz === undefined || sizeBytes <= HEADER_BYTES) return undefined;
  const blockCount = (low & 3) + 1;
  return { sizeBytes, sampleRateHz, sampleCount: blockCount * BLOCK_SAMPLES, format };
}
