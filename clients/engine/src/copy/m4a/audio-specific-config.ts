import { type FrameBits, readBits, readFlag, skipBits } from '../aac/aac-bits.ts';
import { type BandWidths, bandWidths } from '../aac/scale-factor-bands.ts';
import { CopyNotPossibleError } from '../copy-contract.ts';

/** By sampling frequency index (ISO/IEC 14496-3 table 1.18). */
const SAMPLE_RATES_HZ = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
];
/** The same and some more (ISO/IEC 23003-3 table 67); reserved ones are 0. */
const USAC_RATES_HZ = [
  ...[...SAMPLE_RATES_HZ, 0, 0, 57_600, 51_200, 40_000, 38_400, 34_150, 28_800, 25_600, 20_000, 19_200],
  ...[17_075, 14_400, 12_800, 9_600],
];
const LC = 2;
const SBR = 5;
const LD = 23;
const PS = 29;
const ELD = 39;
const USAC = 42;
/** Main, LC, SSR and LTP; LC, LTP and LD with error resilience. */
const GENERAL_AUDIO: ReadonlySet<number> = new Set([1, LC, 3, 4, 17, 19, LD]);
/** Main, LTP (two types), LD: they predict from frames decoded before. */
const PREDICTING: ReadonlySet<number> = new Set([1, 4, 19, LD]);
const ESCAPED_TYPE = 31;
const CHANNELS_BITS = 4;
const RATE_GIVEN_OUTRIGHT = 15;
const USAC_RATE_GIVEN_OUTRIGHT = 31;
const RATE_BITS = 24;
/** By `coreSbrFrameLengthIndex` (ISO/IEC 23003-3 table 70). */
const USAC_FRAME_SAMPLES = [768, 1_024, 2_048, 2_048, 4_096];
/**
 * The type of the first element; it shows whether frames may contain data that a decoder needs before them.
 */
const USAC_EXTENSION = 3;
const AUDIO_PREROLL = 3;
const USAC_CHANNELS_GIVEN_OUTRIGHT = 0;
/**
 * Other types need two: AAC frames overlap with the previous one, and some decoders drop the first frame they
 * get.
 */
const ELD_PREROLL_FRAMES = 4;
const PREROLL_FRAMES = 2;
const EXTENSION_SYNC = 0x2b7;
/** Including the type and the flag after it. */
const EXTENSION_BITS = 17;
/**
 * Above this rate, twice the rate is not an output rate of AAC, so a high band exists only if it is
 * announced.
 */
const MAX_UNSAID_CORE_RATE_HZ = 24_000;

/**
 * The AAC of a track's frames, and its extensions: spectral band replication (HE-AAC), which decodes to twice
 * the samples at twice the rate, and parametric stereo (HE-AAC v2), which exists only together with the
 * former.
 */
export interface AacConfig {
  /** The rate of the core; for xHE-AAC, whose core may have any rate, the output rate. */
  readonly coreRateHz: number;
  /** The number of samples of a frame at that rate. */
  readonly frameSamples: number;
  /**
   * `absent`: the configuration excludes it. `possible`: the configuration does not mention it, but frames
   * may still have a high band if a decoder may output at twice the rate.
   */
  readonly highBand: 'absent' | 'possible' | 'present';
  readonly entry: FrameEntry;
  /** The number of frames that a decoder gets before the first audible one. */
  readonly prerollFrames: number;
}

/** At which frame a decoder may begin. */
export type FrameEntry =
  | { readonly kind: 'any' }
  /** At a frame whose high band is complete, according to its content. */
  | { readonly kind: 'high-band'; readonly bands: BandWidths }
  /** At any frame some time before: missing data fades out or is sent again. */
  | { readonly kind: 'early' }
  /** At a frame marked as independent of earlier ones, preferably at one that contains some of those. */
  | { readonly kind: 'independent'; readonly mayHoldPreroll: boolean };

/** ISO/IEC 14496-3 1.6.2.1. */
export function readAudioSpecificConfig(bits: FrameBits): AacConfig {
  const outerType = readObjectType(bits);
  const rateIndex = readBits(bits, 4);
  const coreRateHz =
    rateIndex === RATE_GIVEN_OUTRIGHT ? readBits(bits, RATE_BITS) : SAMPLE_RATES_HZ[rateIndex];
  skipBits(bits, CHANNELS_BITS);
  const isExtended = outerType === SBR || outerType === PS;
  if (isExtended && readBits(bits, 4) === RATE_GIVEN_OUTRIGHT) skipBits(bits, RATE_BITS);
  const coreType = isExtended ? readObjectType(bits) : outerType;
  if (coreType === USAC) return readUsacConfig(bits);
  if (coreRateHz === undefined || coreRateHz === 0)
    throw new CopyNotPossibleError('an unknown sampling rate');
  const isShortFrame = readFlag(bits);
  if (coreType === ELD) return readEldConfig(bits, coreRateHz, isShortFrame);
  if (!GENERAL_AUDIO.has(coreType)) throw new CopyNotPossibleError(`audio of object type ${coreType}`);
  const unsaid = coreRateHz <= MAX_UNSAID_CORE_RATE_HZ ? 'possible' : 'absent';
  const highBand = isExtended ? 'present' : (readExtension(bits) ?? unsaid);
  const bands = coreType === LC && !isShortFrame ? bandWidths(rateIndex) : undefined;
  return {
    coreRateHz,
    frameSamples: (isShortFrame ? 960 : 1_024) / (coreType === LD ? 2 : 1),
    highBand,
    entry: generalEntry(coreType, highBand, bands),
    prerollFrames: PREROLL_FRAMES,
  };
}

function generalEntry(
  coreType: number,
  highBand: AacConfig['highBand'],
  bands: BandWidths | undefined,
): FrameEntry {
  if (PREDICTING.has(coreType)) return { kind: 'early' };
  if (highBand === 'absent') return { kind: 'any' };
  return bands === undefined ? { kind: 'early' } : { kind: 'high-band', bands };
}

/** The beginning of `ELDSpecificConfig` (ISO/IEC 14496-3 table 4.180). */
function readEldConfig(bits: FrameBits, coreRateHz: number, isShortFrame: boolean): AacConfig {
  skipBits(bits, 3);
  const hasHighBand = readFlag(bits);
  const isDoubled = hasHighBand && readFlag(bits);
  return {
    coreRateHz,
    frameSamples: isShortFrame ? 480 : 512,
    highBand: isDoubled ? 'present' : 'absent',
    entry: { kind: hasHighBand ? 'early' : 'any' },
    prerollFrames: ELD_PREROLL_FRAMES,
  };
}

/** `UsacConfig` as far as the type of its first element (ISO/IEC 23003-3 5.2). */
function readUsacConfig(bits: FrameBits): AacConfig {
  const rateIndex = readBits(bits, 5);
  const coreRateHz =
    rateIndex === USAC_RATE_GIVEN_OUTRIGHT ? readBits(bits, RATE_BITS) : USAC_RATES_HZ[rateIndex];
  const frameSamples = USAC_FRAME_SAMPLES[readBits(bits, 3)];
  if (readBits(bits, 5) === USAC_CHANNELS_GIVEN_OUTRIGHT) {
    const channelCount = readEscaped(bits, 5);
    skipBits(bits, 5 * channelCount);
  }
  readEscaped(bits, 4);
  const mayHoldPreroll = readBits(bits, 2) === USAC_EXTENSION && readEscaped(bits, 4) === AUDIO_PREROLL;
  if (!coreRateHz || frameSamples === undefined)
    throw new CopyNotPossibleError('an unknown configuration of xHE-AAC');
  return {
    coreRateHz,
    frameSamples,
    highBand: 'absent',
    entry: { kind: 'independent', mayHoldPreroll },
    prerollFrames: PREROLL_FRAMES,
  };
}

/** `escapedValue` with 8 and 16 bits after the first ones (ISO/IEC 23003-3 5.2). */
function readEscaped(bits: FrameBits, bitCount: number): number {
  let value = 0;
  for (const width of [bitCount, 8, 16]) {
    const part = readBits(bits, width);
    value += part;
    if (part < 2 ** width - 1) break;
  }
  return value;
}

function readObjectType(bits: FrameBits): number {
  const type = readBits(bits, 5);
  return type === ESCAPED_TYPE ? ESCAPED_TYPE + 1 + readBits(bits, 6) : type;
}

/** The extension after the core's configuration, for decoders that support it; undefined if there is none. */
function readExtension(bits: FrameBits): 'absent' | 'present' | undefined {
  const endBit = 8 * bits.bytes.length;
  for (; bits.position + EXTENSION_BITS <= endBit; bits.position++) {
    const ahead = { ...bits };
    if (readBits(ahead, 11) !== EXTENSION_SYNC) continue;
    if (readBits(ahead, 5) === SBR) return readFlag(ahead) ? 'present' : 'absent';
  }
  return undefined;
}
