/**
 * RIFX is WAV with big-endian numbers and samples. ffmpeg reads its numbers correctly but takes its samples
 * for little-endian.
 */
import type { SourceBytes } from '../input/source-bytes.ts';

const FORMAT_PCM = 1;
const FORMAT_FLOAT = 3;
const FORMAT_EXTENSIBLE = 0xfffe;
const MAX_CHUNKS = 64;
/** Up to the sub-format of an extensible header. */
const FORMAT_CHUNK_BYTES = 8 + 28;

/** ffmpeg's name of the decoder for the samples; undefined if the one that ffmpeg chooses is right. */
export async function rifxDecoder(source: SourceBytes): Promise<string | undefined> {
  if (source.container !== 'uncommon-wav') return undefined;
  if ((await source.head(0, 4)).toString('latin1') !== 'RIFX') return undefined;
  let at = 12;
  for (let count = 0; count < MAX_CHUNKS; count += 1) {
    const chunk = await source.head(at, FORMAT_CHUNK_BYTES);
    if (chunk.length < 8 + 16) return undefined;
    if (chunk.toString('latin1', 0, 4) === 'fmt ') return decoderOf(chunk.subarray(8));
    const sizeBytes = chunk.readUInt32BE(4);
    at += 8 + sizeBytes + (sizeBytes % 2);
  }
  return undefined;
}

function decoderOf(format: Buffer): string | undefined {
  const tag = format.readUInt16BE(0);
  const isExtensible = tag === FORMAT_EXTENSIBLE && format.length >= 28;
  const codec = isExtensible ? format.readUInt32BE(24) : tag;
  const sampleBytes = Math.ceil(format.readUInt16BE(14) / 8);
  if (codec === FORMAT_PCM && sampleBytes >= 2 && sampleBytes <= 4) return `pcm_s${8 * sampleBytes}be`;
  if (codec === FORMAT_FLOAT && (sampleBytes === 4 || sampleBytes === 8)) return `pcm_f${8 * sampleBytes}be`;
  return undefined;
}
