import { type FrameBits, readBits, readFlag, skipBits } from '../aac/aac-bits.ts';
import { type BandWidths, bandWidths } from '../aac/scale-factor-bands.ts';
import { CopyNotPossibleError } from '../copy-contract.ts';
import { findBox, readBoxes } from './boxes.ts';

/** By sampling frequency index (ISO/IEC 14496-3 table 1.18). */
const SAMPLE_RATES_HZ = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
];
const SOUND_ENTRY_BYTES = 28;
const OBJECT_TYPE_MPEG4_AUDIO = 0x40;
const AUDIO_OBJECT_TYPE_LC = 2;
const AUDIO_OBJECT_TYPE_SBR = 5;
const AUDIO_OBJECT_TYPE_PS = 29;
const CHANNELS_BITS = 4;
const RATE_GIVEN_OUTRIGHT = 15;
const RATE_BITS = 24;
const EXTENSION_SYNC = 0x2b7;
/** With the type and the flag behind it. */
const EXTENSION_BITS = 17;
/** Above that, twice the rate would be no output rate of AAC: a high band is found only where it is announced. */
const MAX_UNSAID_CORE_RATE_HZ = 24_000;
const ES_DESCRIPTOR = 3;
const DECODER_CONFIG_DESCRIPTOR = 4;
const DECODER_SPECIFIC_DESCRIPTOR = 5;
const DECODER_CONFIG_BYTES = 13;
const STREAM_DEPENDENCE_FLAG = 0x80;
const URL_FLAG = 0x40;
const OCR_STREAM_FLAG = 0x20;

/**
 * The AAC-LC that a track's frames hold, and what may lie upon it: spectral band replication (HE-AAC), which decodes to
 * twice the samples at twice the rate, and parametric stereo (HE-AAC v2), which only comes with that.
 */
export interface AacConfig {
  readonly coreRateHz: number;
  readonly bands: BandWidths;
  /**
   * `absent` where the configuration rules it out. Where it says nothing (`possible`), frames may hold a high band
   * nevertheless, if a decoder may take twice the rate for the output.
   */
  readonly highBand: 'absent' | 'possible' | 'present';
}

/** Throws CopyNotPossibleError on a description of anything but one AAC-LC or HE-AAC entry. */
export function readAacConfig(sampleDescription: Buffer): AacConfig {
  const entries = [...readBoxes(sampleDescription.subarray(8))];
  const [entry] = entries;
  if (entry === undefined || entries.length !== 1 || entry.type !== 'mp4a') {
    throw new CopyNotPossibleError(`sample entries: ${entries.map(({ type }) => type).join() || 'none'}`);
  }
  if (entry.body.readUInt16BE(8) !== 0) throw new CopyNotPossibleError('a QuickTime sound description');
  const stream = findBox(entry.body.subarray(SOUND_ENTRY_BYTES), 'esds');
  const config = stream && readDecoderConfig(stream.subarray(4));
  if (config === undefined || config.length < 2)
    throw new CopyNotPossibleError('no MPEG-4 audio configuration');
  return readAudioSpecificConfig({ bytes: config, position: 0 });
}

/** ISO/IEC 14496-3 1.6.2.1. */
function readAudioSpecificConfig(bits: FrameBits): AacConfig {
  const outerType = readBits(bits, 5);
  const rateIndex = readBits(bits, 4);
  skipBits(bits, CHANNELS_BITS);
  const isExtended = outerType === AUDIO_OBJECT_TYPE_SBR || outerType === AUDIO_OBJECT_TYPE_PS;
  if (isExtended && readBits(bits, 4) === RATE_GIVEN_OUTRIGHT) skipBits(bits, RATE_BITS);
  const coreType = isExtended ? readBits(bits, 5) : outerType;
  const coreRateHz = SAMPLE_RATES_HZ[rateIndex];
  const bands = bandWidths(rateIndex);
  const isShortFrame = readFlag(bits);
  if (coreType !== AUDIO_OBJECT_TYPE_LC || coreRateHz === undefined || bands === undefined || isShortFrame) {
    throw new CopyNotPossibleError('neither AAC-LC nor HE-AAC');
  }
  const unsaid = coreRateHz <= MAX_UNSAID_CORE_RATE_HZ ? 'possible' : 'absent';
  return { coreRateHz, bands, highBand: isExtended ? 'present' : (readExtension(bits) ?? unsaid) };
}

/** What stands behind the configuration of the core, for decoders that know of it; undefined where nothing does. */
function readExtension(bits: FrameBits): 'absent' | 'present' | undefined {
  const endBit = 8 * bits.bytes.length;
  for (; bits.position + EXTENSION_BITS <= endBit; bits.position++) {
    const ahead = { ...bits };
    if (readBits(ahead, 11) !== EXTENSION_SYNC) continue;
    if (readBits(ahead, 5) === AUDIO_OBJECT_TYPE_SBR) return readFlag(ahead) ? 'present' : 'absent';
  }
  return undefined;
}

/** Descends through the descriptors of ISO/IEC 14496-1 7.2.6 to the AudioSpecificConfig. */
function readDecoderConfig(descriptors: Buffer): Buffer | undefined {
  const stream = findDescriptor(descriptors, ES_DESCRIPTOR);
  if (stream === undefined) return undefined;
  const flags = stream.readUInt8(2);
  let at = 3;
  if (flags & STREAM_DEPENDENCE_FLAG) at += 2;
  if (flags & URL_FLAG) at += 1 + stream.readUInt8(at);
  if (flags & OCR_STREAM_FLAG) at += 2;
  const decoder = findDescriptor(stream.subarray(at), DECODER_CONFIG_DESCRIPTOR);
  if (decoder === undefined || decoder.readUInt8(0) !== OBJECT_TYPE_MPEG4_AUDIO) return undefined;
  return findDescriptor(decoder.subarray(DECODER_CONFIG_BYTES), DECODER_SPECIFIC_DESCRIPTOR);
}

/** A tag, a length in up to four groups of seven bits, a body. */
function findDescriptor(buffer: Buffer, wanted: number): Buffer | undefined {
  let at = 0;
  while (at + 2 <= buffer.length) {
    const tag = buffer.readUInt8(at++);
    let length = 0;
    for (let group = 0; group < 4; group++) {
      const byte = buffer.readUInt8(at++);
      length = length * 128 + (byte & 0x7f);
      if (byte < 0x80) break;
    }
    if (tag === wanted) return buffer.subarray(at, at + length);
    at += length;
  }
  return undefined;
}
