import { type FrameBits, readBits, readFlag, skipBits, skipToByte } from './aac-bits.ts';
import { readWindowLayout, skipChannelStream } from './channel-stream.ts';
import { readSbrPayload, type SbrPayload } from './sbr-payload.ts';
import type { BandWidths } from './scale-factor-bands.ts';

/** Element ids (ISO/IEC 14496-3 table 4.85). */
const SINGLE_CHANNEL = 0;
const CHANNEL_PAIR = 1;
const LOW_FREQUENCY = 3;
const DATA_STREAM = 4;
const PROGRAM_CONFIG = 5;
const FILL = 6;
const END = 7;
const SBR = 13;
const SBR_WITH_CHECKSUM = 14;
const ALL_MS_BITS_GIVEN = 1;

/**
 * For each channel element of an AAC-LC frame except the low frequency one, its high-band payload; undefined
 * for an element without one. For an empty or unreadable frame the result is undefined.
 */
export function readHighBand(
  frame: Uint8Array,
  bands: BandWidths,
): readonly (SbrPayload | undefined)[] | undefined {
  try {
    return readElements({ bytes: frame, position: 0 }, bands);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function readElements(bits: FrameBits, bands: BandWidths): readonly (SbrPayload | undefined)[] {
  const elements: { readonly channelCount: 1 | 2; sbr?: SbrPayload }[] = [];
  for (;;) {
    switch (readBits(bits, 3)) {
      case SINGLE_CHANNEL:
        skipBits(bits, 4);
        skipChannelStream(bits, bands, undefined);
        elements.push({ channelCount: 1 });
        break;
      case CHANNEL_PAIR:
        skipPair(bits, bands);
        elements.push({ channelCount: 2 });
        break;
      case LOW_FREQUENCY:
        skipBits(bits, 4);
        skipChannelStream(bits, bands, undefined);
        break;
      case DATA_STREAM:
        skipDataStream(bits);
        break;
      case PROGRAM_CONFIG:
        skipProgramConfig(bits);
        break;
      case FILL: {
        const last = elements.at(-1);
        const sbr = readFill(bits, last?.channelCount ?? 1);
        if (last !== undefined && sbr !== undefined) last.sbr = sbr;
        break;
      }
      case END:
        return elements.map(({ sbr }) => sbr);
      default:
        throw new RangeError('a coupling channel');
    }
  }
}

function skipPair(bits: FrameBits, bands: BandWidths): void {
  skipBits(bits, 4);
  const shared = readFlag(bits) ? readWindowLayout(bits) : undefined;
  if (shared !== undefined && readBits(bits, 2) === ALL_MS_BITS_GIVEN)
    skipBits(bits, shared.groups.length * shared.maxBand);
  skipChannelStream(bits, bands, shared);
  skipChannelStream(bits, bands, shared);
}

function skipDataStream(bits: FrameBits): void {
  skipBits(bits, 4);
  const isAligned = readFlag(bits);
  const count = readBits(bits, 8);
  const more = count === 255 ? readBits(bits, 8) : 0;
  if (isAligned) skipToByte(bits);
  skipBits(bits, 8 * (count + more));
}

function skipProgramConfig(bits: FrameBits): void {
  skipBits(bits, 10);
  const channelElements = readBits(bits, 4) + readBits(bits, 4) + readBits(bits, 4);
  const lowFrequency = readBits(bits, 2);
  const data = readBits(bits, 3);
  const coupling = readBits(bits, 4);
  if (readFlag(bits)) skipBits(bits, 4);
  if (readFlag(bits)) skipBits(bits, 4);
  if (readFlag(bits)) skipBits(bits, 3);
  skipBits(bits, 5 * channelElements + 4 * lowFrequency + 4 * data + 5 * coupling);
  skipToByte(bits);
  skipBits(bits, 8 * readBits(bits, 8));
}

function readFill(bits: FrameBits, channelCount: 1 | 2): SbrPayload | undefined {
  const count = readBits(bits, 4);
  const byteCount = count === 15 ? count + readBits(bits, 8) - 1 : count;
  const start = bits.position;
  skipBits(bits, 8 * byteCount);
  if (byteCount === 0) return undefined;
  const payload = { bytes: bits.bytes, position: start };
  const type = readBits(payload, 4);
  if (type !== SBR && type !== SBR_WITH_CHECKSUM) return undefined;
  const sbr = readSbrPayload(payload, channelCount, { hasChecksum: type === SBR_WITH_CHECKSUM });
  if (payload.position > bits.position) throw new RangeError('an SBR payload ends beyond its element');
  return sbr;
}
