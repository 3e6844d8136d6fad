/**
 * The fields of MPEG audio and ADTS headers that the sniffer compares (ISO/IEC 11172-3, 13818-3, 13818-7).
 */

interface MpegFrame {
  readonly layer: 1 | 2 | 3;
  readonly sizeBytes: number;
  /** Version, layer and rate in one number: the same in every frame of a stream. */
  readonly kind: number;
}

const MPEG1_KBPS = {
  1: [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  2: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  3: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
} as const;
const MPEG2_LAYER1_KBPS = [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256];
const MPEG2_KBPS = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const MPEG1_RATES_HZ = [44_100, 48_000, 32_000];

/** undefined if the four bytes at `offset` are no header, or one of free format. */
export function mpegFrame(bytes: Uint8Array, offset: number): MpegFrame | undefined {
  const [b0 = 0, b1 = 0, b2 = 0] = bytes.subarray(offset, offset + 3);
  if (b0 !== 0xff || (b1 & 0xe0) !== 0xe0) return undefined;
  const version = (b1 >> 3) & 3;
  const layerBits = (b1 >> 1) & 3;
  if (version === 1 || layerBits === 0) return undefined;
  const layer = layerBits === 3 ? 1 : layerBits === 2 ? 2 : 3;
  const isMpeg1 = version === 3;
  const table = isMpeg1 ? MPEG1_KBPS[layer] : layer === 1 ? MPEG2_LAYER1_KBPS : MPEG2_KBPS;
  const kbps = table[b2 >> 4];
  const baseRateHz = MPEG1_RATES_HZ[(b2 >> 2) & 3];
  if (kbps === undefined || kbps === 0 || baseRateHz === undefined) return undefined;
  const rateHz = isMpeg1 ? baseRateHz : version === 2 ? baseRateHz / 2 : baseRateHz / 4;
  const padding = (b2 >> 1) & 1;
  const sizeBytes =
    layer === 1
      ? (Math.floor((12_000 * kbps) / rateHz) + padding) * 4
      : Math.floor(((layer === 3 && !isMpeg1 ? 72_000 : 144_000) * kbps) / rateHz) + padding;
  return { layer, sizeBytes, kind: ((b1 & 0x1e) << 8) | (b2 & 0x0c) };
}

/** The frame's length, header included; undefined if there is no ADTS header at `offset`. */
export function adtsFrameBytes(bytes: Uint8Array, offset: number): number | undefined {
  const [b0 = 0, b1 = 0, b2 = 0, b3 = 0, b4 = 0, b5 = 0] = bytes.subarray(offset, offset + 6);
  if (b0 !== 0xff || (b1 & 0xf6) !== 0xf0) return undefined;
  if (((b2 >> 2) & 15) > 12) return undefined;
  const size = ((b3 & 3) << 11) | (b4 << 3) | (b5 >> 5);
  return size > 7 ? size : undefined;
}
