import { unsupportedMedia } from '../../media-error.ts';
import { CopyNotPossibleError } from '../copy-contract.ts';
import type { ByteReader } from '../source/byte-reader.ts';

/**
 * RIFF/WAVE up to the samples, with the 64-bit variants RF64 (EBU Tech 3306) and BW64 (ITU-R BS.2088).
 *
 * Sizes are claims. A data size of 0 or 0xffffffff (by a writer that could not seek back) means "to the end",
 * and one beyond the end of the source ends with it. Chunks after the samples are not read.
 */
export interface WaveHead {
  /** The `fmt ` chunk's body, repeated unchanged in every segment. */
  readonly format: Buffer;
  /**
   * `LIST` and `id3 ` chunks before the samples, padding included; empty if there are none or they exceed the
   * allowed size.
   */
  readonly tags: Buffer;
  readonly isIntegerPcm: boolean;
  readonly sampleRateHz: number;
  /** Bytes of one sample, all channels together. */
  readonly blockAlignBytes: number;
  /** Infinity: to the end of the source. */
  readonly dataBytes: number;
}

const SIZE_UNKNOWN = 0xffffffff;
const MIN_FORMAT_BYTES = 16;
const EXTENSIBLE_FORMAT_BYTES = 40;
const MAX_FORMAT_BYTES = 4096;
/** Real files have a handful; an empty one takes eight bytes of a source, and a hundred of the heap. */
const MAX_TAGS = 1_000;
const MIN_DS64_BYTES = 24;
const FORMAT_PCM = 1;
const FORMAT_FLOAT = 3;
const FORMAT_EXTENSIBLE = 0xfffe;
/** Far above 64 channels of 64-bit samples at 48 kHz; bounds how much is read ahead at a boundary. */
const MAX_BYTES_PER_SECOND = 64 * 1024 * 1024;

/** Leaves the reader at the first sample. */
export async function readWaveHead(reader: ByteReader, maxTagBytes: number): Promise<WaveHead> {
  if (!(await reader.fill(12)) || !isWave(reader.window))
    throw unsupportedMedia('The source is no WAVE file.');
  reader.consume(12);
  let format: Buffer | undefined;
  let dataBytes64: number | undefined;
  const tags: Buffer[] = [];
  let tagBytes = 0;
  let tagCount = 0;
  const areTagsKept = (): boolean => tagBytes <= maxTagBytes && tagCount <= MAX_TAGS;
  while (await reader.fill(8)) {
    const id = reader.window.toString('latin1', 0, 4);
    const sizeBytes = reader.window.readUInt32LE(4);
    if (id === 'data') {
      reader.consume(8);
      if (format === undefined) break;
      const claimed = sizeBytes === SIZE_UNKNOWN ? (dataBytes64 ?? 0) : sizeBytes;
      return {
        ...describeFormat(format),
        tags: areTagsKept() ? Buffer.concat(tags) : Buffer.alloc(0),
        dataBytes: claimed === 0 ? Number.POSITIVE_INFINITY : claimed,
      };
    }
    const chunkBytes = 8 + sizeBytes + (sizeBytes % 2);
    if (id === 'fmt ') {
      if (sizeBytes > MAX_FORMAT_BYTES) throw new CopyNotPossibleError('the fmt chunk is too large');
      if (await reader.fill(8 + sizeBytes)) format = Buffer.from(reader.window.subarray(8, 8 + sizeBytes));
    } else if (id === 'ds64' && sizeBytes >= MIN_DS64_BYTES && (await reader.fill(8 + MIN_DS64_BYTES))) {
      dataBytes64 = Number(reader.window.readBigUInt64LE(16));
    } else if (id === 'LIST' || id === 'id3 ') {
      tagBytes += chunkBytes;
      tagCount += 1;
      if (areTagsKept() && (await reader.fill(chunkBytes))) {
        tags.push(Buffer.from(reader.window.subarray(0, chunkBytes)));
      }
    }
    await reader.skip(chunkBytes);
  }
  throw unsupportedMedia('The WAVE file holds no samples.');
}

function isWave(window: Buffer): boolean {
  const container = window.toString('latin1', 0, 4);
  return ['RIFF', 'RF64', 'BW64'].includes(container) && window.toString('latin1', 8, 12) === 'WAVE';
}

function describeFormat(format: Buffer): Omit<WaveHead, 'tags' | 'dataBytes'> {
  if (format.length < MIN_FORMAT_BYTES) throw unsupportedMedia('The WAVE format chunk is too short.');
  const tag = format.readUInt16LE(0);
  const isExtensible = tag === FORMAT_EXTENSIBLE && format.length >= EXTENSIBLE_FORMAT_BYTES;
  // The sub-format GUID of an uncompressed WAVE begins with the plain format tag.
  const codec = isExtensible ? format.readUInt16LE(24) : tag;
  const channelCount = format.readUInt16LE(2);
  const sampleRateHz = format.readUInt32LE(4);
  const blockAlignBytes = format.readUInt16LE(12);
  const bitsPerSample = format.readUInt16LE(14);
  if (codec !== FORMAT_PCM && codec !== FORMAT_FLOAT) {
    throw new CopyNotPossibleError(`WAVE format tag ${codec} is compressed`);
  }
  const isConsistent =
    channelCount > 0 &&
    sampleRateHz > 0 &&
    bitsPerSample > 0 &&
    blockAlignBytes === channelCount * Math.ceil(bitsPerSample / 8) &&
    sampleRateHz * blockAlignBytes <= MAX_BYTES_PER_SECOND;
  if (!isConsistent) throw new CopyNotPossibleError('the fmt chunk contradicts itself');
  return { format, isIntegerPcm: tag === FORMAT_PCM, sampleRateHz, blockAlignBytes };
}
