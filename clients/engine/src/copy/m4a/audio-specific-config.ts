import { type FrameBits, readBits, readFlag, skipBits } from '../aac/aac-bits.ts';
import { type BandWidths, bandWidths } from '../aac/scale-factor-bands.ts';
import { CopyNotPossibleError } from '../copy-contract.ts';

/** By sampling frequency index (ISO/IEC 14496-3 table 1.18). */
const SAMPLE_RATES_HZ = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
];
/** Those and some more (ISO/IEC 23003-3 table 67); reserved ones are 0. */
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
/** Main, LTP twice, LD: they predict from what they have decoded before. */
const PREDICTING: ReadonlySet<number> = new Set([1, 4, 19, LD]);
const ESCAPED_TYPE = 31;
const CHANNELS_BITS = 4;
const RATE_GIVEN_OUTRIGHT = 15;
const USAC_RATE_GIVEN_OUTRIGHT = 31;
const RATE_BITS = 24;
/** By `coreSbrFrameLengthIndex` (ISO/IEC 23003-3 table 70). */
const USAC_FRAME_SAMPLES = [768, 1_024, 2_048, 2_048, 4_096];
/** Of the first element, which tells whether frames may hold what a decoder needs before them. */
const USAC_EXTENSION = 3;
const AUDIO_PREROLL = 3;
const USAC_CHANNELS_GIVEN_OUTRIGHT = 0;
/** Others need two: AAC frames overlap with the one before, and some decoders drop the first they get. */
const ELD_PREROLL_FRAMES = 4;
const PREROLL_FRAMES = 2;
const EXTENSION_SYNC = 0x2b7;
/** With the type and the flag behind it. */
const EXTENSION_BITS = 17;
/** Above that, twice the rate would be no output rate of AAC: a high band is found only where it is announced. */
const MAX_UNSAID_CORE_RATE_HZ = 24_000;

/**
 * The AAC that a track's frames hold, and what may lie upon it: spectral band replication (HE-AAC), which decodes to
 * twice the samples at twice the rate, and parametric stereo (HE-AAC v2), which only comes with that.
 */
export interface AacConfig {
  /** Of the core; of xHE-AAC, whose core may have any rate, of the output. */
  readonly coreRateHz: number;
  /** How many samples a frame has at that rate. */
  readonly frameSamples: number;
  /**
   * `absent` where the configuration rules it out. Where it says nothing (`possible`), frames may hold a high band
   * nevertheless, if a decoder may take twice the rate for the output.
   */
  readonly highBand: 'absent' | 'possible' | 'present';
  readonly entry: FrameEntry;
  /** How many frames a decoder is given before the first audible one. */
  readonly prerollFrames: number;
}

/** With which frame a decoder may begin. */
export type FrameEntry =
  | { readonly kind: 'any' }
  /** With one whose high band is complete, by what it holds. */
  | { readonly kind: 'high-band'; readonly bands: BandWidths }
  /** With any, a while before: what it lacks at first fades, or is sent again. */
  | { readonly kind: 'early' }
  /** With one that is marked as independent of those before, best with one that holds some of them. */
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

/** `escapedValue` with 8 and 16 bits behind the first ones (ISO/IEC 23003-3 5.2). */
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

/** What stands behind the configuration of the core, for decoders that know of it; undefined where nothing does. */
function readExtension(bits: FrameBits): 'absent' | 'present' | undefined {
  const endBit = 8 * bits.bytes.length;
  for (; bits.position + EXTENSION_BITS <= endBit; bits.position++) {
    const ahead = { ...bits };
    if (readBits(ahead, 11) !== EXTENSION_SYNC) continue;
    if (readBits(ahead, 5) === SBR) return readFlag(ahead) ? 'present' : 'absent';
  }
  return undefined;
}
