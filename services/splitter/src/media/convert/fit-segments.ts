import { rm } from 'node:fs/promises';
import { refuseTooMany } from '../plan.ts';
import { type Conversion, fillExactly, segmentLimitUnreachable } from './conversion.ts';
import { type EncodedFile, encodeSegment } from './encode.ts';
import { fitSamples } from './size-fit.ts';
import { segmentTags } from './tags.ts';
import { frameBytes } from './wav-header.ts';

/** The first guess, in compressed bytes per PCM byte at 16 bit; the segments after it learn from the one before. */
const FIRST_GUESS_RATIO = { flac: 0.7, ogg: 0.12, opus: 0.08, m4a: 0.13, mp3: 0.15, wav: 1 } as const;

/** Encodes segments of as many samples as fit under the byte limit. Returns their number. */
export async function fitSegments(conversion: Conversion): Promise<number> {
  const { options, encoding, pcm, totalSamples } = conversion;
  const { cut } = options;
  if (cut.mode !== 'fileSize') throw new TypeError('only a byte limit needs fitting');
  const limitBytes = cut.maxFileSizeBytes;
  const guessedBytesPerSample = 2 * pcm.channelCount * FIRST_GUESS_RATIO[encoding.name];
  let estimatedSamples = Math.max(1, Math.floor(limitBytes / guessedBytesPerSample));
  let { index, startSample } = conversion.start;

  while (startSample < totalSamples) {
    refuseTooMany(index + 1);
    const candidates = new Map<number, EncodedFile>();
    const sampleCount = await fitSamples({
      limitBytes,
      remainingSamples: totalSamples - startSample,
      sampleRateHz: pcm.sampleRateHz,
      estimatedSamples,
      measure: async (count) => {
        const encoded = await encodeCandidate(conversion, index, startSample, count);
        if (encoded.sizeBytes > limitBytes) {
          await rm(encoded.path);
        } else {
          // Each fit is larger than the one before it.
          for (const smaller of candidates.values()) await rm(smaller.path);
          candidates.clear();
          candidates.set(count, encoded);
        }
        return encoded.sizeBytes;
      },
    });
    const chosen = candidates.get(sampleCount);
    if (chosen === undefined) throw segmentLimitUnreachable(encoding);
    await conversion.handOut({ index, startSample, sampleCount }, chosen.path, chosen.sizeBytes);
    estimatedSamples = Math.max(1, Math.floor((sampleCount * limitBytes * 0.99) / chosen.sizeBytes));
    startSample += sampleCount;
    await conversion.spool.dropBefore(startSample * frameBytes(pcm));
    index += 1;
  }
  return index;
}

async function encodeCandidate(
  conversion: Conversion,
  index: number,
  startSample: number,
  sampleCount: number,
): Promise<EncodedFile> {
  const { options, encoding, pcm, spool, probed } = conversion;
  await fillExactly(conversion, startSample + sampleCount);
  const startByte = startSample * frameBytes(pcm);
  return encodeSegment(options.runtime, {
    encoding,
    pcm,
    samples: spool.read(startByte, startByte + sampleCount * frameBytes(pcm)),
    sampleCount,
    tags: segmentTags(probed.tags, index, undefined),
    fileName: `candidate-${index}-${sampleCount}.${encoding.extension}`,
  });
}
