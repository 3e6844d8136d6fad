import { type FrameBits, readBits, readFlag, skipBits } from './aac-bits.ts';

/** What a decoder that begins with this payload can decode. */
export interface SbrPayload {
  /** It contains the header, without which no payload can be read. */
  readonly hasHeader: boolean;
  /**
   * Its first envelope and noise floor are coded independently, not as a difference from the previous
   * payload.
   */
  readonly isIndependent: boolean;
}

const CHECKSUM_BITS = 10;

/** Reads the beginning of `sbr_extension_data` (ISO/IEC 14496-3 table 4.62), after its type. */
export function readSbrPayload(
  bits: FrameBits,
  channelCount: 1 | 2,
  { hasChecksum }: { readonly hasChecksum: boolean },
): SbrPayload {
  if (hasChecksum) skipBits(bits, CHECKSUM_BITS);
  const hasHeader = readFlag(bits);
  if (hasHeader) skipHeader(bits);
  const hasReserved = readFlag(bits);
  if (hasReserved) skipBits(bits, 4 * channelCount);
  const isCoupled = channelCount === 2 && readFlag(bits);
  const grids = [readGrid(bits)];
  if (channelCount === 2) grids.push(isCoupled ? (grids[0] ?? readGrid(bits)) : readGrid(bits));
  // Not `every`, which would stop before everything is read.
  const isIndependent = grids.map((grid) => readIsIndependent(bits, grid)).every(Boolean);
  return { hasHeader, isIndependent };
}

function skipHeader(bits: FrameBits): void {
  skipBits(bits, 14);
  const hasFrequencies = readFlag(bits);
  const hasLimiter = readFlag(bits);
  if (hasFrequencies) skipBits(bits, 5);
  if (hasLimiter) skipBits(bits, 6);
}

/** The number of envelopes (`sbr_grid`). */
function readGrid(bits: FrameBits): number {
  switch (readBits(bits, 2)) {
    case 0: {
      const envelopeCount = 1 << readBits(bits, 2);
      skipBits(bits, 1);
      return envelopeCount;
    }
    case 1:
    case 2:
      skipBits(bits, 2);
      return skipBorders(bits, readBits(bits, 2));
    default:
      skipBits(bits, 4);
      return skipBorders(bits, readBits(bits, 2) + readBits(bits, 2));
  }
}

function skipBorders(bits: FrameBits, borderCount: number): number {
  const envelopeCount = borderCount + 1;
  const pointerBits = Math.ceil(Math.log2(envelopeCount + 1));
  skipBits(bits, 2 * borderCount + pointerBits + envelopeCount);
  return envelopeCount;
}

/** `sbr_dtdf`: one bit per envelope, then one per noise floor (one or two). */
function readIsIndependent(bits: FrameBits, envelopeCount: number): boolean {
  const envelopes = readBits(bits, envelopeCount) >> (envelopeCount - 1);
  const noiseCount = envelopeCount > 1 ? 2 : 1;
  const noises = readBits(bits, noiseCount) >> (noiseCount - 1);
  return envelopes === 0 && noises === 0;
}
