/**
 * The number of samples that an AU file states. ffmpeg also plays what follows them, such as an annotation or
 * padding.
 */
import type { SourceBytes } from '../input/source-bytes.ts';

const HEADER_BYTES = 24;
const MAGIC = '.snd';
const SIZE_UNKNOWN = 0xffff_ffff;
/**
 * Bytes of one sample, by encoding; for the listed encodings the length in bytes gives the number of samples.
 */
const SAMPLE_BYTES: ReadonlyMap<number, number> = new Map([
  [1, 1],
  [2, 1],
  [3, 2],
  [4, 3],
  [5, 4],
  [6, 4],
  [7, 8],
  [27, 1],
]);

/** undefined if the header does not state it. */
export async function auSamples(source: SourceBytes): Promise<number | undefined> {
  const header = await source.head(0, HEADER_BYTES);
  if (header.length < HEADER_BYTES || header.toString('latin1', 0, 4) !== MAGIC) return undefined;
  const dataBytes = header.readUInt32BE(8);
  const sampleBytes = SAMPLE_BYTES.get(header.readUInt32BE(12));
  const channelCount = header.readUInt32BE(20);
  if (sampleBytes === undefined || channelCount === 0 || dataBytes === SIZE_UNKNOWN) return undefined;
  return Math.floor(dataBytes / (sampleBytes * channelCount)) || undefined;
}
