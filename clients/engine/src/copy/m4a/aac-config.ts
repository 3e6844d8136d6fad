import { CopyNotPossibleError } from '../copy-contract.ts';
import { type AacConfig, readAudioSpecificConfig } from './audio-specific-config.ts';
import { findBox, readBoxes } from './boxes.ts';

const SOUND_ENTRY_BYTES = 28;
/** MPEG-4 audio, and Main, LC and SSR of MPEG-2. */
const OBJECT_TYPES: ReadonlySet<number> = new Set([0x40, 0x66, 0x67, 0x68]);
const ES_DESCRIPTOR = 3;
const DECODER_CONFIG_DESCRIPTOR = 4;
const DECODER_SPECIFIC_DESCRIPTOR = 5;
const DECODER_CONFIG_BYTES = 13;
const STREAM_DEPENDENCE_FLAG = 0x80;
const URL_FLAG = 0x40;
const OCR_STREAM_FLAG = 0x20;

/** Throws CopyNotPossibleError if the description is not a single entry of AAC. */
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
  if (decoder === undefined || !OBJECT_TYPES.has(decoder.readUInt8(0))) return undefined;
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
