import { CopyNotPossibleError } from '../copy-contract.ts';
import { findBox, readBoxes } from './boxes.ts';

/** By sampling frequency index (ISO/IEC 14496-3 table 1.18). */
const SAMPLE_RATES_HZ = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
];
const SOUND_ENTRY_BYTES = 28;
const OBJECT_TYPE_MPEG4_AUDIO = 0x40;
const AUDIO_OBJECT_TYPE_LC = 2;
const ES_DESCRIPTOR = 3;
const DECODER_CONFIG_DESCRIPTOR = 4;
const DECODER_SPECIFIC_DESCRIPTOR = 5;
const DECODER_CONFIG_BYTES = 13;
const STREAM_DEPENDENCE_FLAG = 0x80;
const URL_FLAG = 0x40;
const OCR_STREAM_FLAG = 0x20;

/**
 * The sample rate of a description with one plain AAC-LC entry. HE-AAC is refused, whether signalled outright
 * or as an extension: its frames decode to twice the samples that the tables count.
 */
export function readAacConfig(sampleDescription: Buffer): { readonly sampleRateHz: number } {
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

  const packed = config.readUInt16BE(0);
  const sampleRateHz = SAMPLE_RATES_HZ[(packed >> 7) & 0xf];
  const isShortFrame = (packed & 0x4) !== 0;
  const hasSbr = config.length > 4 && config.readUInt16BE(2) === 0x56e5 && config.readUInt8(4) >= 0x80;
  if (packed >> 11 !== AUDIO_OBJECT_TYPE_LC || sampleRateHz === undefined || isShortFrame || hasSbr) {
    throw new CopyNotPossibleError('not plain AAC-LC');
  }
  return { sampleRateHz };
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
